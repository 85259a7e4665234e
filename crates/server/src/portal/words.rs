//! Words: how what somebody said gets onto a page. It is never markup, never ends the place it stands in, and never reorders what
//! stands around it: characters that are not seen but do such things are shown by their number.

use std::ops::Range;

use maud::{Markup, html};

/// Words, kept apart from the text around them.
pub(super) fn said(text: &str) -> Markup {
    html! { bdi { (visible(text)) } }
}

/// A text with some stretches marked. Stretches are of bytes; one that does not stand on characters marks nothing.
pub(super) fn marked(text: &str, stretches: &[Range<usize>]) -> Markup {
    let mut sound: Vec<Range<usize>> = stretches
        .iter()
        .filter(|one| one.start < one.end && text.get(one.start..one.end).is_some())
        .cloned()
        .collect();
    sound.sort_by_key(|one| (one.start, one.end));
    let mut at = 0;
    let mut pieces = Vec::new();
    for one in sound {
        let start = one.start.max(at);
        if start >= one.end {
            continue;
        }
        pieces.push((false, &text[at..start]));
        pieces.push((true, &text[start..one.end]));
        at = one.end;
    }
    pieces.push((false, &text[at..]));
    html! {
        bdi {
            @for (is_marked, piece) in pieces.into_iter().filter(|(_, piece)| !piece.is_empty()) {
                @if is_marked { mark { (visible(piece)) } } @else { (visible(piece)) }
            }
        }
    }
}

/// A text for a place that takes no markup: a title, a label.
pub(super) fn flat(text: &str) -> String {
    text.chars().map(|one| if is_unseen(one) { '\u{fffd}' } else { one }).collect()
}

/// A value as words.
pub(super) fn value(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => "\u{2014}".to_owned(),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn visible(text: &str) -> Markup {
    let mut pieces: Vec<Result<&str, char>> = Vec::new();
    let mut at = 0;
    for (place, one) in text.char_indices().filter(|(_, one)| is_unseen(*one)) {
        pieces.push(Ok(&text[at..place]));
        pieces.push(Err(one));
        at = place + one.len_utf8();
    }
    pieces.push(Ok(&text[at..]));
    html! {
        @for piece in pieces {
            @match piece {
                Ok(seen) => (seen),
                Err(unseen) => span.unseen { (format!("U+{:04X}", u32::from(unseen))) },
            }
        }
    }
}

/// Whether a character is not seen and yet changes what is: it turns the direction, joins or parts words, or controls a device.
fn is_unseen(one: char) -> bool {
    matches!(
        one,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    ) || (one.is_control() && !matches!(one, '\n' | '\t' | '\r'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TAGS: [&str; 6] = ["<bdi>", "</bdi>", "<mark>", "</mark>", "<span class=\"unseen\">", "</span>"];

    /// What a browser shows of our markup, tags taken out.
    fn shown(markup: &str) -> String {
        let bare = TAGS.iter().fold(markup.to_owned(), |text, tag| text.replace(tag, ""));
        assert!(!bare.contains(['<', '>', '"']), "{bare}");
        for (place, _) in bare.match_indices('&') {
            let known = ["&lt;", "&gt;", "&amp;", "&quot;"].iter().any(|one| bare[place..].starts_with(one));
            assert!(known, "{bare}");
        }
        bare.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
    }

    fn numbered(text: &str) -> String {
        text.chars()
            .map(|one| if is_unseen(one) { format!("U+{:04X}", u32::from(one)) } else { one.to_string() })
            .collect()
    }

    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<char>().prop_map(String::from),
            Just("<script>alert(1)</script>".to_owned()),
            Just("\"><img src=x onerror=alert(1)>".to_owned()),
            Just("</bdi></title></svg>'".to_owned()),
            Just("\u{202e}txt.exe\u{2066}\u{200f}".to_owned()),
            Just("&lt;b&gt; &#60;i>".to_owned()),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn words_are_shown_letter_by_letter_and_are_never_markup(text in hostile()) {
            let markup = said(&text).into_string();
            prop_assert!(markup.starts_with("<bdi>") && markup.ends_with("</bdi>"));
            prop_assert_eq!(shown(&markup), numbered(&text));
            prop_assert!(!markup.chars().any(is_unseen));
        }

        #[test]
        fn marks_add_nothing_and_take_nothing(
            text in hostile(),
            stretches in proptest::collection::vec((0_usize..60, 0_usize..60), 0..6),
        ) {
            let stretches: Vec<Range<usize>> = stretches.into_iter().map(|(start, end)| start..end).collect();
            let markup = marked(&text, &stretches).into_string();
            prop_assert_eq!(shown(&markup), numbered(&text));
            // Byte by byte, what is marked is what lies in a stretch that stands on characters.
            let sound: Vec<&Range<usize>> =
                stretches.iter().filter(|one| one.start < one.end && text.get((*one).clone()).is_some()).collect();
            let inside: String = text
                .char_indices()
                .filter(|(place, _)| sound.iter().any(|one| one.contains(place)))
                .map(|(_, one)| one)
                .collect();
            let marked: String =
                markup.split("<mark>").skip(1).filter_map(|rest| rest.split("</mark>").next()).collect();
            prop_assert_eq!(shown(&marked), numbered(&inside));
        }

        #[test]
        fn a_flat_text_has_as_many_characters_and_none_unseen(text in hostile()) {
            let flat = flat(&text);
            prop_assert_eq!(flat.chars().count(), text.chars().count());
            prop_assert!(!flat.chars().any(is_unseen));
        }
    }

    #[test]
    fn a_quote_is_marked_where_it_stands() {
        let text = "Bok! <b>Živim u Zagrebu</b>.";
        let start = text.find("Živim").expect("there");
        let stretch = start..start + "Živim u Zagrebu".len();
        let markup = marked(text, std::slice::from_ref(&stretch)).into_string();
        assert_eq!(markup, "<bdi>Bok! &lt;b&gt;<mark>Živim u Zagrebu</mark>&lt;/b&gt;.</bdi>");
        // In the middle of a letter there is nothing to mark.
        assert_eq!(marked("Ž", &[1..2, 0..9]).into_string(), "<bdi>Ž</bdi>");
    }
}
