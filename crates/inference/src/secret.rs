//! A key to somebody's service: held in memory that is wiped, shown nowhere.

use std::fmt;

use zeroize::Zeroizing;

/// A key. It has no `Display`, its `Debug` shows nothing of it, and its memory is wiped when the last clone goes.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a key in. White space around it, such as the line break at the end of a file, is not part of it.
    #[must_use]
    pub fn new(key: impl Into<String>) -> Self {
        let whole = Zeroizing::new(key.into());
        match whole.trim() {
            trimmed if trimmed.len() == whole.len() => Self(whole),
            trimmed => Self(Zeroizing::new(trimmed.to_owned())),
        }
    }

    /// The key itself, for the one header that carries it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is no key in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether showing `text` would show the key, or a good part of it.
    #[must_use]
    pub fn is_shown_by(&self, text: &str) -> bool {
        let key = self.expose();
        if key.is_empty() || text.is_empty() {
            return false;
        }
        // Half a key is enough to recognise it by, and much less to guess the rest.
        let piece = key.chars().count().div_ceil(2).max(PIECE_CHARS_MIN);
        let letters: Vec<(usize, char)> = key.char_indices().collect();
        if letters.len() <= piece {
            return text.contains(key);
        }
        (0..=letters.len() - piece).any(|start| {
            let from = letters[start].0;
            let to = letters.get(start + piece).map_or(key.len(), |(at, _)| *at);
            text.contains(&key[from..to])
        })
    }
}

/// A shorter piece than this is as likely an ordinary word.
const PIECE_CHARS_MIN: usize = 6;

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

impl PartialEq for Secret {
    /// Compares without telling by its duration where the two differ.
    fn eq(&self, other: &Self) -> bool {
        let (own, theirs) = (self.expose().as_bytes(), other.expose().as_bytes());
        own.len() == theirs.len()
            && own.iter().zip(theirs).fold(0, |differ, (left, right)| differ | (left ^ right)) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_shows_nothing_and_knows_when_it_is_shown() {
        let secret = Secret::new("  sk-abcdefghij0123456789\n");
        assert_eq!(secret.expose(), "sk-abcdefghij0123456789");
        assert_eq!(format!("{secret:?} {:?}", Some(&secret)), "Secret(…) Some(Secret(…))");
        assert!(secret.is_shown_by("bad key sk-abcdefghij0123456789"));
        assert!(secret.is_shown_by("bad key …hij0123456789"));
        assert!(!secret.is_shown_by("bad key sk-abc"));
        assert!(!secret.is_shown_by("invalid_api_key"));
        assert!(Secret::new("čšž").is_shown_by("a čšž b"));
        assert!(!Secret::new("").is_shown_by("anything"));
        assert!(Secret::new("a") == Secret::new("a ") && Secret::new("a") != Secret::new("b"));
    }
}
