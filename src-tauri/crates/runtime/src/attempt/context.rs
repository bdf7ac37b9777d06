//! Context (TELIS): what is looked up for a step before its agent begins (seed 000 "TELIS context").

use super::{Attempt, Job, blocking};
use crate::context::{Method, Question, resolve};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::runtime::Handle;
use tool::lsp::{Place, Servers};

/// Looks up what the step's inputs ask for. In a run with a scenario nothing is.
///
/// # Errors
/// Why it cannot be looked up, a sentence.
pub(super) async fn look_up(attempt: &mut Attempt) -> Result<(), String> {
    let Job { care, brief, .. } = &mut attempt.job;
    let parameters = &care.step.parameters;
    if care.is_scripted() || !parameters.keys().any(|key| key.starts_with("telis_")) {
        return Ok(());
    }
    let toolbox = Arc::clone(&care.toolbox);
    let limit = toolbox.settings.context.limit;
    let (parameters, context) = (parameters.clone(), toolbox.context(brief));
    let root = PathBuf::from(&brief.project_root);
    // Files are read, a database is searched and servers are waited for: not on a thread that drives runs.
    let looked_up = blocking(
        "the step's context cannot be looked up",
        limit,
        &attempt.sink,
        move |_| {
            let (servers, handle) = (Arc::clone(&toolbox.languages), Handle::current());
            let mut ask = |question: &Question| handle.block_on(asked(&servers, question, &context));
            let has_servers = servers.languages().next().is_some();
            let resolved = resolve(
                &root,
                toolbox.store.as_deref().ok_or("there is no history to search in")?,
                &parameters,
                &toolbox.settings.context,
                &toolbox.environment.policy,
                has_servers.then_some(&mut ask),
            );
            resolved.map_err(|why| format!("the step's context cannot be looked up: {why}"))
        },
    );
    let resolved = looked_up.await?;
    attempt.held.context = resolved.map(|resolved| resolved.payload);
    brief.context.clone_from(&attempt.held.context);
    brief.address();
    Ok(())
}

/// What a language server answers; `None`: it knows nothing there.
async fn asked(servers: &Servers, question: &Question, context: &tool::Context) -> Result<Option<Value>, String> {
    let place = Place {
        path: question.path.as_deref(),
        text: question.text.as_deref(),
        language: question.language.as_deref(),
        line: question.line,
        character: question.character,
    };
    let within = context.timeout;
    match question.method {
        Method::Hover => {
            let hover = servers.hover(&place, context, within).await;
            hover.map(|hover| hover.map(|hover| json!(hover)))
        }
        Method::SignatureHelp => {
            let help = servers.signature_help(&place, context, within).await;
            help.map(|help| help.map(|help| json!(help)))
        }
    }
    .map_err(|error| error.to_string())
}
