//! `gatehouse serve`: the window over http. Loopback only; a random token stands in the address that is printed, and every call must show
//! it ([`door`]); a foreign `Host` is turned away, so that no page elsewhere can reach in under another name. What is asked is carried out
//! off the threads that answer, so that a slow call holds up nobody else.

mod connections;
mod door;

use crate::arguments::Serve;
use crate::out;
use crate::out::{Exit, Failure};
use crate::project;
use crate::stop::Stop;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path as Name, Request, State};
use axum::http::{StatusCode, Uri, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use door::{Door, authorised, local};
use rust_embed::RustEmbed;
use serde::Deserialize;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;
use studio::{ApiError, Client, Notice};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

/// The window's pages. A debug build reads them from `ui/dist` as they are, a release build carries them.
#[derive(RustEmbed)]
#[folder = "../../../ui/dist"]
#[allow_missing = true]
struct Pages;

/// Notices are gathered for this long and sent in one line.
const BATCH: Duration = Duration::from_millis(30);
/// The largest call, in bytes.
const LARGEST: usize = 2 << 20;
/// How long the body of a call may take.
const ARRIVING: Duration = connections::PATIENCE;
/// So many calls are carried out at a time; others wait for their turn.
const AT_ONCE: usize = 32;
/// How long a call waits for its turn.
const TURN: Duration = Duration::from_secs(20);

static TURNS: tokio::sync::Semaphore = tokio::sync::Semaphore::const_new(AT_ONCE);

/// Serves until it is interrupted.
pub async fn serve(at: Option<&Path>, a: &Serve) -> Result<Exit, Failure> {
    let studio = project::open(at, None, Client::Serve)?;
    studio.watch();
    let only_read = studio.only_read_of("");
    let mut secret = [0u8; 24];
    getrandom::fill(&mut secret).map_err(|e| Failure::internal(format!("The system gave no random numbers: {e}.")))?;
    let token = hex::encode(secret);
    let listener = tokio::net::TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, a.port)))
        .await
        .map_err(|e| {
            Failure(
                ApiError::new("io", format!("Port {} on this machine cannot be used: {e}.", a.port))
                    .hint("Choose another with --port, or leave it out."),
            )
        })?;
    let port = listener
        .local_addr()
        .map_err(|e| Failure::internal(e.to_string()))?
        .port();
    let closing = studio.clone();
    let mut stop = Stop::listen();
    let door = Door {
        studio,
        token: token.clone(),
        port,
    };
    let app = Router::new()
        .route("/rpc", post(rpc))
        .route("/notices", get(notices))
        .route("/saved/{name}", get(saved))
        .layer(middleware::from_fn_with_state(door.clone(), authorised))
        .fallback(page)
        .layer(middleware::from_fn_with_state(door.clone(), local))
        .with_state(door);
    out::line(format!("http://127.0.0.1:{port}/?token={token}"));
    crate::run::say_only_read(only_read);
    out::note(
        "Open this address in a browser on this machine. Whoever has it can decide in your name. Ctrl-C ends it.",
    );
    tokio::select! {
        () = connections::answer(listener, app) => {}
        () = stop.wanted() => {}
    }
    // Nobody new is let in; what is being answered is finished or given up.
    closing.close().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    closing.put_away();
    // A call that hangs does not hold up the end.
    std::process::exit(0);
}

#[derive(Deserialize)]
struct Call {
    method: String,
    #[serde(default)]
    params: serde_json::Value,
}

