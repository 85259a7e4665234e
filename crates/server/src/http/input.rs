//! The input of a verb, put together from the path, the query and the body of a request.

use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Body as _;
use serde_json::{Map, Value as Json};

use super::route::{Kind, Route};
use crate::refusal::Refusal;
use crate::settings::Settings;
use crate::{BodyRoom, Server};

/// The largest whole number that a floating-point number tells from its neighbours: 2^53.
const WHOLE_NUMBER_MAX: f64 = 9_007_199_254_740_992.0;

/// The longest query that is read, in bytes.
const QUERY_BYTES_MAX: usize = 16 * 1024;

/// Waits for room for a body, before a byte of it is read. One that says it is too long is never read, and waits for nothing.
///
/// # Errors
/// [`Refusal`] 503 where there was none in time.
pub fn room<'server>(
    server: &'server Server,
    body: &Body,
) -> impl Future<Output = Result<BodyRoom, Refusal>> + Send + use<'server> {
    let max = server.house().settings.body_bytes_max as u64;
    let bytes = body.size_hint().upper().unwrap_or(max);
    server.room_for_body(if bytes > max { 0 } else { bytes })
}

/// Reads the input.
///
/// # Errors
/// [`Refusal`] that names the part: a body that is no JSON object, is too long, or does not arrive; a query whose values are not of
/// their types; anything given twice.
pub async fn read(
    route: &Route,
    parts: &Parts,
    (body, room): (Body, &BodyRoom),
    settings: &Settings,
) -> Result<Json, Refusal> {
    let mut input = Map::new();
    if route.has_body() {
        input = self::body(parts, (body, room), settings).await?;
        if parts.uri.query().is_some_and(|query| !query.is_empty()) {
            return Err(Refusal::bad_request("this route takes a body and no query"));
        }
    } else {
        read_query(route, parts.uri.query().unwrap_or_default(), &mut input)?;
    }
    for (name, value) in path(&mut parts.clone()).await? {
        if input.insert(name.clone(), value).is_some() {
            return Err(Refusal::bad_request(format!("`{name}` stands in the path and is given again")));
        }
    }
    Ok(Json::Object(input))
}

/// Reads a body; an empty one is an empty object.
///
/// # Errors
/// [`Refusal`] for one that is no JSON object, is too long, or does not arrive.
pub(crate) async fn body(
    parts: &Parts,
    body: (Body, &BodyRoom),
    settings: &Settings,
) -> Result<Map<String, Json>, Refusal> {
    let bytes = bytes(parts, body, settings).await?;
    if bytes.is_empty() { Ok(Map::new()) } else { object(parts, &bytes) }
}

/// Reads the parts of the path that its route names.
///
/// # Errors
/// [`Refusal`] for a path that is no text.
pub(crate) async fn path(parts: &mut Parts) -> Result<Map<String, Json>, Refusal> {
    let path = RawPathParams::from_request_parts(parts, &()).await;
    let path = path.map_err(|_| Refusal::bad_request("the path is no text"))?;
    Ok(path.iter().map(|(name, value)| (name.to_owned(), Json::from(value))).collect())
}

/// Reads a query as texts.
///
/// # Errors
/// [`Refusal`] for one that is too long or no text, and for a field given twice.
pub(crate) fn query(query: &str) -> Result<Map<String, Json>, Refusal> {
    if query.len() > QUERY_BYTES_MAX {
        return Err(Refusal::new(
            414,
            "query_too_long",
            format!("the query has more than {QUERY_BYTES_MAX} bytes"),
        ));
    }
    let mut fields = Map::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (decoded(name)?, decoded(value)?);
        if fields.insert(name.clone(), Json::from(value)).is_some() {
            return Err(Refusal::bad_request(format!("`{name}` is given twice")));
        }
    }
    Ok(fields)
}

/// Reads a body for which there is room, as long and as slow as the settings allow.
///
/// # Errors
/// [`Refusal`] 413 for a longer one, 408 for a slower one, 400 for one that breaks off.
pub async fn bytes(
    parts: &Parts,
    (body, _): (Body, &BodyRoom),
    settings: &Settings,
) -> Result<bytes::Bytes, Refusal> {
    let (max, within) = (settings.body_bytes_max, settings.request_deadline);
    let too_long = || {
        Refusal::new(413, "body_too_long", format!("the body has more than {max} bytes"))
            .hint("send less at once; `testimony import` reads large files")
    };
    let told = parts.headers.get(CONTENT_LENGTH).and_then(|told| told.to_str().ok()?.parse::<usize>().ok());
    if told.is_some_and(|told| told > max) {
        return Err(too_long());
    }
    match tokio::time::timeout(within, Limited::new(body, max).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_long()),
        Ok(Err(_)) => Err(Refusal::bad_request("the body broke off")),
        Err(_) => Err(Refusal::new(408, "too_slow", "the body did not arrive in time")),
    }
}

fn object(parts: &Parts, bytes: &[u8]) -> Result<Map<String, Json>, Refusal> {
    let kind = parts.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(Refusal::new(415, "not_json", "the body is not said to be JSON")
            .hint("send `Content-Type: application/json`"));
    }
    match serde_json::from_slice(bytes) {
        Ok(Json::Object(mut object)) => {
            object.values_mut().for_each(write_whole_numbers);
            Ok(object)
        }
        Ok(_) => Err(Refusal::bad_request("the body is no JSON object")),
        // What the parser says names a place and no word of the body.
        Err(error) => Err(Refusal::bad_request(format!(
            "the body is no JSON: line {}, column {}",
            error.line(),
            error.column()
        ))),
    }
}

/// Writes `5.0` as `5`: to JSON they are the same whole number, and some languages write all their numbers the first way.
fn write_whole_numbers(value: &mut Json) {
    match value {
        Json::Number(number) => {
            let whole = number
                .as_f64()
                .filter(|value| number.is_f64() && value.fract() == 0.0 && value.abs() <= WHOLE_NUMBER_MAX);
            if let Some(whole) = whole {
                *number = (whole as i64).into();
            }
        }
        Json::Array(items) => items.iter_mut().for_each(write_whole_numbers),
        Json::Object(fields) => fields.values_mut().for_each(write_whole_numbers),
        Json::Null | Json::Bool(_) | Json::String(_) => {}
    }
}

/// Reads a query; what the verb calls a number or a truth is read as one.
fn read_query(route: &Route, query: &str, input: &mut Map<String, Json>) -> Result<(), Refusal> {
    if query.is_empty() {
        return Ok(());
    }
    for (name, value) in self::query(query)? {
        let value = value.as_str().unwrap_or_default();
        let wrong = |kind: &str| Refusal::bad_request(format!("`{name}` is no {kind}"));
        let value = match route.kind(&name) {
            Some(Kind::Whole) => Json::from(value.parse::<i64>().map_err(|_| wrong("whole number"))?),
            Some(Kind::Truth) => match value {
                "true" => Json::Bool(true),
                "false" => Json::Bool(false),
                _ => return Err(wrong("`true` or `false`")),
            },
            None => Json::from(value),
        };
        input.insert(name, value);
    }
    Ok(())
}

fn decoded(written: &str) -> Result<String, Refusal> {
    let spaced = written.replace('+', " ");
    let decoded = percent_encoding::percent_decode_str(&spaced).decode_utf8();
    decoded.map(|text| text.into_owned()).map_err(|_| Refusal::bad_request("the query is no text"))
}
