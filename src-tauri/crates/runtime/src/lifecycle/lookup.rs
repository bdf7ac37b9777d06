//! Context (TELIS): what is looked up for a step before its agent begins (seed 000 "TELIS context").

use super::Around;
use crate::brief::Brief;
use crate::context::{Method, Question, resolve};
use crate::executor::Sink;
use engine::Lifecycle;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::runtime::Handle;
use tool::lsp::{Place, Servers};

/// Looks up what the step's inputs ask for. In a run with a scenario nothing is.
///
/// # Errors
/// Why it cannot be looked up, a sentence.
pub(super) async fn context(around: &Around, brief: &Brief, held: &mut Lifecycle, sink: &Sink) -> Result<(), String> {
    let parameters = &around.step.parameters;
    if around.script.is_some() || !parameters.keys().any(|key| key.starts_with("telis_")) {
        return Ok(());
    }
    let toolbox = Arc::clone(&around.toolbox);
    let (parameters, context) = (parameters.clone(), around.toolbox.context(brief));
    // Files are read, a database is searched and servers are waited for: not on a thread that drives runs.
    let looked_up = tokio::task::spawn_blocking(move || {
        let (servers, handle) = (Arc::clone(&toolbox.languages), Handle::current());
        let mut ask = |question: &Question| handle.block_on(asked(&servers, question, &context));
        let has_servers = servers.languages().next().is_some();
        resolve(
            &toolbox.root,
            &toolbox.store,
            &parameters,
            &toolbox.settings.context,
            &toolbox.environment.policy,
            has_servers.then_some(&mut ask),
        )
    });
    let resolved = tokio::select! {
        resolved = looked_up => resolved.map_err(|error| format!("looking it up broke: {error}"))??,
        _ = sink.stopped() => return Err("it was called off".to_owned()),
    };
    held.context = resolved.map(|resolved| resolved.payload);
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
