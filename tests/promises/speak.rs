//! Short ways to say what the promises' tests say often.

use serde_json::{Value as Json, json};

/// A proposal of high confidence.
pub fn claim(entity: &str, predicate: &str, value: &str, quote: &str) -> Json {
    json!({"entity": entity, "predicate": predicate, "value": value, "quote": quote, "confidence": 0.95})
}

/// `proposal` with further fields.
pub fn with(mut proposal: Json, fields: Json) -> Json {
    if let (Some(to), Json::Object(from)) = (proposal.as_object_mut(), fields) {
        to.extend(from);
    }
    proposal
}

/// A small generator of numbers, so that junk is the same in every run.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(0x9e37_79b9_7f4a_7c15))
    }

    /// A number below `sides`.
    pub fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }

    /// One of these.
    pub fn pick<'all, T>(&mut self, all: &'all [T]) -> &'all T {
        &all[self.below(all.len())]
    }
}

/// An answer as JSON, with the fields that only tell where the log stands taken out, so that answers can be compared
/// over time.
pub fn told(answer: &impl serde::Serialize) -> Json {
    fn strip(json: &mut Json) {
        match json {
            Json::Object(fields) => {
                fields.remove("watermark");
                fields.remove("as_of");
                fields.values_mut().for_each(strip);
            }
            Json::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut json = serde_json::to_value(answer).expect("answers are JSON");
    strip(&mut json);
    json
}
