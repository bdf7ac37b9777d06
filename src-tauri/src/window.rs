//! The window itself: making it, bringing it forward, going to one of its addresses, saying when it is ready.

use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

use tauri::{AppHandle, Manager, WebviewUrl, WebviewWindow, WebviewWindowBuilder};

/// The label of the only window, as tauri.conf.json and the capabilities name it.
const MAIN: &str = "main";

/// When the program was started; what is announced counts from here.
static STARTED: OnceLock<Instant> = OnceLock::new();

/// Notes the time of the start. Called first thing in `main`.
pub fn started() {
    STARTED.get_or_init(Instant::now);
}

/// Makes the window as tauri.conf.json describes it, with the project's name in its title.
pub fn create(app: &AppHandle, folder: &Path, address: Option<&str>, announce: bool) -> tauri::Result<()> {
    let mut config = app
        .config()
        .app
        .windows
        .iter()
        .find(|window| window.label == MAIN)
        .cloned()
        .expect("tauri.conf.json describes the main window");
    if let Some(name) = folder.file_name() {
        config.title = format!("{} – Gatehouse", name.to_string_lossy());
    }
    if let Some(address) = address {
        config.url = WebviewUrl::App(format!("index.html{address}").into());
    }
    let mut builder = WebviewWindowBuilder::from_config(app, &config)?;
    if announce {
        builder = builder.initialization_script(include_str!("announce.js"));
    }
    builder.build()?;
    Ok(())
}

/// Brings the window to the front and goes to an address in it, such as `#/inbox/42`.
pub fn show(app: &AppHandle, address: Option<&str>) {
    let Some(window) = app.get_webview_window(MAIN) else {
        return;
    };
    if let Err(error) = raise(&window, address) {
        tracing::warn!(%error, "the window could not be brought to the front");
    }
}

fn raise(window: &WebviewWindow, address: Option<&str>) -> tauri::Result<()> {
    window.unminimize()?;
    window.show()?;
    window.set_focus()?;
    if let Some(address) = address {
        // A JSON string is a JavaScript string, whatever the address holds.
        window.eval(format!("location.hash = {}", serde_json::Value::from(address)))?;
    }
    Ok(())
}

/// Prints `window painted MS`, `window ready MS` or `window error MS`: the page calls this when it is so.
#[tauri::command]
pub fn announce(state: &str) {
    let ms = STARTED.get_or_init(Instant::now).elapsed().as_millis();
    // Nobody may be reading any more; then nobody misses it.
    let _ = writeln!(std::io::stdout(), "window {state} {ms}");
}
