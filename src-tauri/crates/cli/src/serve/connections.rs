//! Connections: each bounded in time and number until it has shown that it may come in.
//!
//! Whoever reaches this machine's own address can open a connection, also without the token. Such a guest has a few seconds to say what it
//! wants, and of guests there are never more than a few at a time: the oldest goes when another one comes, so that a person is let in
//! whatever others hold open.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tower::ServiceExt as _;

/// How long the head of a request may take, and how long a connection may be silent between two.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// So many connections may be open that have not shown the token.
const MOST_GUESTS: usize = 64;

/// Who holds one connection.
#[derive(Clone)]
pub struct Guest {
    number: u64,
    guests: Arc<Guests>,
}

impl Guest {
    /// It has shown the token: it may stay.
    pub fn welcome(&self) {
        self.guests.remove(self.number);
    }
}

#[derive(Default)]
struct Guests(Mutex<VecDeque<(u64, Arc<Notify>)>>);

impl Guests {
    /// Lets one in; the oldest goes where there are too many.
    fn admit(&self, number: u64, leave: &Arc<Notify>) {
        let mut guests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        guests.push_back((number, Arc::clone(leave)));
        if guests.len() > MOST_GUESTS
            && let Some((_, oldest)) = guests.pop_front()
        {
            oldest.notify_one();
        }
    }

    fn remove(&self, number: u64) {
        let mut guests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        guests.retain(|(guest, _)| *guest != number);
    }

    /// Sends the oldest away; the system has no more room.
    fn shrink(&self) {
        let mut guests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, oldest)) = guests.pop_front() {
            oldest.notify_one();
        }
    }
}

/// Answers whoever comes; never returns.
pub async fn answer(listener: TcpListener, app: Router) {
    let guests = Arc::new(Guests::default());
    for number in 0u64.. {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(hold(stream, app.clone(), number, Arc::clone(&guests)));
            }
            // Most likely too many files are open.
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                guests.shrink();
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

async fn hold(stream: TcpStream, app: Router, number: u64, guests: Arc<Guests>) {
    let leave = Arc::new(Notify::new());
    guests.admit(number, &leave);
    let guest = Guest {
        number,
        guests: Arc::clone(&guests),
    };
    let service = service_fn(move |request: Request<hyper::body::Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(guest.clone());
        let app = app.clone();
        async move {
            let Ok(response) = app.oneshot(request).await;
            Ok::<_, Infallible>(response)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        // Whoever goes away in the middle has no need of an answer.
        _ = connection => {}
        () = leave.notified() => {}
    }
    guests.remove(number);
}
