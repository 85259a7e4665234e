//! Forms: what a page sent, name by name.

use std::time::Duration;

use axum::body::Body;
use http_body_util::{BodyExt, Limited};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};

use crate::refusal::Refusal;

/// The longest form that is read, in bytes.
const FORM_BYTES_MAX: usize = 64 * 1024;

/// Everything but what an address may hold anywhere (RFC 3986, 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The fields of a form or of a query, in the order they were sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Form(Vec<(String, String)>);

impl Form {
    /// Reads what browsers send as `application/x-www-form-urlencoded`; a field that is no text is passed over.
    pub fn parse(written: &str) -> Self {
        let decoded = |part: &str| {
            let spaced = part.replace('+', " ");
            percent_encoding::percent_decode_str(&spaced).decode_utf8().ok().map(|text| text.into_owned())
        };
        let fields = written.split('&').filter(|pair| !pair.is_empty()).filter_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decoded(name)?, decoded(value)?))
        });
        Self(fields.collect())
    }

    /// Reads a body.
    ///
    /// # Errors
    /// [`Refusal`] for one that is too long, or does not arrive.
    pub async fn read(body: Body, within: Duration) -> Result<Self, Refusal> {
        match tokio::time::timeout(within, Limited::new(body, FORM_BYTES_MAX).collect()).await {
            Ok(Ok(collected)) => Ok(Self::parse(&String::from_utf8_lossy(&collected.to_bytes()))),
            Ok(Err(_)) => Err(Refusal::new(413, "body_too_long", "the form is too long, or broke off")),
            Err(_) => Err(Refusal::new(408, "too_slow", "the form did not arrive in time")),
        }
    }

    /// A field; an empty one is as good as none.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(there, _)| there == name).map(|(_, value)| value.trim());
        found.filter(|value| !value.is_empty())
    }

    /// A field, or nothing written.
    pub fn text(&self, name: &str) -> String {
        self.get(name).unwrap_or_default().to_owned()
    }

    /// Every field of this name.
    pub fn all<'form>(&'form self, name: &'form str) -> impl Iterator<Item = &'form str> {
        self.0.iter().filter(move |(there, _)| there == name).map(|(_, value)| value.as_str())
    }
}

/// A query of these fields, percent-encoded.
pub(super) fn query(fields: &[(&str, &str)]) -> String {
    let pairs = fields.iter().map(|(name, value)| format!("{name}={}", encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// A text as it may stand in a part of an address.
pub(super) fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, RESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_read_as_browsers_write_it() {
        let form = Form::parse("text=caf%C3%A9+au+lait%0D%0A%26&empty=&scope=a&scope=b&bad=%FF&&alone");
        assert_eq!(form.get("text"), Some("café au lait\r\n&"));
        assert_eq!((form.get("empty"), form.get("bad"), form.get("missing")), (None, None, None));
        assert_eq!(form.all("scope").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(form.text("missing"), "");
        let hostile = "a&b=c <d> \"e\" č\u{202e}";
        assert_eq!(Form::parse(&query(&[("q", hostile)])).get("q"), Some(hostile));
    }
}
