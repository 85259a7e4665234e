//! Pages: a long list handed out piece by piece, by a cursor that only its subject can use.
//!
//! A cursor names the last thing of the page before and the moment of the first page, so that every page is of one moment. It is
//! marked with the subject's own key: another subject's cursor is as good as none.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ledger::keys::Purpose;
use ledger::time::{Instant, Moment, Zone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::refusal::Refusal;
use crate::verb::Asked;
use crate::verbs::instant;

/// Items of a page, unless the request says otherwise.
pub(crate) const ITEMS_DEFAULT: usize = 100;

/// Items of a page, at most.
const ITEMS_MAX: usize = 1_000;

/// The longest cursor that is read, in bytes.
const CURSOR_BYTES_MAX: usize = 2_000;

/// Which piece of a list is asked for.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// Items, at most; 100 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// Where the page before ended, as it said; from the beginning, when left out.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// A moment on both clocks, and which piece of the list.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageAsOf {
    /// What held in the world at this instant, RFC 3339; now, when left out.
    #[serde(default)]
    pub valid_at: Option<String>,
    /// What this system held at this instant; the latest, when left out.
    #[serde(default)]
    pub believed_at: Option<String>,
    /// Items, at most; 100 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// Where the page before ended, as it said; from the beginning, when left out.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// When the first page of a list was read, and where the page before this one ended.
pub struct Begun {
    /// What the clock said.
    now: Instant,
    /// When the last append was recorded, or what the clock said, if that is later: a clock that was set back hides nothing.
    held: Instant,
    last: Option<String>,
}

/// What a cursor says: of which verb, both instants of the first page, behind which item.
#[derive(Serialize, Deserialize)]
struct Cursor(String, String, String, String);

impl PageAsOf {
    /// Which piece it is, when its list was begun, and the moment on both clocks that all its pages look at.
    ///
    /// # Errors
    /// [`Refusal`] for an instant that cannot be read, and a cursor that is not one of this subject and verb.
    pub fn read(self, asked: &Asked<'_>, verb: &str) -> Result<(Page, Begun, Instant, Instant), Refusal> {
        let page = Page { limit: self.limit, cursor: self.cursor };
        let begun = page.begun(asked, verb)?;
        let valid_at = instant("valid_at", self.valid_at.as_deref())?.unwrap_or(begun.now);
        let believed_at = instant("believed_at", self.believed_at.as_deref())?.unwrap_or(begun.held);
        Ok((page, begun, valid_at, believed_at))
    }
}

impl Page {
    /// When the list was begun: now, where this is its first page.
    ///
    /// # Errors
    /// [`Refusal`] for a cursor that is not one of this subject and verb.
    pub fn begun(&self, asked: &Asked<'_>, verb: &str) -> Result<Begun, Refusal> {
        if let Some(written) = &self.cursor {
            return read(asked, verb, written);
        }
        let head = asked.engine.store().head(asked.scope).map_err(engine::EngineError::from)?;
        Ok(Begun { now: asked.now, held: asked.now.max(head.recorded_at), last: None })
    }

    /// The items of this page, and the cursor of the next where there is more.
    ///
    /// # Errors
    /// [`Refusal`] for a limit out of bounds, and 409 where the item that the page before ended with is no longer there.
    pub fn of<T>(
        &self,
        asked: &Asked<'_>,
        verb: &str,
        begun: &Begun,
        items: Vec<T>,
        name: impl Fn(&T) -> String,
    ) -> Result<(Vec<T>, Option<String>), Refusal> {
        let limit = self.limit.unwrap_or(ITEMS_DEFAULT);
        if !(1..=ITEMS_MAX).contains(&limit) {
            return Err(Refusal::bad_request(format!("limit {limit} is not between 1 and {ITEMS_MAX}")));
        }
        let begin = match &begun.last {
            None => 0,
            Some(last) => {
                let place = items.iter().position(|item| name(item) == *last).ok_or_else(|| {
                    Refusal::new(409, "page_gone", "what the page before ended with is no longer there")
                        .hint("begin again without a cursor")
                })?;
                place + 1
            }
        };
        let more = items.len() > begin + limit;
        let page: Vec<T> = items.into_iter().skip(begin).take(limit).collect();
        let next =
            page.last().filter(|_| more).map(|last| write(asked, verb, begun, name(last))).transpose()?;
        Ok((page, next))
    }
}

fn read(asked: &Asked<'_>, verb: &str, written: &str) -> Result<Begun, Refusal> {
    let bad = || {
        Refusal::bad_input("`cursor`: not one that this list gave out").hint("begin again without a cursor")
    };
    if written.len() > CURSOR_BYTES_MAX {
        return Err(bad());
    }
    let bytes = URL_SAFE_NO_PAD.decode(written).map_err(|_| bad())?;
    let (mark, told) = bytes.split_at_checked(MARK_BYTES).ok_or_else(bad)?;
    if self::mark(asked, told)?.as_deref() != Some(mark) {
        return Err(bad());
    }
    let Cursor(of, now, held, last) = serde_json::from_slice(told).map_err(|_| bad())?;
    let read = |written: &str| Moment::parse_in(written, &Zone::utc()).map(|moment| moment.instant);
    let (now, held) = (read(&now).map_err(|_| bad())?, read(&held).map_err(|_| bad())?);
    if of == verb { Ok(Begun { now, held, last: Some(last) }) } else { Err(bad()) }
}

const MARK_BYTES: usize = 16;

fn write(asked: &Asked<'_>, verb: &str, begun: &Begun, last: String) -> Result<String, Refusal> {
    let cursor = Cursor(verb.to_owned(), begun.now.to_string(), begun.held.to_string(), last);
    let told = serde_json::to_vec(&cursor).unwrap_or_default();
    let mut bytes = mark(asked, &told)?.unwrap_or_else(|| vec![0; MARK_BYTES]);
    bytes.extend(told);
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// The subject's mark on these bytes; nothing, where nothing was ever remembered.
fn mark(asked: &Asked<'_>, told: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
    let keys = asked.engine.store().keys(asked.scope).map_err(engine::EngineError::from)?;
    Ok(keys.map(|keys| keys.fingerprint(Purpose::Cursor, &[told]).0.to_vec()))
}
