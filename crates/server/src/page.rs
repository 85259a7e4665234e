//! Pages: a long list handed out piece by piece, by a cursor that only its subject can use.
//!
//! A cursor names the last thing of the page before and the instant of the first page, so that every page is of one moment. It is
//! marked with the subject's own key: another subject's cursor is as good as none.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ledger::keys::Purpose;
use ledger::time::{Instant, Moment, Zone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::refusal::Refusal;
use crate::verb::Asked;

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

/// What a cursor says: of which verb, at which instant, behind which item.
#[derive(Serialize, Deserialize)]
struct Cursor(String, String, String);

impl Page {
    /// The instant of the first page; now, where this is it.
    ///
    /// # Errors
    /// [`Refusal`] for a cursor that is not one of this subject and verb.
    pub fn at(&self, asked: &Asked<'_>, verb: &str) -> Result<Instant, Refusal> {
        Ok(self.read(asked, verb)?.map_or(asked.now, |(at, _)| at))
    }

    /// The items of this page, and the cursor of the next where there is more.
    ///
    /// # Errors
    /// [`Refusal`] for a limit out of bounds, a cursor that is not one of this subject and verb, and 409 where the item it names is
    /// no longer there.
    pub fn of<T>(
        &self,
        asked: &Asked<'_>,
        verb: &str,
        items: Vec<T>,
        name: impl Fn(&T) -> String,
    ) -> Result<(Vec<T>, Option<String>), Refusal> {
        let limit = self.limit.unwrap_or(ITEMS_DEFAULT);
        if !(1..=ITEMS_MAX).contains(&limit) {
            return Err(Refusal::bad_request(format!("limit {limit} is not between 1 and {ITEMS_MAX}")));
        }
        let (at, begin) = match self.read(asked, verb)? {
            None => (asked.now, 0),
            Some((at, last)) => {
                let place = items.iter().position(|item| name(item) == last).ok_or_else(|| {
                    Refusal::new(409, "page_gone", "what the page before ended with is no longer there")
                        .hint("begin again without a cursor")
                })?;
                (at, place + 1)
            }
        };
        let more = items.len() > begin + limit;
        let page: Vec<T> = items.into_iter().skip(begin).take(limit).collect();
        let next = page.last().filter(|_| more).map(|last| write(asked, verb, at, name(last))).transpose()?;
        Ok((page, next))
    }

    fn read(&self, asked: &Asked<'_>, verb: &str) -> Result<Option<(Instant, String)>, Refusal> {
        let Some(written) = &self.cursor else { return Ok(None) };
        let bad = || {
            Refusal::bad_input("`cursor`: not one that this list gave out")
                .hint("begin again without a cursor")
        };
        if written.len() > CURSOR_BYTES_MAX {
            return Err(bad());
        }
        let bytes = URL_SAFE_NO_PAD.decode(written).map_err(|_| bad())?;
        let (mark, told) = bytes.split_at_checked(MARK_BYTES).ok_or_else(bad)?;
        if self::mark(asked, told)?.as_deref() != Some(mark) {
            return Err(bad());
        }
        let Cursor(of, at, last) = serde_json::from_slice(told).map_err(|_| bad())?;
        let at = Moment::parse_in(&at, &Zone::utc()).map_err(|_| bad())?.instant;
        if of == verb { Ok(Some((at, last))) } else { Err(bad()) }
    }
}

const MARK_BYTES: usize = 16;

fn write(asked: &Asked<'_>, verb: &str, at: Instant, last: String) -> Result<String, Refusal> {
    let told = serde_json::to_vec(&Cursor(verb.to_owned(), at.to_string(), last)).unwrap_or_default();
    let mut bytes = mark(asked, &told)?.unwrap_or_else(|| vec![0; MARK_BYTES]);
    bytes.extend(told);
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// The subject's mark on these bytes; nothing, where nothing was ever remembered.
fn mark(asked: &Asked<'_>, told: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
    let keys = asked.engine.store().keys(asked.scope).map_err(engine::EngineError::from)?;
    Ok(keys.map(|keys| keys.fingerprint(Purpose::Cursor, &[told]).0.to_vec()))
}
