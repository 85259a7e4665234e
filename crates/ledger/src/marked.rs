//! Small documents whose damage shows: JSON with a mark of what it says.
//!
//! One flipped bit of a number is another number, and nothing else would tell. The mark is a hash without a key: it guards against
//! disks, not against people.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Characters of a mark.
const MARK_CHARACTERS: usize = 32;

/// Why bytes are not a marked document.
#[derive(Debug, thiserror::Error)]
pub enum MarkedError {
    /// They are not JSON of that shape.
    #[error("it is not of the right shape: {0}")]
    Shape(#[from] serde_json::Error),
    /// They are, and say something else than was written.
    #[error("what it says is not what was written")]
    Mark,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Marked<T> {
    content: T,
    mark: String,
}

/// `content` as a document with its mark.
///
/// # Errors
/// Where it cannot be written as JSON.
pub fn write<T: Serialize>(content: &T) -> Result<Vec<u8>, MarkedError> {
    let mut document = serde_json::to_vec_pretty(&Marked { content, mark: mark(content)? })?;
    document.push(b'\n');
    Ok(document)
}

/// What a document says.
///
/// # Errors
/// [`MarkedError`] where it is not the document that was written.
pub fn read<T: Serialize + DeserializeOwned>(document: &[u8]) -> Result<T, MarkedError> {
    let read: Marked<T> = serde_json::from_slice(document)?;
    match read.mark == mark(&read.content)? {
        true => Ok(read.content),
        false => Err(MarkedError::Mark),
    }
}

fn mark<T: Serialize>(content: &T) -> Result<String, MarkedError> {
    let hash = blake3::hash(&serde_json::to_vec(content)?).to_hex();
    Ok(hash.chars().take(MARK_CHARACTERS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(PartialEq, Debug, Serialize, Deserialize)]
    struct Account {
        #[serde(default)]
        life: u64,
        after: Option<(u64, u32)>,
        name: String,
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_found_or_changes_nothing() {
        let account = Account { life: 2, after: Some((120, 4)), name: "Ana".to_owned() };
        let document = write(&account).expect("written");
        assert_eq!(read::<Account>(&document).expect("read"), account);
        for place in 0..document.len() {
            for bit in 0..8 {
                let mut damaged = document.clone();
                damaged[place] ^= 1 << bit;
                if let Ok(read) = read::<Account>(&damaged) {
                    assert_eq!(read, account, "bit {bit} of byte {place}");
                }
            }
            let cut = read::<Account>(&document[..place]);
            assert!(cut.is_err() || place == document.len() - 1, "cut at {place}");
        }
    }
}
