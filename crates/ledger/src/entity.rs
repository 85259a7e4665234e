//! What a claim is about: the owner, or anything that can be named by a slug.
//!
//! An entity reference is part of a fact's identity, so two spellings of one reference must be one
//! string: it is normalised (NFC, lower case) when it is parsed, and nothing downstream compares again.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The longest reference, in bytes of its normalised form, its type prefix included.
pub const ENTITY_BYTES_MAX: usize = 120;

/// How the owner is written.
const OWNER: &str = "self";

/// The owner (`self`) or a slug, optionally typed: `acme`, `project:alpha`, `person:karthik`.
///
/// Always normalised: NFC, lower case, letters and digits of any script and `-`, `_`, `.`, at most one
/// `type:` prefix of ASCII letters, 1 to [`ENTITY_BYTES_MAX`] bytes. Cloning is a reference count.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityRef(Arc<str>);

/// Why a string is not an entity reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MalformedEntity {
    /// Nothing was written, or nothing but punctuation.
    #[error("entity `{0}` has no name")]
    NoName(String),
    /// Longer than [`ENTITY_BYTES_MAX`].
    #[error("entity of {bytes} bytes is longer than {ENTITY_BYTES_MAX}")]
    TooLong {
        /// The length that was met, in bytes.
        bytes: usize,
    },
    /// The part before `:` is not ASCII letters, or there is more than one `:`.
    #[error("entity type in `{0}` is not one word of ASCII letters before a single `:`")]
    BadType(String),
    /// A character that no slug holds, white space among them.
    #[error("entity `{entity}` holds `{}`, which is no letter, digit, `-`, `_` or `.`", .character.escape_debug())]
    BadCharacter {
        /// The reference as it was written.
        entity: String,
        /// The first character refused.
        character: char,
    },
}

impl EntityRef {
    /// The subject itself.
    pub fn owner() -> EntityRef {
        EntityRef(Arc::from(OWNER))
    }

    /// Reads a reference, normalising case and composition and nothing else.
    ///
    /// # Errors
    /// [`MalformedEntity`] when the string is empty, too long, holds white space or another character
    /// outside the grammar, or has a type that is not one word of ASCII letters.
    pub fn parse(written: &str) -> Result<EntityRef, MalformedEntity> {
        let folded = fold(written)?;
        let (kind, name) = match folded.split_once(':') {
            Some((kind, name)) => (Some(kind), name),
            None => (None, folded.as_str()),
        };
        let bad_kind =
            kind.is_some_and(|kind| kind.is_empty() || !kind.bytes().all(|b| b.is_ascii_alphabetic()));
        if bad_kind || name.contains(':') {
            return Err(MalformedEntity::BadType(written.to_owned()));
        }
        if let Some(character) = name.chars().find(|&c| !is_slug(c)) {
            return Err(MalformedEntity::BadCharacter { entity: written.to_owned(), character });
        }
        if !name.chars().any(char::is_alphanumeric) {
            return Err(MalformedEntity::NoName(written.to_owned()));
        }
        Ok(EntityRef(Arc::from(folded)))
    }

    /// Makes a reference of a name as people write it: `Acme Corp` becomes `acme-corp`. A typed prefix is
    /// kept (`project: Alpha` becomes `project:alpha`), apostrophes vanish, every other character outside
    /// the grammar becomes one `-`.
    ///
    /// # Errors
    /// [`MalformedEntity`] when no letter or digit is left, or the result is too long.
    pub fn from_words(written: &str) -> Result<EntityRef, MalformedEntity> {
        let folded = fold(written.trim())?;
        let (kind, name) = match folded.split_once(':') {
            Some((kind, name)) if !kind.is_empty() && kind.bytes().all(|b| b.is_ascii_alphabetic()) => {
                (kind, name)
            }
            _ => ("", folded.as_str()),
        };
        let slug = joined(name);
        let slug = slug.trim_matches(['-', '_', '.']);
        if !slug.chars().any(char::is_alphanumeric) {
            return Err(MalformedEntity::NoName(written.to_owned()));
        }
        if kind.is_empty() { EntityRef::parse(slug) } else { EntityRef::parse(&format!("{kind}:{slug}")) }
    }

    /// Whether this is the subject itself.
    pub fn is_owner(&self) -> bool {
        &*self.0 == OWNER
    }

    /// The type before the colon, if one was given: `project` of `project:alpha`.
    pub fn kind(&self) -> Option<&str> {
        self.0.split_once(':').map(|(kind, _)| kind)
    }

    /// The slug without its type: `alpha` of `project:alpha`.
    pub fn name(&self) -> &str {
        self.0.split_once(':').map_or(&*self.0, |(_, name)| name)
    }

    /// The whole reference, as it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A text of any length as one slug, its separators kept: what [`EntityRef::from_words`] would make of it.
pub(crate) fn slug(text: &str) -> String {
    let folded: String = text.nfc().flat_map(char::to_lowercase).nfc().collect();
    joined(&folded)
}

fn joined(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for character in name.chars().filter(|c| !matches!(c, '\'' | '’' | 'ʼ')) {
        match is_slug(character) {
            true => slug.push(character),
            false if slug.ends_with('-') => {}
            false => slug.push('-'),
        }
    }
    slug
}

fn is_slug(character: char) -> bool {
    character.is_alphanumeric() || is_combining_mark(character) || matches!(character, '-' | '_' | '.')
}

/// Lower case and NFC. Composition can shorten a string, so the first bound is generous and the second exact.
fn fold(written: &str) -> Result<String, MalformedEntity> {
    if written.is_empty() {
        return Err(MalformedEntity::NoName(String::new()));
    }
    if written.len() > 4 * ENTITY_BYTES_MAX {
        return Err(MalformedEntity::TooLong { bytes: written.len() });
    }
    let folded: String = written.nfc().flat_map(char::to_lowercase).nfc().collect();
    if folded.len() > ENTITY_BYTES_MAX {
        return Err(MalformedEntity::TooLong { bytes: folded.len() });
    }
    Ok(folded)
}

impl fmt::Display for EntityRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for EntityRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EntityRef({})", self.0)
    }
}

impl FromStr for EntityRef {
    type Err = MalformedEntity;

    fn from_str(written: &str) -> Result<EntityRef, MalformedEntity> {
        EntityRef::parse(written)
    }
}

impl Serialize for EntityRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for EntityRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<EntityRef, D::Error> {
        let written = String::deserialize(deserializer)?;
        EntityRef::parse(&written).map_err(serde::de::Error::custom)
    }
}
