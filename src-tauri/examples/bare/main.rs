//! A window of the same toolkit with nothing in it: what `npm run bench` holds Gatehouse's launch and memory against.

use std::io::Write;
use std::sync::OnceLock;
use std::time::Instant;

use tauri::WebviewWindowBuilder;

static STARTED: OnceLock<Instant> = OnceLock::new();

/// Prints `window painted MS` and `window ready MS`, as Gatehouse's own window does.
#[tauri::command]
fn announce(state: &str) {
    let ms = STARTED.get_or_init(Instant::now).elapsed().as_millis();
    // Nobody may be reading any more; then nobody misses it.
    let _ = writeln!(std::io::stdout(), "window {state} {ms}");
}

fn main() -> tauri::Result<()> {
    STARTED.get_or_init(Instant::now);
    tauri::Builder::default()
        .invoke_handler(tauri::generate_handler![announce])
        .setup(|app| {
            let config = app
                .config()
                .app
                .windows
                .first()
                .cloned()
                .expect("the configuration has a window");
            WebviewWindowBuilder::from_config(app, &config)?
                .initialization_script(include_str!("../../src/announce.js"))
                .build()?;
            Ok(())
        })
        .run(tauri::generate_context!("examples/bare/tauri.conf.json"))
}
