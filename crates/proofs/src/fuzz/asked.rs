//! What people and programs type: ids, instants, zones, names, and the files of a deployment's own policies.

use std::path::Path;

use inference::tiers::Models;
use ledger::admission::Policies;
use ledger::id::{IdKey, Kind, Position};
use ledger::scope::Subject;
use ledger::shadow::PolicyName;
use ledger::time::{Instant, Moment, Zone};

use super::{choices, text};

/// What is read is printed so that it reads the same, and nothing is two things.
pub(super) fn input(bytes: &[u8]) {
    let text = text(bytes);
    if let Ok(moment) = text.parse::<Moment>() {
        assert_prints(&moment);
        assert_eq!(text.parse::<Instant>().ok(), Some(moment.instant));
    }
    if let Ok(zone) = Zone::parse(&text) {
        assert_zone(&zone);
        if let Ok(moment) = Moment::parse_in("2026-06-12", &zone) {
            assert_prints(&moment);
        }
    }
    if let Ok(moment) = Moment::parse_in(&text, &Zone::utc()) {
        assert_prints(&moment);
    }
    if let Ok(subject) = Subject::parse(&text) {
        assert_eq!(Subject::parse(subject.as_str()).as_ref(), Ok(&subject), "one name, one subject");
    }
    let key = IdKey::new(*b"sixteen secrets!");
    if let Some((kind, position)) = key.open(&text) {
        assert_eq!(key.seal(kind, position), text, "an id is written one way");
    }
    let ([seq, ordinal, kind], _) = choices(bytes);
    let position = Position { seq: u64::from(seq), ordinal: u32::from(ordinal) };
    let kind = Kind::ALL[kind as usize % Kind::ALL.len()];
    let id = key.seal(kind, position);
    assert_eq!(key.open(&id), Some((kind, position)));
    // Whatever hangs on it, it is another id, which names nothing.
    if !text.is_empty() {
        assert_eq!(key.open(&format!("{id}{text}")), None);
        assert_eq!(key.open(&format!("{text}{id}")), None);
    }
    if let Ok(name) = text.parse::<PolicyName>() {
        assert_eq!(name.to_string().parse().ok(), Some(name));
    }
}

fn assert_prints(moment: &Moment) {
    let printed = moment.to_string();
    let read: Moment =
        printed.parse().unwrap_or_else(|error| panic!("`{printed}` is printed and not read: {error}"));
    assert_eq!(read.instant, moment.instant, "`{printed}` is another instant");
    assert_eq!(read.to_string(), printed);
    assert_eq!(read.zoned().offset(), moment.zoned().offset(), "`{printed}` is another place");
}

/// A zone that begins with a sign is an offset, and nothing else is.
fn assert_zone(zone: &Zone) {
    let Some(digits) = zone.as_str().strip_prefix(['+', '-']) else { return };
    let digits: Vec<char> = digits.chars().filter(|one| *one != ':').collect();
    assert!(digits.iter().all(char::is_ascii_digit), "`{}` is taken for an offset", zone.as_str());
}

/// A file of predicates, of an admission policy, or of models, is taken whole or refused with its name. One choice: which.
pub(super) fn policies(bytes: &[u8]) {
    let ([which], rest) = choices(bytes);
    let text = text(rest);
    let refusal = match which % 4 {
        0 => Policies::load(&[("predicates.toml", &text)]).err().map(|error| error.to_string()),
        1 => Policies::load(&[("admission/own.toml", &text)]).err().map(|error| error.to_string()),
        2 => Policies::load(&[("recall/own.toml", &text)]).err().map(|error| error.to_string()),
        _ => Models::parse(Path::new("models.toml"), &text).err().map(|error| error.to_string()),
    };
    if let Some(refusal) = refusal {
        assert!(refusal.contains(".toml"), "`{refusal}` does not say which file");
    }
}
