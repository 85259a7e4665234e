//! Dividing long texts: windows of a bounded number of pieces that begin and end where a line or a sentence does.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

/// The stretches of `text` that `count` finds at most `limit` pieces in, each sharing up to `overlap` with the one before.
/// A text that fits is one stretch; one of white space only is none.
pub(super) fn windows(text: &str, limit: usize, overlap: usize, count: impl Fn(&str) -> usize) -> Vec<&str> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    if count(text) <= limit {
        return vec![text.trim()];
    }
    let mut parts: Vec<(Range<usize>, usize)> = Vec::new();
    for (begin, sentence) in sentences(text) {
        let size = count(sentence);
        if size <= limit {
            parts.push((begin..begin + sentence.len(), size));
        } else {
            divide(sentence, begin, limit, &count, &mut parts);
        }
    }
    let mut found = Vec::new();
    let mut first = 0;
    while first < parts.len() {
        let (mut last, mut size) = (first, parts[first].1);
        while let Some((_, more)) = parts.get(last + 1).filter(|(_, more)| size + more <= limit) {
            size += more;
            last += 1;
        }
        found.push(text[parts[first].0.start..parts[last].0.end].trim());
        if last + 1 == parts.len() {
            break;
        }
        // The next window begins with the last sentences of this one, as far as they and the next one fit.
        let next = parts[last + 1].1;
        let mut shared = 0;
        let mut begin = last + 1;
        while begin > first + 1 {
            let more = parts[begin - 1].1;
            if shared + more > overlap || shared + more + next > limit {
                break;
            }
            shared += more;
            begin -= 1;
        }
        first = begin;
    }
    found.retain(|window| !window.is_empty());
    found
}

/// Lines, and the sentences of each, with where they begin.
fn sentences(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut begin = 0;
    text.split_inclusive('\n').flat_map(move |line| {
        let line_begin = begin;
        begin += line.len();
        line.split_sentence_bound_indices().map(move |(place, sentence)| (line_begin + place, sentence))
    })
}

/// Divides what has no sentence short enough: between words, and where a word is too long itself, between characters.
fn divide(
    text: &str,
    begin: usize,
    limit: usize,
    count: &impl Fn(&str) -> usize,
    parts: &mut Vec<(Range<usize>, usize)>,
) {
    let mut push = |range: Range<usize>, size: usize| match parts.last_mut() {
        Some((before, so_far))
            if before.start >= begin && before.end == range.start && *so_far + size <= limit =>
        {
            before.end = range.end;
            *so_far += size;
        }
        _ => parts.push((range, size)),
    };
    let mut at = begin;
    for word in text.split_inclusive(char::is_whitespace) {
        let size = count(word);
        if size <= limit {
            push(at..at + word.len(), size);
            at += word.len();
            continue;
        }
        // A character is a few pieces at most.
        for character in word.chars() {
            let length = character.len_utf8();
            push(at..at + length, count(character.encode_utf8(&mut [0; 4])).min(limit));
            at += length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> usize {
        text.split_whitespace().map(|word| word.len().div_ceil(8)).sum()
    }

    #[test]
    fn what_fits_is_one_window() {
        assert_eq!(windows("  a b c ", 3, 1, words), ["a b c"]);
        assert_eq!(windows(" \n ", 3, 1, words), [""; 0]);
    }

    #[test]
    fn windows_end_where_sentences_do_and_share_some() {
        let text = "One two three. Four five. Six seven.\nEight nine ten. Eleven.";
        assert_eq!(
            windows(text, 5, 2, words),
            ["One two three. Four five.", "Four five. Six seven.", "Six seven.\nEight nine ten.", "Eleven."]
        );
    }

    #[test]
    fn long_sentences_and_words_are_divided() {
        assert_eq!(windows("a b c d e f g", 3, 1, words), ["a b c", "d e f", "g"]);
        let long = "x".repeat(100);
        let found = windows(&long, 4, 1, words);
        assert!(found.iter().all(|window| words(window) <= 4), "{found:?}");
        assert_eq!(found.concat(), long);
    }
}
