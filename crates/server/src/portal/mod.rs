//! The portal: the memory as pages, for the person it is about.
//!
//! Pages are made here, whole, from what the verbs answer; they work without a script, and a small one makes them better. A request
//! becomes a [`desk::Desk`] (who reads, what was sent, where), the table in [`answer`] finds its page, and [`layout`] puts the page
//! into its frame. Whatever a memory says is written by [`words`], which is the only way of words into a page.

mod chart;
mod claims;
mod correct;
mod cut;
mod desk;
mod disputes;
mod fact;
mod forget;
mod form;
mod health;
mod keys;
mod labels;
mod language;
mod layout;
mod memory;
mod moments;
mod notice;
mod phrases;
mod search;
mod session;
mod sign_in;
mod sources;
#[cfg(test)]
mod tests;
mod timeline;
mod turns;
mod when;
mod words;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY, SET_COOKIE,
};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};

use crate::http::Shared;
use crate::refusal::Refusal;
use desk::{Desk, Reply};
use session::Sessions;

/// The look of every page.
const STYLE: &str = include_str!("style.css");

/// What makes pages better where scripts run: sliders over the instants at which something happened.
const SCRIPT: &str = include_str!("script.js");

/// Pages load nothing from elsewhere, run no script but ours, and send forms nowhere else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

/// What the pages share.
struct Portal {
    shared: Shared,
    sessions: Sessions,
}

/// The routes of the portal.
pub(crate) fn routes(shared: &Shared) -> Router<Shared> {
    let portal = Arc::new(Portal { shared: shared.clone(), sessions: Sessions::default() });
    Router::new()
        .route("/", get(home))
        .route("/portal", get(home))
        .route("/portal/", get(home))
        .route("/portal/style.css", get(async || embedded("text/css; charset=utf-8", STYLE)))
        .route("/portal/script.js", get(async || embedded("text/javascript; charset=utf-8", SCRIPT)))
        .route("/portal/{*page}", any(page))
        .with_state(portal)
}

async fn home() -> Response {
    elsewhere("/portal/memory")
}

fn embedded(kind: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, kind)], text).into_response()
}

fn elsewhere(place: &str) -> Response {
    let place = HeaderValue::from_str(place).unwrap_or(HeaderValue::from_static("/portal/memory"));
    (StatusCode::SEE_OTHER, [(LOCATION, place)]).into_response()
}

/// Every page, where calls are counted by their verb.
const COUNTED_AS: &str = "portal";

/// Answers a request for a page.
async fn page(State(portal): State<Arc<Portal>>, request: Request) -> Response {
    let timer = portal.shared.metrics.begin(COUNTED_AS);
    let response = made(&portal, request).await;
    timer.end(response.status());
    response
}

async fn made(portal: &Portal, request: Request) -> Response {
    let (mut desk, body) = match Desk::open(portal, request) {
        Ok(opened) => opened,
        // Without random bytes there is no session, and so no page that could be trusted.
        Err(refusal) => return (StatusCode::INTERNAL_SERVER_ERROR, refusal.detail).into_response(),
    };
    let reply = match desk.take_in(body).await {
        Ok(()) => answer(&mut desk).await,
        Err(refusal) => Err(refusal),
    };
    let reply = match reply {
        Ok(reply) => reply,
        Err(refusal) => {
            portal.shared.metrics.refused(COUNTED_AS, refusal.code);
            desk.refused(refusal)
        }
    };
    let cookies = desk.cookies();
    let mut response = match reply {
        Reply::Elsewhere(place) => elsewhere(&place),
        Reply::Page { status, title, body } => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            desk.hear();
            let page = layout::page(&desk, &title, &body).into_string();
            (status, [(CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()
        }
    };
    let headers = response.headers_mut();
    for cookie in cookies {
        headers.append(SET_COOKIE, cookie);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    // With `no-referrer` a browser hides where a form comes from, also from the page's own server.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    );
    response
}

/// The table of pages.
async fn answer(desk: &mut Desk<'_>) -> Result<Reply, Refusal> {
    let path = desk.path();
    let segments: Vec<&str> = path.iter().map(String::as_str).collect();
    let is_read = matches!(desk.method, Method::GET | Method::HEAD);
    let is_act = desk.method == Method::POST;
    match segments.as_slice() {
        ["sign-in"] if is_read => return Ok(sign_in::show(desk)),
        ["sign-in"] if is_act => return sign_in::enter(desk),
        ["sign-out"] if is_act => return Ok(sign_in::leave(desk)),
        ["preferences"] if is_act => return sign_in::prefer(desk),
        _ => {}
    }
    if !desk.is_let_in() {
        return Ok(sign_in::lead_there(desk));
    }
    desk.take_turn()?;
    match segments.as_slice() {
        ["memory"] if is_read => memory::show(desk).await,
        ["facts", id] if is_read => fact::show(desk, id).await,
        ["evidence", id] if is_read => sources::show_message(desk, id).await,
        ["disputes"] if is_read => disputes::show(desk).await,
        ["disputes"] if is_act => disputes::resolve(desk).await,
        ["turns"] if is_read => turns::list(desk).await,
        ["turns", id] if is_read => turns::show(desk, id).await,
        ["sources"] if is_read => sources::list(desk).await,
        ["sources", id] if is_read => sources::show(desk, id).await,
        ["search"] if is_read => search::show(desk).await,
        ["timeline"] if is_read => timeline::show(desk).await,
        ["memories", id, "correct"] if is_read => correct::show(desk, id).await,
        ["memories", id, "correct"] if is_act => correct::act(desk, id).await,
        ["forget"] if is_read => forget::show(desk).await,
        ["forget"] if is_act => forget::act(desk).await,
        ["receipt"] if is_read => forget::receipt(desk).await,
        ["health"] if is_read => health::show(desk).await,
        ["keys"] if is_read => keys::show(desk).await,
        ["keys"] if is_act => keys::create(desk).await,
        ["keys", id, "revoke"] if is_act => keys::revoke(desk, id).await,
        ["subject"] if is_act => sign_in::switch(desk),
        _ => Err(Refusal::new(404, "not_found", "there is no such page")),
    }
}
