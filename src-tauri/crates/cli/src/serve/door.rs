//! Who is let in: the machine's own name, the page itself, and whoever shows the token, in a header or in the cookie that the printed
//! address leaves behind.

use super::connections::Guest;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use studio::{ApiError, Studio};

/// Nothing is allowed that the window does not need.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; \
    img-src 'self' data: blob:; frame-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";
/// Where a request comes from, as a browser tells.
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

#[derive(Clone)]
pub struct Door {
    pub studio: Studio,
    pub token: String,
    pub port: u16,
}

impl Door {
    /// Cookies know no ports: each server has one of its own.
    fn cookie(&self) -> String {
        format!("gatehouse-{}", self.port)
    }

    fn names(&self) -> [String; 2] {
        [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)]
    }

    /// Compared in full whatever the first difference, so that time tells nothing.
    fn is_token(&self, shown: &str) -> bool {
        shown.len() == self.token.len() && shown.bytes().zip(self.token.bytes()).fold(0, |d, (a, b)| d | (a ^ b)) == 0
    }

    fn bears(&self, headers: &HeaderMap) -> bool {
        let shown = headers.get(header::AUTHORIZATION).and_then(|h| h.to_str().ok());
        shown
            .and_then(|h| h.strip_prefix("Bearer "))
            .is_some_and(|t| self.is_token(t))
    }

    /// A browser sends a cookie also for other pages of this machine: it counts only where the browser says that our own page asks.
    fn brings(&self, request: &Request) -> bool {
        let headers = request.headers();
        let text = |name: &HeaderName| headers.get(name).and_then(|h| h.to_str().ok());
        let own = |origin: &str| self.names().iter().any(|name| origin == format!("http://{name}"));
        let asks = match text(&header::ORIGIN) {
            Some(origin) => own(origin),
            None => {
                request.method() == Method::GET && text(&SITE).is_none_or(|site| matches!(site, "same-origin" | "none"))
            }
        };
        let begin = format!("{}=", self.cookie());
        asks && headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().strip_prefix(&begin))
            .any(|value| self.is_token(value))
    }
}

/// Turns away what does not come under this machine's own name, and adds the headers that every answer carries.
pub async fn local(State(door): State<Door>, request: Request, next: Next) -> Response {
    let mut response = match foreign(&door, request.headers()) {
        Some(refused) => refused,
        None => match shown_in_address(&door, &request) {
            Some(onwards) => onwards,
            None => next.run(request).await,
        },
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn foreign(door: &Door, headers: &HeaderMap) -> Option<Response> {
    let names = door.names();
    let host = headers
        .get(header::HOST)
        .and_then(|h| h.to_str().ok())
        .unwrap_or_default();
    if !names.iter().any(|n| n == host) {
        let what = ApiError::new("misdirected", "This server answers to 127.0.0.1 alone.");
        return Some((StatusCode::MISDIRECTED_REQUEST, axum::Json(what)).into_response());
    }
    // What cannot be read is not ours.
    let is_ours = |o: &HeaderValue| {
        o.to_str()
            .is_ok_and(|o| names.iter().any(|n| o == format!("http://{n}")))
    };
    if headers.get(header::ORIGIN).is_some_and(|o| !is_ours(o)) {
        let what = ApiError::new("foreign_page", "This server takes no calls from other pages.");
        return Some((StatusCode::FORBIDDEN, axum::Json(what)).into_response());
    }
    None
}

/// The printed address leads on to one without the token, which would stay in the browser's history: a cookie that no script can read
/// takes its place. Another token, of an earlier start for instance, leads there too; the page says in words that it is not let in.
fn shown_in_address(door: &Door, request: &Request) -> Option<Response> {
    let query = request.uri().query()?;
    let shown = query.split('&').find_map(|pair| pair.strip_prefix("token="))?;
    if request.method() != Method::GET || matches!(request.uri().path(), "/rpc" | "/notices") {
        return None;
    }
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, "/")]).into_response();
    if door.is_token(shown) {
        if let Some(guest) = request.extensions().get::<Guest>() {
            guest.welcome();
        }
        let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", door.cookie(), door.token);
        if let Ok(value) = HeaderValue::from_str(&cookie) {
            response.headers_mut().insert(header::SET_COOKIE, value);
        }
    }
    Some(response)
}

/// Turns away who does not show the token.
pub async fn authorised(State(door): State<Door>, request: Request, next: Next) -> Response {
    if door.bears(request.headers()) || door.brings(&request) {
        if let Some(guest) = request.extensions().get::<Guest>() {
            guest.welcome();
        }
        return next.run(request).await;
    }
    let error = ApiError::new("unauthorised", "This address is not (or no longer) allowed in.")
        .hint("Open the address that `gatehouse serve` printed; it is another one after each start.");
    let mut response = (StatusCode::UNAUTHORIZED, axum::Json(error)).into_response();
    // What it still sends is not read.
    response
        .headers_mut()
        .insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