async fn rpc(State(door): State<Door>, request: Request) -> Response {
    let refuse = |status: StatusCode, code: &str, what: String| {
        let error = ApiError::new(code, what);
        (status, axum::Json(error)).into_response()
    };
    let body = match tokio::time::timeout(ARRIVING, axum::body::to_bytes(request.into_body(), LARGEST)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            let what = format!("The call is larger than {} MiB, or was cut off.", LARGEST >> 20);
            return refuse(StatusCode::PAYLOAD_TOO_LARGE, "too_large", what);
        }
        Err(_) => {
            let what = "The call did not arrive in time.".to_owned();
            return refuse(StatusCode::REQUEST_TIMEOUT, "too_slow", what);
        }
    };
    let call: Call = match serde_json::from_slice(&body) {
        Ok(call) => call,
        Err(error) => {
            let what = format!("The call cannot be read: {error}.");
            return refuse(StatusCode::BAD_REQUEST, "bad_parameters", what);
        }
    };
    let Ok(Ok(turn)) = tokio::time::timeout(TURN, TURNS.acquire()).await else {
        let what = "Too many other calls are being carried out. Try again in a moment.".to_owned();
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "busy", what);
    };
    // The façade reads files and the history: on a thread of its own, not on one that answers.
    let carried_out = tokio::task::spawn_blocking(move || {
        // Given back when it is done, also when nobody waits for it any more.
        let _turn = turn;
        tokio::runtime::Handle::current().block_on(studio::command::dispatch(&door.studio, &call.method, call.params))
    });
    match carried_out.await {
        Ok(Ok(result)) => axum::Json(result).into_response(),
        Ok(Err(error)) => {
            let status = if error.refused() {
                StatusCode::CONFLICT
            } else {
                StatusCode::UNPROCESSABLE_ENTITY
            };
            (status, axum::Json(error)).into_response()
        }
        Err(_) => broke_off(),
    }
}

/// A file that a page has just had written, for whoever sits at the browser: it is saved there, never shown.
async fn saved(State(door): State<Door>, Name(name): Name<String>) -> Response {
    match tokio::task::spawn_blocking(move || door.studio.saved(&name)).await {
        Ok(Ok(bytes)) => (
            [
                (header::CONTENT_TYPE, "application/octet-stream"),
                (header::CONTENT_DISPOSITION, "attachment"),
            ],
            bytes,
        )
            .into_response(),
        Ok(Err(error)) => {
            let status = match error.code.as_str() {
                "not_found" => StatusCode::NOT_FOUND,
                _ => StatusCode::CONFLICT,
            };
            (status, axum::Json(error)).into_response()
        }
        Err(_) => broke_off(),
    }
}

fn broke_off() -> Response {
    let what = "The call broke off; what is recorded is safe. Start Gatehouse again.";
    let error = ApiError::new("internal", what);
    (StatusCode::INTERNAL_SERVER_ERROR, axum::Json(error)).into_response()
}

async fn notices(State(door): State<Door>) -> Response {
    let (lines, body) = tokio::sync::mpsc::channel::<Result<Bytes, std::convert::Infallible>>(16);
    let mut receiver = door.studio.subscribe();
    tokio::spawn(async move {
        loop {
            let mut batch: Vec<Notice> = Vec::new();
            match receiver.recv().await {
                Ok(notice) => batch.push(notice),
                // Too slow to keep up: everything may have changed.
                Err(RecvError::Lagged(_)) => batch.push(Notice::Missed),
                Err(RecvError::Closed) => return,
            }
            tokio::time::sleep(BATCH).await;
            loop {
                match receiver.try_recv() {
                    Ok(notice) => batch.push(notice),
                    Err(TryRecvError::Lagged(_)) => batch.push(Notice::Missed),
                    Err(TryRecvError::Empty | TryRecvError::Closed) => break,
                }
            }
            let Ok(mut line) = serde_json::to_vec(&batch) else {
                return;
            };
            line.push(b'\n');
            if lines.send(Ok(line.into())).await.is_err() {
                return;
            }
        }
    });
    let stream = tokio_stream::wrappers::ReceiverStream::new(body);
    (
        [(header::CONTENT_TYPE, "application/x-ndjson")],
        Body::from_stream(stream),
    )
        .into_response()
}

async fn page(uri: Uri) -> Response {
    let path = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    match Pages::get(path) {
        Some(file) => {
            let kind = file.metadata.mimetype().to_owned();
            ([(header::CONTENT_TYPE, kind)], file.data).into_response()
        }
        None if path == "index.html" => (
            StatusCode::NOT_FOUND,
            "The window's pages are not built yet: run `npx vite build ui`.",
        )
            .into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
