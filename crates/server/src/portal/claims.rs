//! Claims: the receipt of a memory, down to the words that say it, marked where they stand.

use engine::answer::{ClaimText, EvidenceText};
use maud::{Markup, html};

use super::cut;
use super::desk::Reader;
use super::labels;
use super::phrases::Phrase;
use super::when;
use super::words::{marked, said};

/// A claim with the message it quotes.
pub(super) fn claim(reader: &Reader, claim: &ClaimText, evidence: Option<&EvidenceText>) -> Markup {
    html! {
        article.receipt {
            (quote(claim, evidence, reader))
            @if let Some(evidence) = evidence { (from(reader, evidence)) }
            p.small { (nature(reader, claim)) }
        }
    }
}

/// How a claim came to be.
pub(super) fn nature(reader: &Reader, claim: &ClaimText) -> Markup {
    html! {
        @if claim.op == "retract" { strong { (reader.say(Phrase::TakesBack)) } " · " }
        @if claim.inferred { (reader.say(Phrase::Inferred)) " · " }
        (reader.say(Phrase::ProposedBy)) " " (said(&claim.proposer)) " · "
        (reader.say(Phrase::Confidence)) " " (reader.language.share(claim.confidence)) " · "
        (reader.say(Phrase::AdmittedUnder)) " " (said(&claim.policy))
    }
}

/// Who said it, when, and where that is kept.
fn from(reader: &Reader, evidence: &EvidenceText) -> Markup {
    html! {
        p.from {
            strong { (labels::author(reader, &evidence.author)) } ", "
            (when::moment(reader, &evidence.event_time)) " · "
            a href=(format!("/portal/sources/{}", evidence.source.id)) {
                (labels::source_kind(reader, &evidence.source.kind)) " " (said(&evidence.source.reference))
            }
            " · "
            a href=(format!("/portal/evidence/{}", evidence.evidence)) { (reader.say(Phrase::WholeMessage)) }
        }
    }
}

/// The quotes of a claim, each within the words around it. Where these are not kept, or part of them is withheld so that places
/// no longer fit, the quote stands alone.
fn quote(claim: &ClaimText, evidence: Option<&EvidenceText>, reader: &Reader) -> Markup {
    let text = evidence.and_then(|evidence| evidence.text.as_deref());
    html! {
        @for (quote, start, end) in quotes(claim) {
            @let cut = text
                .filter(|text| text.get(start..end) == Some(quote))
                .and_then(|text| cut::around(text, start..end));
            blockquote {
                @match cut {
                    Some(cut) => {
                        @if cut.begins_later { "… " }
                        (marked(cut.text, &[cut.stretch]))
                        @if cut.ends_earlier { " …" }
                    },
                    None => { mark { (said(quote)) } },
                }
            }
            @if text.is_none() { p.small { (reader.say(Phrase::OnlyQuotesKept)) } }
        }
    }
}

/// The quotes of a claim with their places, in bytes.
pub(super) fn quotes(claim: &ClaimText) -> Vec<(&str, usize, usize)> {
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    match claim.quotes.is_empty() {
        true => vec![(&claim.quote, place(claim.start), place(claim.end))],
        false => {
            claim.quotes.iter().map(|one| (one.quote.as_str(), place(one.start), place(one.end))).collect()
        }
    }
}
