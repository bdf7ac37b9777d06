//! Compiles the window's configuration, permissions and pages into the program.

fn main() {
    // The pages are embedded: a program with yesterday's pages must not count as up to date.
    println!("cargo:rerun-if-changed=../ui/dist");
    tauri_build::build();
}
