//! What decides whether words may enter: the gate, the quote matcher, the finder of other people's words, the finder of secrets.

use std::sync::LazyLock;

use ledger::admission::Policies;
use ledger::claim::{Op, Realm};
use ledger::evidence::Author;
use ledger::gate::{Admitted, Testimony, judge};
use ledger::proposal::Proposal;
use ledger::quote::{Span, find, find_all, find_near, fold};
use ledger::regions::{RegionKind, foreign_regions, recalled, third_party};
use ledger::secret::secret_like;
use ledger::time::Moment;
use ledger::value::{RawValue, Value, ValueType};
use ledger::written::{dates_in, numbers_in, times_in, ungrounded};
use serde_json::{Value as Json, json};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::{choices, text, texts};
use crate::at;

static POLICIES: LazyLock<Policies> = LazyLock::new(Policies::shipped);

/// Nothing enters that does not stand in the words.
///
/// Two choices: author, operation and flags; the predicate. Texts: the message, the quote, the value, the entity, when it
/// begins and ends, a second quote.
pub(super) fn gate(bytes: &[u8]) {
    let ([flags, predicate], rest) = choices(bytes);
    let mut texts = texts(rest);
    let message = texts.next().unwrap_or_default();
    let mut fields = json!({"confidence": 1.0, "op": if flags & 4 == 0 { "assert" } else { "retract" }, "inferred": flags & 8 != 0});
    let registry = &POLICIES.registry;
    let named = registry.iter().nth(predicate as usize % registry.len()).map(|found| found.name.clone());
    fields["predicate"] = json!(named);
    let mut put =
        |name: &str| texts.next().filter(|given| !given.is_empty()).map(|given| fields[name] = json!(given));
    for name in ["quote", "value", "entity", "valid_from", "valid_to"] {
        put(name);
    }
    if let Some(second) = texts.next() {
        let first = fields["quote"].take();
        fields["quotes"] = json!(
            [first, json!(second)].into_iter().filter(|quote| *quote != Json::Null).collect::<Vec<_>>()
        );
    }
    if fields["entity"].is_null() {
        fields["entity"] = json!("self");
    }
    let Ok(proposal) = Proposal::read(&fields) else { return };
    let author = [Author::Owner, Author::External, Author::Service, Author::Assistant][(flags & 3) as usize];
    let foreign = foreign_regions(&message);
    let event_time = Moment::utc(at("2026-03-01"));
    let testimony = Testimony {
        author,
        text: &message,
        event_time: &event_time,
        foreign: &foreign,
        kept_on_purpose: flags & 16 != 0,
    };
    let verdict = judge(&testimony, 0, &proposal, &POLICIES);
    assert_eq!(verdict, judge(&testimony, 0, &proposal, &POLICIES), "the gate changed its mind");
    if let Ok(admitted) = verdict {
        assert_stands(&testimony, &proposal, &admitted);
    }
    let over = judge(&testimony, POLICIES.admission.max_proposals, &proposal, &POLICIES);
    assert!(over.is_err(), "one too many was admitted");
}

/// What was admitted is checked again, by other means than the gate's.
fn assert_stands(testimony: &Testimony<'_>, proposal: &Proposal, admitted: &Admitted) {
    assert_ne!(testimony.author, Author::Assistant, "a model's words became testimony");
    assert_eq!(admitted.realm == Realm::Owner, testimony.author == Author::Owner);
    assert!(testimony.author == Author::Owner || !admitted.entity.is_owner(), "somebody spoke for the owner");
    let cited = proposal.cited();
    assert_eq!(admitted.quotes.iter().count(), cited.len());
    let words = fold(testimony.text);
    for (quote, cited) in admitted.quotes.iter().zip(cited) {
        let span = Span::new(quote.span().start as usize, quote.span().end as usize);
        assert_eq!(span.slice(testimony.text), Some(quote.text()), "the quote is not what stands there");
        assert!(!quote.text().trim().is_empty());
        assert!(words.contains(&fold(cited)), "the quote stands nowhere");
        assert_eq!(fold(quote.text()), fold(cited), "another quote was cut");
        assert!(testimony.author != Author::Owner || !third_party(testimony.foreign, span));
        assert!(!recalled(testimony.foreign, span), "an echo became evidence");
        assert!(secret_like(quote.text()).is_none(), "a secret entered with the quote");
    }
    assert!(
        admitted.valid_to.is_none_or(|to| to > admitted.valid_from.unwrap_or(testimony.event_time.instant))
    );
    match &admitted.value {
        None => assert_eq!(admitted.op, Op::Retract, "something without a value was asserted"),
        Some(stated) => {
            assert!(secret_like(&stated.written).is_none(), "a secret entered with the value");
            if let Value::Text(value) = &stated.value {
                let quoted: Vec<&str> = admitted.quotes.iter().map(ledger::claim::Quote::text).collect();
                assert_shares_words(value, &quoted.join(" "));
            }
        }
    }
}

