//! Gatehouse on the desktop: a thin shell around the studio. It opens the window, hands calls through, and shows a
//! desktop notification when a decision is wanted. What a workflow or a run is, it does not know.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod arguments;
mod bridge;
mod graphics;
mod notification;
mod project;
mod window;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use tauri::{AppHandle, Manager, RunEvent};
use tauri_plugin_dialog::DialogExt;
use tracing_subscriber::EnvFilter;

use crate::arguments::Arguments;
use crate::bridge::Project;

fn main() -> ExitCode {
    window::started();
    graphics::prefer_memory_without_gpu();
    let arguments = Arguments::parse();
    let filter = EnvFilter::try_from_env("GATEHOUSE_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "the window could not be opened; is there a display (DISPLAY or WAYLAND_DISPLAY)?");
            ExitCode::from(70)
        }
    }
}

fn run(arguments: Arguments) -> tauri::Result<()> {
    let context = tauri::generate_context!();
    let current = std::env::current_dir()?;
    let config = config_folder(&context.config().identifier);
    let variable = std::env::var_os("GATEHOUSE_PROJECT").map(PathBuf::from);
    let folder = project::choose(arguments.project.clone(), variable, &config, &current);

    let mut builder = tauri::Builder::default();
    if let Some(folder) = folder
        .as_deref()
        .filter(|_| !arguments.new_window && !graphics::under_webdriver())
    {
        // Another start on the same folder brings this window forward instead of opening a second one.
        let single = tauri_plugin_single_instance::Builder::new()
            .dbus_id(project::bus_name(&context.config().identifier, folder))
            .callback(|app, words, _current| {
                let again = Arguments::try_parse_from(words).ok();
                window::show(app, again.as_ref().and_then(Arguments::address));
            });
        builder = builder.plugin(single.build());
    }
    builder
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_opener::init())
        .plugin(tauri_plugin_window_state::Builder::default().build())
        .invoke_handler(tauri::generate_handler![
            bridge::rpc,
            bridge::subscribe,
            project::open_folder,
            window::announce
        ])
        .setup(move |app| {
            let handle = app.handle().clone();
            end_on_signal(handle.clone());
            match folder {
                Some(folder) => open(&handle, &arguments, &config, &folder)?,
                None => ask(handle, arguments, config),
            }
            Ok(())
        })
        .build(context)?
        .run(|app, event| {
            if let RunEvent::Exit = event
                && let Some(project) = app.try_state::<Arc<Project>>()
            {
                // Programs of steps end with the window; their runs go on when it is opened again.
                tauri::async_runtime::block_on(project.close());
            }
        });
    Ok(())
}

/// Ctrl-C in the terminal, its end, or the end of the session, closes the window as a person would: in order.
fn end_on_signal(app: AppHandle) {
    #[cfg(unix)]
    tauri::async_runtime::spawn(async move {
        use tokio::signal::unix::{SignalKind, signal};
        let wanted = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [Ok(mut interrupt), Ok(mut end), Ok(mut closed)] = wanted.map(signal) else {
            return;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = end.recv() => {}
            _ = closed.recv() => {}
        }
        app.exit(0);
    });
    #[cfg(not(unix))]
    drop(app);
}

/// Where this program keeps what it remembers about the person: `~/.config/app.gatehouse.studio` on Linux.
fn config_folder(identifier: &str) -> PathBuf {
    dirs::config_dir().unwrap_or_default().join(identifier)
}

/// Opens the window at once, and the project behind it.
fn open(app: &AppHandle, arguments: &Arguments, config: &Path, folder: &Path) -> tauri::Result<()> {
    let project = Arc::new(Project::default());
    app.manage(Arc::clone(&project));
    window::create(app, folder, arguments.address(), arguments.announce)?;
    let (app, config, folder) = (app.clone(), config.to_owned(), folder.to_owned());
    tauri::async_runtime::spawn(async move {
        project.open(&folder);
        if let Ok(studio) = project.studio().await {
            project::remember(&config, &folder);
            notification::watch(app, studio).await;
        }
    });
    Ok(())
}

/// Asks for the folder first; without an answer there is nothing to show.
fn ask(app: AppHandle, arguments: Arguments, config: PathBuf) {
    let dialog = app.dialog().file().set_title("Choose a folder with workflows");
    dialog.pick_folder(move |picked| {
        let Some(folder) = picked.and_then(|path| path.into_path().ok()) else {
            app.exit(0);
            return;
        };
        if let Err(error) = open(&app, &arguments, &config, &folder) {
            tracing::error!(%error, "the window could not be opened");
            app.exit(70);
        }
    });
}
