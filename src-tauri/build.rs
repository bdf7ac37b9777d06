//! Compiles the window's configuration and permissions into the program.

fn main() {
    tauri_build::build();
}
