//! Does a sentence assert what is quoted from it?
//!
//! "Do I live in Rome?", "if I lived in Rome", "I wish I lived in Rome", "Bob says I live in Rome" and "I don't live in
//! Rome" all hold the words of a claim without making it. [`not_asserted`] looks at the whole sentence around a quote,
//! in English and Croatian, and says which of these it is and which word gave it away. It does not decide: whether
//! the kind matters depends on the predicate, and that is [`permits`].
//!
//! How it reads: the sentence is cut into clauses (at commas, colons, dashes, brackets, and before `but`, `because`,
//! `and I`, `ali`, `jer`, …). A question reaches from the clause that asks to the end of the sentence; a
//! condition reaches on from its `if`, and back over a clause with `would`; a report or a wish reaches on from its
//! verb; a negation stays in its clause. So "I'm vegetarian, what should I cook?" asserts its first half, and
//! "I live in Rome, not in Milan" asserts its first clause. A quote over several clauses asserts if one of them does
//! (for negation), and does not if one of them is asked, supposed or reported.
//!
//! Known not to be seen: irony, fiction announced in another paragraph, and questions without mark or question
//! word order. At most 4 KiB on each side of the quote and the first 8 KiB of the quote itself are read, so the work is
//! bounded whatever the text.

use crate::quote::Span;

mod clauses;
mod words;

use clauses::{Sentence, sentences_around};

/// Quotes are judged by no more than this; longer ones are out of the gate's bounds anyway.
const QUOTE_BYTES_MAX: usize = 8_192;

/// Why the words of a quote are not asserted by the sentence they stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NotAsserted {
    /// What the sentence does instead.
    pub kind: NotAssertedKind,
    /// The word or mark that shows it, in bytes of the text.
    pub clue_span: Span,
}

/// What a sentence does with words it does not assert. Where several fit, the first in this order is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NotAssertedKind {
    /// It asks: "do I live in Rome?", "živim li u Rimu".
    Question,
    /// It supposes: "imagine I live in Rome", "recimo da živim u Rimu".
    Hypothetical,
    /// It depends: "if I lived in Rome", "ako se preselim u Rim".
    Conditional,
    /// Somebody else says so: "Bob says I live in Rome", "Marko kaže da živim u Rimu".
    Reported,
    /// It wishes: "I wish I lived in Rome", "volio bih živjeti u Rimu".
    Wish,
    /// It leaves open: "maybe I'll move to Rome", "možda se preselim".
    Uncertain,
    /// It was so and is over: "I used to live in Rome", "više ne živim u Rimu".
    Former,
    /// It denies: "I don't live in Rome", "ne živim u Rimu".
    Negated,
}

/// What a predicate says, as far as denial and wishing go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Polarity {
    /// The value holds: `home_city`, `likes`, most others.
    Affirmative,
    /// The value is refused, avoided or forbidden, so "I don't eat pork" states it: `dislikes`, `never_do`,
    /// `allergic_to`, `dietary_restriction`, `no_meetings_before`, `no_meetings_after`, `budget_limit`.
    Negative,
    /// The value is wanted, so "I want to run a marathon" states it: `goal`, `prefers`, `communication_style`.
    Aspiration,
}

/// Whether a claim may stand although its words were found `kind`.
///
/// Questions, suppositions, conditions, reports and doubts never carry a claim. A denial carries one of a negative
/// predicate, a wish one of an aspiration or a rule against something, and a retraction (`retract`) stands on a denial or on what is over.
#[must_use]
pub const fn permits(kind: NotAssertedKind, polarity: Polarity, retract: bool) -> bool {
    match kind {
        NotAssertedKind::Negated => retract || matches!(polarity, Polarity::Negative),
        // "I no longer eat meat" is a denial as well as an end.
        NotAssertedKind::Former => retract || matches!(polarity, Polarity::Negative),
        // "I'd like no meetings before 9:30" is how people put a rule.
        NotAssertedKind::Wish => matches!(polarity, Polarity::Aspiration | Polarity::Negative) && !retract,
        NotAssertedKind::Question
        | NotAssertedKind::Hypothetical
        | NotAssertedKind::Conditional
        | NotAssertedKind::Reported
        | NotAssertedKind::Uncertain => false,
    }
}

/// What keeps the sentences around `quote_span` from asserting it, or `None` if they do.
///
/// A span that is empty, reversed, past the end or off the character boundaries holds no words, and answers `None`:
/// finding the quote is another check's task.
#[must_use]
pub fn not_asserted(text: &str, quote_span: Span) -> Option<NotAsserted> {
    quote_span.slice(text).filter(|words| !words.trim().is_empty())?;
    let mut quote_span = quote_span;
    if quote_span.len() > QUOTE_BYTES_MAX {
        quote_span.end = quote_span.start + QUOTE_BYTES_MAX;
        while !text.is_char_boundary(quote_span.end) {
            quote_span.end -= 1;
        }
    }
    let sentences = sentences_around(text, quote_span);
    let mut strongest: Option<NotAsserted> = None;
    let mut affirmed = false;
    for sentence in &sentences {
        match judge(sentence) {
            None => affirmed |= sentence.quoted_words() > 0 && !sentence.is_filler(),
            Some(found) if strongest.is_none_or(|known| found.kind < known.kind) => strongest = Some(found),
            Some(_) => {}
        }
    }
    // A quote that also covers a sentence which does assert is not all denial or all past.
    let outweighed = |found: &NotAsserted| {
        affirmed
            && matches!(
                found.kind,
                NotAssertedKind::Negated | NotAssertedKind::Former | NotAssertedKind::Wish
            )
    };
    strongest.filter(|found| !outweighed(found))
}

fn judge(sentence: &Sentence<'_>) -> Option<NotAsserted> {
    type Rule = fn(&Sentence<'_>) -> Option<Span>;
    const RULES: [(NotAssertedKind, Rule); 8] = [
        (NotAssertedKind::Question, words::question),
        (NotAssertedKind::Hypothetical, words::hypothetical),
        (NotAssertedKind::Conditional, words::conditional),
        (NotAssertedKind::Reported, words::reported),
        (NotAssertedKind::Wish, words::wish),
        (NotAssertedKind::Uncertain, words::uncertain),
        (NotAssertedKind::Former, words::former),
        (NotAssertedKind::Negated, words::negated),
    ];
    RULES
        .iter()
        .find_map(|(kind, rule)| rule(sentence).map(|clue_span| NotAsserted { kind: *kind, clue_span }))
}