/// A value of plain words has at least one that begins as some word of the quote does. Numbers, dates, times and languages may be
/// written another way altogether; what is one of those is left to the checks of its own kind.
fn assert_shares_words(value: &str, quote: &str) {
    let has_another_form = |text: &str| {
        !numbers_in(text).is_empty() || !dates_in(text, None).is_empty() || !times_in(text).is_empty()
    };
    if has_another_form(value) || has_another_form(quote) || names_language(value) {
        return;
    }
    let firsts = |text: &str| -> Vec<char> {
        let plain: String =
            text.nfkd().filter(|one| !is_combining_mark(*one)).flat_map(char::to_lowercase).collect();
        let words = plain.split(|one: char| !one.is_alphanumeric()).filter_map(|word| word.chars().next());
        words.map(|first| if first == 'đ' { 'd' } else { first }).collect()
    };
    let (wanted, there) = (firsts(value), firsts(quote));
    assert!(wanted.iter().any(|first| there.contains(first)), "{value:?} is grounded in {quote:?}");
}

/// Whether the quote need not have the value's own words: "answer in Croatian" says `hr`.
fn names_language(value: &str) -> bool {
    const LANGUAGES: &str = "Arabic Bulgarian Bengali Bosnian Catalan Czech Welsh Danish German Greek English Spanish Estonian \
        Basque Persian Finnish French Irish Hebrew Hindi Croatian Hungarian Indonesian Icelandic Italian Japanese Kannada Korean \
        Latin Lithuanian Latvian Macedonian Malayalam Marathi Dutch Norwegian Polish Portuguese Romanian Russian Slovak Slovene \
        Albanian Serbian Swedish Swahili Tamil Telugu Thai Turkish Ukrainian Urdu Vietnamese Chinese";
    Value::read(ValueType::Text, &RawValue::from(value))
        .is_ok_and(|stated| ungrounded(&stated, &[LANGUAGES], None).is_none())
}

/// A quote is found where it stands, and only there. Choices: a hint. Texts: the text, the quote.
pub(super) fn quote(bytes: &[u8]) {
    let ([start, length], rest) = choices(bytes);
    let mut texts = texts(rest);
    let text = texts.next().unwrap_or_default();
    let quote = texts.next().unwrap_or_default();
    let folded = fold(&quote);
    assert_eq!(fold(&folded), folded, "folding twice is folding once");
    let all = find_all(&text, &quote);
    assert_eq!(find(&text, &quote), all.first().copied());
    assert!(all.is_sorted_by(|left, right| left.end <= right.start), "ascending and disjoint");
    let assert_stands = |span: &Span| {
        let found = span.slice(&text).expect("a span on character boundaries");
        assert_eq!(fold(found), folded);
        assert_eq!(found.trim(), found, "a quote begins and ends with a word");
        assert!(!text[span.end..].starts_with(is_combining_mark), "a letter is cut from its marks");
    };
    all.iter().for_each(assert_stands);
    let hint = Span::new(start as usize, start as usize + length as usize);
    let near = find_near(&text, &quote, Some(hint));
    assert_eq!(near.is_some(), !all.is_empty(), "a hint finds what stands, and nothing else");
    near.iter().for_each(assert_stands);
    if text.is_ascii() && quote.is_ascii() {
        assert_eq!(!all.is_empty(), !folded.is_empty() && fold(&text).contains(&folded));
    }
}

/// Foreign words are found in order, side by side, on character boundaries.
pub(super) fn regions(bytes: &[u8]) {
    let text = text(bytes);
    let regions = foreign_regions(&text);
    assert!(regions.is_sorted_by(|left, right| left.span.end <= right.span.start), "ascending and disjoint");
    for region in &regions {
        let words = region.span.slice(&text).expect("a span on character boundaries");
        assert!(!words.is_empty(), "an empty region");
        assert_eq!(recalled(&regions, region.span), region.kind == RegionKind::RecalledMemory);
        assert_eq!(third_party(&regions, region.span), region.kind != RegionKind::RecalledMemory);
    }
    // Whatever stands before, what a packet says and what somebody quotes stays foreign.
    let echo =
        format!("{}\nM1 self likes tea\n{}", ledger::packet::PACKET_BEGINS, ledger::packet::PACKET_ENDS);
    let echoed = format!("{text}\n\n{echo}\n");
    let there = Span::new(echoed.len() - echo.len() - 1, echoed.len() - 1);
    let found = foreign_regions(&echoed);
    assert!(
        recalled(&found, there) || third_party(&found, there),
        "an echo of memory is taken for somebody's words"
    );
}

/// A secret is told with its place, and nothing that stands before it hides it.
pub(super) fn secret(bytes: &[u8]) {
    let text = text(bytes);
    if let Some(found) = secret_like(&text) {
        let words = found.span.slice(&text).expect("a span on character boundaries");
        assert!(!words.is_empty(), "an empty secret");
    }
    let with_key = format!(
        "{text}\n\n-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx5Tq8s1nWm4oHJq\n-----END RSA PRIVATE KEY-----"
    );
    assert!(secret_like(&with_key).is_some(), "a private key is hidden by what stands before it");
}
