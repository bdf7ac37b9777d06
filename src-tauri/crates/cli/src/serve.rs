//! `gatehouse serve`: the window over http. Loopback only; a random token stands in the address and every call must show
//! it; a foreign `Host` is turned away, so that no page elsewhere can reach in under another name.

use crate::arguments::Serve;
use crate::out::{self, Exit, Failure};
use crate::project;
use crate::stop::Stop;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use rust_embed::RustEmbed;
use serde::Deserialize;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;
use studio::{ApiError, Client, Notice, Studio};
use tokio::sync::broadcast::error::RecvError;

/// The window's pages. A debug build reads them from `ui/dist` as they are, a release build carries them.
#[derive(RustEmbed)]
#[folder = "../../../ui/dist"]
#[allow_missing = true]
struct Pages;

/// Notices are gathered for this long and sent in one line.
const BATCH: Duration = Duration::from_millis(30);
/// Nothing is allowed that the window does not need.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; \
    img-src 'self' data: blob:; frame-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

#[derive(Clone)]
struct Door {
    studio: Studio,
    token: String,
    port: u16,
}

/// Serves until it is interrupted.
pub async fn serve(at: Option<&Path>, a: &Serve) -> Result<Exit, Failure> {
    let studio = project::open(at, None, Client::Serve)?;
    studio.watch();
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
        .layer(middleware::from_fn_with_state(door.clone(), authorised))
        .fallback(page)
        .layer(middleware::from_fn_with_state(door.clone(), local))
        .with_state(door);
    out::line(format!("http://127.0.0.1:{port}/?token={token}"));
    out::note(
        "Open this address in a browser on this machine. Whoever has it can decide in your name. Ctrl-C ends it.",
    );
    axum::serve(listener, app)
        .with_graceful_shutdown(async move {
            stop.wanted().await;
            closing.close().await;
            closing.put_away();
            // Notice streams never end by themselves.
            tokio::spawn(async {
                tokio::time::sleep(Duration::from_millis(300)).await;
                std::process::exit(0);
            });
        })
        .await
        .map_err(|e| Failure::internal(e.to_string()))?;
    Ok(Exit::Done)
}

/// Turns away what does not come under this machine's own name, and adds the headers every answer carries.
async fn local(State(door): State<Door>, request: Request, next: Next) -> Response {
    let names = [format!("127.0.0.1:{}", door.port), format!("localhost:{}", door.port)];
    let host = request
        .headers()
        .get(header::HOST)
        .and_then(|h| h.to_str().ok())
        .unwrap_or_default();
    if !names.iter().any(|n| n == host) {
        return (
            StatusCode::MISDIRECTED_REQUEST,
            "This server answers to 127.0.0.1 alone.",
        )
            .into_response();
    }
    let foreign = request
        .headers()
        .get(header::ORIGIN)
        .and_then(|o| o.to_str().ok())
        .is_some_and(|o| !names.iter().any(|n| o == format!("http://{n}")));
    if foreign {
        return (StatusCode::FORBIDDEN, "This server takes no calls from other pages.").into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// Turns away who does not show the token.
async fn authorised(State(door): State<Door>, headers: HeaderMap, request: Request, next: Next) -> Response {
    let shown = headers
        .get(header::AUTHORIZATION)
        .and_then(|h| h.to_str().ok())
        .and_then(|h| h.strip_prefix("Bearer "));
    // Compared in full whatever the first difference, so that time tells nothing.
    let same = shown.is_some_and(|shown| {
        shown.len() == door.token.len() && shown.bytes().zip(door.token.bytes()).fold(0, |d, (a, b)| d | (a ^ b)) == 0
    });
    if same {
        next.run(request).await
    } else {
        let error = ApiError::new("unauthorised", "This address is not (or no longer) allowed in.")
            .hint("Open the address that `gatehouse serve` printed.");
        (StatusCode::UNAUTHORIZED, axum::Json(error)).into_response()
    }
}

#[derive(Deserialize)]
struct Call {
    method: String,
    #[serde(default)]
    params: serde_json::Value,
}

async fn rpc(State(door): State<Door>, body: Bytes) -> Response {
    let call: Call = match serde_json::from_slice(&body) {
        Ok(call) => call,
        Err(error) => {
            let error = ApiError::new("bad_parameters", format!("The call cannot be read: {error}."));
            return (StatusCode::BAD_REQUEST, axum::Json(error)).into_response();
        }
    };
    match door.studio.rpc(&call.method, call.params).await {
        Ok(result) => axum::Json(result).into_response(),
        Err(error) => {
            let status = if error.refused() {
                StatusCode::CONFLICT
            } else {
                StatusCode::UNPROCESSABLE_ENTITY
            };
            (status, axum::Json(error)).into_response()
        }
    }
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
                Err(RecvError::Lagged(_)) => batch.push(Notice::Library),
                Err(RecvError::Closed) => return,
            }
            tokio::time::sleep(BATCH).await;
            while let Ok(notice) = receiver.try_recv() {
                batch.push(notice);
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
        [
            (header::CONTENT_TYPE, "application/x-ndjson"),
            (header::CACHE_CONTROL, "no-store"),
        ],
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
