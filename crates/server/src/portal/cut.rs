//! Cuts: the part of a long text around the words that matter.

use std::ops::Range;

/// Bytes shown before and behind, about.
const AROUND: usize = 320;

/// A part of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cut<'text> {
    /// The part.
    pub text: &'text str,
    /// Whether there is more before it.
    pub begins_later: bool,
    /// Whether there is more behind it.
    pub ends_earlier: bool,
    /// The stretch that matters, within the part.
    pub stretch: Range<usize>,
}

/// The part around `stretch`, whole where the text is short; `None` where the stretch does not stand on characters of the text.
pub(super) fn around(text: &str, stretch: Range<usize>) -> Option<Cut<'_>> {
    text.get(stretch.clone())?;
    let from = floor(text, stretch.start.saturating_sub(AROUND));
    let to = floor(text, stretch.end.saturating_add(AROUND).min(text.len()));
    Some(Cut {
        text: &text[from..to],
        begins_later: from > 0,
        ends_earlier: to < text.len(),
        stretch: stretch.start - from..stretch.end - from,
    })
}

/// The beginning of a text, of about `bytes`; and whether there is more.
pub(super) fn beginning(text: &str, bytes: usize) -> (&str, bool) {
    let to = floor(text, bytes.min(text.len()));
    (&text[..to], to < text.len())
}

/// The last place at or before `at` where a character begins.
fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cut_holds_its_stretch(text in "[aŽ😀]{0,600}", ends in (0_usize..2_000, 0_usize..2_000)) {
            let stretch = ends.0..ends.1;
            match around(&text, stretch.clone()) {
                None => prop_assert!(text.get(stretch).is_none()),
                Some(cut) => {
                    prop_assert_eq!(&cut.text[cut.stretch.clone()], &text[stretch]);
                    prop_assert_eq!(cut.begins_later || cut.ends_earlier, cut.text.len() < text.len());
                }
            }
            let (start, more) = beginning(&text, ends.0);
            prop_assert!(text.starts_with(start) && start.len() <= ends.0 && more == (start.len() < text.len()));
        }
    }
}
