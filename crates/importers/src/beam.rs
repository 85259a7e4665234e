//! The BEAM benchmark's `chat.json`: batches of turns, each turn a list of messages.
//!
//! The role `user` is the owner. A batch is a session. Time is known to the day only, from the batch's `time_anchor`;
//! each of its messages is placed at the start of that day in the given zone, and order within the day is the order of
//! the file. The text is kept as it stands, with the marks of the generator.

use jiff::{ZonedDateTime, civil, tz::TimeZone};
use serde_json::Value;

use crate::{
    Author, Fidelity, Reason,
    collect::{Collector, Id, Words},
    decode::File,
    json::{self, Piece},
};

pub(crate) fn recognises(value: &Value) -> bool {
    value.get("batch_number").is_some() && value.get("turns").is_some_and(Value::is_array)
}

pub(crate) fn read(files: &[File<'_>], out: &mut Collector<'_>) {
    for file in files {
        // Every chat of the benchmark has the same file name; the folder tells them apart.
        let reference = file.folder().unwrap_or_else(|| file.stem()).to_owned();
        let source = out.conversation("beam", reference.clone(), None, Fidelity::TranscriptSnapshot);
        for Piece { place, value } in json::pieces(file, out) {
            if !recognises(&value) {
                out.refuse(file, &place, Reason::NotThisFormat, "no `batch_number` and `turns`");
                continue;
            }
            let session = json::id(&value, "batch_number").map(|batch| format!("{reference}/{batch}"));
            let mut day = anchor(&value, out.zone());
            for (turn_index, turn) in json::list(&value, "turns").iter().enumerate() {
                for (index, message) in
                    turn.as_array().map(Vec::as_slice).unwrap_or_default().iter().enumerate()
                {
                    let place = format!("{place}.turns[{turn_index}][{index}]");
                    day = anchor(message, out.zone()).or(day);
                    let author = match json::text(message, "role") {
                        Some("user") => Author::Owner,
                        Some("assistant") => Author::Assistant,
                        role => {
                            let detail = format!("role `{}` is not known", role.unwrap_or(""));
                            out.refuse(file, &place, Reason::WrongShape, &detail);
                            continue;
                        }
                    };
                    let text = json::text(message, "content").unwrap_or("").to_owned();
                    let id =
                        Id::given_or(json::id(message, "id"), &[session.as_deref().unwrap_or(""), &text]);
                    let mut words = Words::new(author, day.clone(), text, id);
                    words.session = session.clone();
                    out.store(file, source, &place, words);
                }
            }
        }
    }
}

/// `March-15-2024`, as the start of that day.
fn anchor(value: &Value, zone: &TimeZone) -> Option<ZonedDateTime> {
    civil::Date::strptime("%B-%d-%Y", json::text(value, "time_anchor")?)
        .ok()?
        .to_zoned_datetime(zone.clone())
        .ok()
}
