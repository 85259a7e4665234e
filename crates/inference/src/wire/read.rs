//! What the protocols share in reading replies.

use serde_json::Value as Json;

use crate::usage::Usage;

/// What a reply lacks to be one of its protocol. Names fields only.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Unreadable(pub &'static str);

pub(super) type Read<T> = Result<T, Unreadable>;

/// Vectors as they came, of any length.
pub(super) struct Vectors {
    pub vectors: Vec<Vec<f32>>,
    pub usage: Usage,
}

/// A count of tokens; 0 where the provider does not say.
pub(super) fn tokens(count: &Json) -> u64 {
    count.as_u64().unwrap_or(0)
}

/// The texts of parts, one after the other.
pub(super) fn chat_text<'parts>(parts: impl Iterator<Item = &'parts Json>) -> String {
    parts.filter_map(|part| part["text"].as_str()).collect()
}

/// Numbers of a vector.
pub(super) fn numbers(json: &Json) -> Read<Vec<f32>> {
    let items = json.as_array().ok_or(Unreadable("a vector is no list"))?;
    let number = |item: &Json| {
        item.as_f64()
            .map(|number| number as f32)
            .filter(|number| number.is_finite())
            .ok_or(Unreadable("a vector holds something that is no number"))
    };
    items.iter().map(number).collect()
}

/// The vector of length 1 in the same direction.
pub(super) fn to_unit(mut vector: Vec<f32>) -> Read<Vec<f32>> {
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    if !(length.is_normal()) {
        return Err(Unreadable("a vector has no direction"));
    }
    vector.iter_mut().for_each(|number| *number = (f64::from(*number) / length) as f32);
    Ok(vector)
}
