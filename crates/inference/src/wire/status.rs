//! What a reply that says no means. Of its body only the code is shown, never the message: that may repeat what was asked.

use serde_json::Value as Json;

use super::exchange::Reply;
use crate::error::{InferenceError, InferenceErrorKind};

/// Whether the same request may succeed a moment later.
pub(super) fn is_worth_retrying(status: u16) -> bool {
    matches!(status, 408 | 429 | 500..=599)
}

/// The error a status means. `shows_key` tells whether a text would show the key.
pub(super) fn error(name: &str, reply: &Reply, shows_key: impl Fn(&str) -> bool) -> InferenceError {
    use InferenceErrorKind::{BadReply, Busy, Configuration, NotAllowed, Unsupported};
    let code = code(&reply.body, shows_key);
    let of_length = code.as_deref().is_some_and(|code| code.contains("context") || code.contains("too_long"));
    let (kind, what) = match reply.status {
        401 | 403 => (NotAllowed, "does not accept the key; look at `key` of its tier"),
        402 => (NotAllowed, "wants to be paid first"),
        404 => (Configuration, "is not there; look at `base_url` and `model` of its tier"),
        408 | 429 => (Busy, "is asked too often; try later"),
        500..=599 => (Busy, "is overloaded or broken; try later"),
        300..=399 => {
            (Configuration, "has moved, and redirects are not followed; set `base_url` to the new address")
        }
        413 => (Unsupported, "does not take a request this long"),
        400..=499 if of_length => (Unsupported, "does not take a request this long"),
        400..=499 => (Unsupported, "does not take the request"),
        _ => (BadReply, "answers neither yes nor no"),
    };
    let code = code.map_or_else(String::new, |code| format!(", `{code}`"));
    InferenceError::new(kind, format!("`{name}` {what} (status {}{code})", reply.status))
}

/// The longest code shown.
const CODE_CHARS_MAX: usize = 64;

/// The provider's word for what was wrong: an identifier, and nothing else.
fn code(body: &[u8], shows_key: impl Fn(&str) -> bool) -> Option<String> {
    let json: Json = serde_json::from_slice(body).ok()?;
    // Gemini wraps its errors in a list now and then.
    let json = json.get(0).unwrap_or(&json);
    let error = &json["error"];
    let is_word = |text: &&str| {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
        !text.is_empty() && text.len() <= CODE_CHARS_MAX && text.chars().all(is_letter)
    };
    [&error["code"], &error["type"], &error["status"], &json["code"], &json["type"]]
        .into_iter()
        .filter_map(Json::as_str)
        .filter(is_word)
        .find(|text| !shows_key(text) && ledger::secret::secret_like(text).is_none())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_code_is_shown() {
        let key = crate::secret::Secret::new("sk-live-51ABCDEFGHIJ");
        for (status, body, kind, message) in [
            (
                401,
                r#"{"error":{"message":"bad key sk-live-51ABCDEFGHIJ","code":"invalid_api_key"}}"#,
                InferenceErrorKind::NotAllowed,
                "`m` does not accept the key; look at `key` of its tier (status 401, `invalid_api_key`)",
            ),
            (
                401,
                r#"{"error":{"code":"sk-live-51ABCDEFGHIJ","type":"auth"}}"#,
                InferenceErrorKind::NotAllowed,
                "`m` does not accept the key; look at `key` of its tier (status 401, `auth`)",
            ),
            (
                400,
                r#"{"error":{"code":"I said my name is Ana"}}"#,
                InferenceErrorKind::Unsupported,
                "`m` does not take the request (status 400)",
            ),
            (
                400,
                r#"{"error":{"code":"context_length_exceeded"}}"#,
                InferenceErrorKind::Unsupported,
                "`m` does not take a request this long (status 400, `context_length_exceeded`)",
            ),
            (
                529,
                "overloaded!",
                InferenceErrorKind::Busy,
                "`m` is overloaded or broken; try later (status 529)",
            ),
            (
                429,
                r#"[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}]"#,
                InferenceErrorKind::Busy,
                "`m` is asked too often; try later (status 429, `RESOURCE_EXHAUSTED`)",
            ),
            (
                307,
                "",
                InferenceErrorKind::Configuration,
                "`m` has moved, and redirects are not followed; set `base_url` to the new address (status 307)",
            ),
            (204, "", InferenceErrorKind::BadReply, "`m` answers neither yes nor no (status 204)"),
        ] {
            let reply = Reply { status, retry_after: None, body: body.as_bytes().to_vec() };
            let error = error("m", &reply, |text| key.is_shown_by(text));
            assert_eq!((error.kind(), error.to_string().as_str()), (kind, message));
        }
    }
}
