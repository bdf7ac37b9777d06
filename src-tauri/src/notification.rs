//! Desktop notifications: a decision is wanted, or was wanted by now, and a click opens it.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use studio::gate::view::GateCard;
use studio::{Notice, Studio};
use tauri::AppHandle;
use tokio::sync::broadcast::error::RecvError;

use crate::window;

/// Shows a notification for every gate that begins to wait, and for every one to which an answer was wanted by now, until the project is closed.
pub async fn watch(app: AppHandle, studio: &Studio) {
    let mut notices = studio.subscribe();
    loop {
        match notices.recv().await {
            Ok(Notice::Inbox { opened: Some(gate), .. }) => {
                if wanted(studio).await {
                    show(app.clone(), *gate, false);
                }
            }
            Ok(Notice::Overdue { gate }) => {
                if wanted(studio).await {
                    show(app.clone(), *gate, true);
                }
            }
            // Whatever was missed here stands in the inbox.
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

/// Whether the person wants notifications; when that cannot be read, a question should not go unseen.
async fn wanted(studio: &Studio) -> bool {
    let settings = studio.rpc("settings.get", Value::Null).await;
    settings
        .ok()
        .and_then(|settings| settings["notifications"].as_bool())
        .unwrap_or(true)
}

/// Where the window shows this gate.
fn address(run: &str, gate: &str) -> String {
    let part = |text| utf8_percent_encode(text, NON_ALPHANUMERIC);
    format!("#/inbox/{}/{}", part(run), part(gate))
}

/// What stands under the question.
fn body(gate: &GateCard, is_overdue: bool) -> String {
    let rehearsal = if gate.rehearsal { "Rehearsal: " } else { "" };
    let title = &gate.workflow_title;
    match is_overdue {
        true => format!("{rehearsal}Overdue: {title} still waits for your decision."),
        false => format!("{rehearsal}{title} waits for your decision."),
    }
}

/// Waits on its own thread for the click, for as long as the notification is there.
fn show(app: AppHandle, gate: GateCard, is_overdue: bool) {
    std::thread::spawn(move || {
        let shown = notify_rust::Notification::new()
            .appname("Gatehouse")
            .icon("gatehouse-desktop")
            .summary(&gate.question)
            .body(&body(&gate, is_overdue))
            .action("default", "Open")
            .show();
        match shown {
            Ok(handle) => handle.wait_for_action(|action| {
                if action == "default" {
                    window::show(&app, Some(&address(&gate.run_id, &gate.gate)));
                }
            }),
            // No notification service, as on a bare server: the inbox says the same.
            Err(error) => tracing::info!(%error, "no desktop notification could be shown"),
        }
    });
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn an_address_keeps_whatever_an_id_is_made_of() {
        assert_eq!(address("r1", "review"), "#/inbox/r1/review");
        assert_eq!(
            address("r1", "flow:review/hitl 2"),
            "#/inbox/r1/flow%3Areview%2Fhitl%202"
        );
    }
}
