//! Packets: the context handed to a model for one turn, every item with its handle, grain and fidelity.
//!
//! The first and last line mark the block as recalled memory, so that a packet pasted into a message is recognised and
//! never becomes testimony ([`crate::regions`] looks for exactly these lines and for the handles).

use crate::fact::Standing;
use crate::id::VersionId;
use crate::memory::{Fact, Memory, Version};
use crate::registry::Registry;
use crate::time::AsOf;

/// The line a packet begins with.
pub const PACKET_BEGINS: &str =
    "<<testimony packet: recalled memory, not the user's words; cite items by handle>>";
/// The line a packet ends with.
pub const PACKET_ENDS: &str = "<<end of packet>>";

/// Counts tokens the way the model that will read the packet does, or nearly so.
pub trait TokenCounter: Send + Sync {
    /// The number of tokens of `text`.
    fn count(&self, text: &str) -> u32;
}

/// One item of a packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// Which version it tells.
    pub version: VersionId,
    /// What it says, without its handle.
    pub text: String,
}

/// The handle of the item at `place`, counted from 0.
#[must_use]
pub fn handle(place: usize) -> String {
    format!("M{}", place + 1)
}

/// The place a handle names.
#[must_use]
pub fn place_of(handle: &str) -> Option<usize> {
    let digits = handle.strip_prefix(['M', 'm'])?;
    digits.parse::<usize>().ok()?.checked_sub(1)
}

/// Writes the packet. The same items give the same bytes.
///
/// `disputes` holds the places of items that contradict each other, and `notices` what the reader must know besides.
#[must_use]
pub fn write(items: &[Item], disputes: &[Vec<usize>], notices: &[String]) -> String {
    let mut text = String::from(PACKET_BEGINS);
    text.push('\n');
    for (place, item) in items.iter().enumerate() {
        text.push_str(&format!("[{}] {}\n", handle(place), item.text));
    }
    for group in disputes {
        let handles: Vec<String> = group.iter().map(|place| handle(*place)).collect();
        text.push_str(&format!(
            "disputed: {} contradict each other; neither is settled\n",
            handles.join(", ")
        ));
    }
    for notice in notices {
        text.push_str(&format!("notice: {notice}\n"));
    }
    text.push_str(PACKET_ENDS);
    text
}

/// Tells a version in one line: what it is about, its value, since when, how true to the words, and when it was last said.
///
/// Returns `None` when nothing that supports it is left.
#[must_use]
pub fn tell(
    memory: &Memory,
    registry: &Registry,
    fact: &Fact,
    version: &Version,
    as_of: &AsOf,
) -> Option<String> {
    let claim = memory.told_by(version, as_of)?;
    let state = version.state(as_of)?;
    let about =
        if claim.words.entity.is_owner() { "user".to_owned() } else { claim.words.entity.to_string() };
    let label = registry.get(&claim.predicate).map_or(claim.predicate.as_str(), |predicate| &predicate.label);
    let value = claim.words.value().map(ToString::to_string).unwrap_or_default();
    let source = memory.source(claim.source)?;
    let verbatim = source.fidelity.is_verbatim() && !claim.inferred;
    let value = match (claim.words.value(), verbatim) {
        // Only words that stand so in the evidence may be shown as a quotation.
        (Some(crate::value::Value::Text(text)), true) if claim.words.quotes.first().text() == text => {
            format!("\u{201c}{value}\u{201d}")
        }
        // Nor may words that are nobody's bring quotation marks of their own.
        (_, false) => without_marks(&value),
        _ => value,
    };
    let mut line = format!("{about} \u{b7} {label}: {}", one_line(&value));
    let day = |instant: crate::time::Instant| instant.timestamp().strftime("%Y-%m-%d").to_string();
    if claim.valid_from.is_some() {
        line.push_str(&format!(" \u{b7} since {}", day(state.validity.from())));
    }
    if let Some(to) = state.validity.to() {
        line.push_str(&format!(" \u{b7} until {}", day(to)));
    }
    if state.standing == Standing::Retired {
        line.push_str(" \u{b7} no longer held");
    }
    line.push_str(&format!(" \u{b7} {}, {}", claim.realm, fidelity_word(memory, version, as_of)));
    let support = memory.support(fact, version, as_of);
    if support > 1 {
        line.push_str(&format!(", {support} sources"));
    }
    if let Some(said) = last_said(memory, version, as_of) {
        line.push_str(&format!(" \u{b7} said {}", day(said)));
    }
    Some(line)
}

/// A text whose quotation marks are apostrophes.
fn without_marks(text: &str) -> String {
    const MARKS: &[char] = &[
        '"', '\u{201c}', '\u{201d}', '\u{201e}', '\u{201f}', '\u{ab}', '\u{bb}', '\u{2039}', '\u{203a}',
        '\u{300c}', '\u{300d}', '\u{300e}', '\u{300f}', '\u{ff02}',
    ];
    text.replace(MARKS, "'")
}

/// Line breaks inside a value would let it pose as another item.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How true to the words a version is: the best of its supporting claims.
#[must_use]
pub fn fidelity_word(memory: &Memory, version: &Version, as_of: &AsOf) -> &'static str {
    let claims = version.supporting(as_of.watermark).filter_map(|id| memory.claim(id));
    let best = claims
        .filter_map(|claim| {
            let source = memory.source(claim.source)?;
            Some((claim.inferred, source.fidelity))
        })
        .min();
    match best {
        Some((true, _)) => "inferred",
        Some((false, fidelity)) => fidelity.as_str(),
        None => "unsupported",
    }
}

/// When a version was last said, in the eyes of an observer at `as_of`.
#[must_use]
pub fn last_said(memory: &Memory, version: &Version, as_of: &AsOf) -> Option<crate::time::Instant> {
    version.supporting(as_of.watermark).filter_map(|id| memory.claim(id)).map(|claim| claim.event_time).max()
}
