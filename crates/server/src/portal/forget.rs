//! Forgetting: first exactly what would go, stay and stand again; then the act; then the receipt, checked against the chain.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use engine::answer::{EvidenceText, FactText, Foreseen, Forgotten, Receipt, VersionText};
use maud::{Markup, html};

use super::desk::{Desk, Reader, Reply};
use super::form::{Form, query};
use super::labels;
use super::language::Noun;
use super::layout::token;
use super::notice::Notice;
use super::phrases::Phrase;
use super::words::{said, value};
use super::{cut, when};
use crate::access::Right;
use crate::refusal::Refusal;
use crate::verb::Asked;
use crate::verbs::ById;
use crate::verbs::erasures::{CheckReceipt, Forget, Forgettable, ReceiptShown};
use crate::verbs::evidence::ShowReceipt;
use crate::verbs::facts::ShowHistory;

/// Things told of each fate, at most; the rest is counted.
const TOLD_MAX: usize = 50;

/// Bytes of a message that are told, at most.
const EXCERPT_BYTES: usize = 300;

/// The longest receipt that is read, in bytes.
const RECEIPT_BYTES_MAX: usize = 8_000;

/// The fates in the order they are told.
const FATES: [(&str, Phrase); 4] = [
    ("goes", Phrase::Goes),
    ("reduced", Phrase::Reduced),
    ("stays", Phrase::Stays),
    ("reopens", Phrase::Reopens),
];

/// What is to be forgotten.
#[derive(Clone, Debug)]
enum Wanted {
    /// A thing, by its id.
    Thing(String),
    /// Everything of the subject.
    Everything,
}

impl Wanted {
    /// Reads it from a query or a form.
    fn read(form: &Form) -> Self {
        match form.get("everything") {
            Some(_) => Self::Everything,
            None => Self::Thing(form.text("id")),
        }
    }

    /// The field that says so again.
    fn field(&self) -> (&'static str, &str) {
        match self {
            Self::Thing(id) => ("id", id),
            Self::Everything => ("everything", "yes"),
        }
    }

    fn asked(&self, dry_run: bool) -> Forgettable {
        match self {
            Self::Thing(id) => Forgettable { ids: vec![id.clone()], dry_run, ..Forgettable::default() },
            Self::Everything => Forgettable { everything: true, dry_run, ..Forgettable::default() },
        }
    }
}

/// What forgetting would do.
pub(super) async fn show(desk: &Desk<'_>) -> Result<Reply, Refusal> {
    let wanted = Wanted::read(&desk.query);
    let asked = wanted.asked(true);
    let (foreseen, things) = desk
        .ask(move |caller| {
            let foreseen = caller.tell::<Forget>(asked)?;
            let mut things = BTreeMap::new();
            for (fate, _) in FATES {
                for one in of_fate(&foreseen, fate).into_iter().take(TOLD_MAX) {
                    things.insert(one.id.clone(), thing(caller, one)?);
                }
            }
            Ok((foreseen, things))
        })
        .await?;
    let reader = &desk.reader;
    let (field, what) = wanted.field();
    let title = match wanted {
        Wanted::Thing(_) => Phrase::ForgetTitle,
        Wanted::Everything => Phrase::ForgetEverything,
    };
    let body = html! {
        div.heading {
            h1 { (reader.say(title)) }
            p.hint { (reader.say(Phrase::ForgetText)) }
        }
        section aria-labelledby="preview" {
            h2 #preview { (reader.say(Phrase::DryRun)) }
            p role="status" { (counted(reader, &foreseen)) }
            @for (fate, title) in FATES { (told(reader, title, &of_fate(&foreseen, fate), &things)) }
        }
        form method="post" action="/portal/forget" {
            (token(desk))
            input type="hidden" name=(field) value=(what);
            input type="hidden" name="seen" value=(mark(&foreseen));
            p { (reader.say(Phrase::ForgetForGood)) }
            @if let Wanted::Everything = wanted {
                div.field {
                    label for="named" { (reader.say(Phrase::NameToConfirm)) " " strong { (said(&desk.subject)) } }
                    input type="text" id="named" name="named" required autocomplete="off" spellcheck="false";
                }
            }
            p.actions {
                button.danger type="submit" { (reader.say(Phrase::ForgetNow)) }
                a href="/portal/memory" { (reader.say(Phrase::LeaveAsItIs)) }
            }
        }
    };
    desk.page(reader.say(title), body)
}

fn of_fate<'foreseen>(foreseen: &'foreseen Forgotten, fate: &str) -> Vec<&'foreseen Foreseen> {
    foreseen.list.iter().filter(|one| one.fate == fate).collect()
}

fn counted(reader: &Reader, foreseen: &Forgotten) -> String {
    let erased = &foreseen.erased;
    let counts = [
        (erased.sources, Noun::Source),
        (erased.evidence, Noun::Message),
        (erased.claims, Noun::Claim),
        (erased.facts, Noun::Fact),
        (erased.versions, Noun::Version),
    ];
    let told = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| reader.language.count(*count, *noun));
    format!("{}: {}.", reader.say(Phrase::WouldGo), told.collect::<Vec<_>>().join(", "))
}

/// What a thing is called that forgetting concerns.
enum Thing {
    Version(FactText, VersionText),
    Message(EvidenceText),
    /// Told in the words of the dry run itself.
    Other,
}

fn thing(caller: &Asked<'_>, one: &Foreseen) -> Result<Thing, Refusal> {
    let id = || ById { id: one.id.clone() };
    Ok(match one.kind.as_str() {
        "version" => {
            let history = caller.tell::<ShowHistory>(id())?;
            let version = history.versions.into_iter().find(|version| version.id == one.id);
            version.map_or(Thing::Other, |version| Thing::Version(history.fact, version))
        }
        "message" => caller.tell::<ShowReceipt>(id())?.evidence.pop().map_or(Thing::Other, Thing::Message),
        _ => Thing::Other,
    })
}

fn told(reader: &Reader, title: Phrase, concerned: &[&Foreseen], things: &BTreeMap<String, Thing>) -> Markup {
    html! {
        @if !concerned.is_empty() {
            h3 { (reader.say(title)) " (" (concerned.len()) ")" }
            ul.fates {
                @for one in concerned.iter().take(TOLD_MAX) {
                    li {
                        span.mark { (labels::thing(reader, &one.kind)) } " "
                        @match things.get(&one.id) {
                            Some(Thing::Version(fact, version)) => {
                                @if fact.entity != "self" { (said(&fact.entity)) " · " }
                                (labels::predicate(reader, &fact.predicate)) ": " strong { (said(&value(&version.value))) }
                                span.small { " " (when::span(reader, &version.validity)) }
                            },
                            Some(Thing::Message(message)) => {
                                span.small {
                                    (labels::author(reader, &message.author)) ", " (when::moment(reader, &message.event_time))
                                }
                                @if let Some(text) = &message.text {
                                    @let (beginning, more) = cut::beginning(text, EXCERPT_BYTES);
                                    blockquote { (said(beginning)) @if more { " …" } }
                                }
                            },
                            _ => (said(&one.text)),
                        }
                    }
                }
            }
            @if concerned.len() > TOLD_MAX { p.small { (reader.say(Phrase::AndMore)) " " (concerned.len() - TOLD_MAX) } }
        }
    }
}

/// What was shown, in short: who confirms must have seen what happens.
fn mark(foreseen: &Forgotten) -> String {
    let mut hasher = blake3::Hasher::new();
    for one in &foreseen.list {
        hasher.update(one.fate.as_bytes()).update(b" ").update(one.id.as_bytes()).update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}

/// Forgets, if that would do what was shown.
pub(super) async fn act(desk: &Desk<'_>) -> Result<Reply, Refusal> {
    let (wanted, seen) = (Wanted::read(&desk.form), desk.form.text("seen"));
    let place = format!("/portal/forget?{}", query(&[wanted.field()]));
    if let (Wanted::Everything, true) = (&wanted, desk.form.text("named") != desk.subject) {
        let refusal = Refusal::bad_input("what was written is not whose memory this is")
            .hint("write the name as it stands there");
        return desk.refuse_act(refusal, place);
    }
    let done = desk
        .ask(move |caller| {
            let foreseen = caller.tell::<Forget>(wanted.asked(true))?;
            if mark(&foreseen) != seen {
                return Err(Refusal::new(409, "changed_since", "something changed since this was shown")
                    .hint("look again, then confirm"));
            }
            caller.tell::<Forget>(wanted.asked(false))
        })
        .await;
    match done {
        Ok(Forgotten { residue, kept, reopened, receipt: Some(receipt), .. }) => {
            desk.leave_word(Notice::Forgotten { residue, kept: kept.len(), reopened: reopened.len() });
            let told = serde_json::to_vec(&receipt).unwrap_or_default();
            Ok(Reply::Elsewhere(format!("/portal/receipt?receipt={}", URL_SAFE_NO_PAD.encode(told))))
        }
        Ok(_) => Err(Refusal::fault("an erasure without a receipt")),
        Err(refusal) => desk.refuse_act(refusal, place),
    }
}

/// A receipt. It holds no word of what went, so it may stand in the page's address and be kept as such.
pub(super) async fn receipt(desk: &Desk<'_>) -> Result<Reply, Refusal> {
    let bad = || Refusal::bad_input("`receipt`: not one that forgetting gave out");
    let written =
        desk.query.get("receipt").filter(|written| written.len() <= RECEIPT_BYTES_MAX).ok_or_else(bad)?;
    let told = URL_SAFE_NO_PAD.decode(written).map_err(|_| bad())?;
    let receipt: Receipt = serde_json::from_slice(&told).map_err(|_| bad())?;
    let checked = desk.ask_for::<CheckReceipt>(ReceiptShown { receipt: receipt.clone() }).await?;
    let reader = &desk.reader;
    let rows = serde_json::to_value(receipt.rows).unwrap_or_default();
    let body = html! {
        div.heading {
            h1 { (reader.say(Phrase::ErasureReceipt)) }
            @if checked.ok {
                p.mark.good { (reader.say(Phrase::BorneOut)) }
            } @else {
                div.notice.alert role="alert" {
                    p { (reader.say(Phrase::NotBorneOut)) }
                    @for problem in &checked.problems { p lang="en" { (said(problem)) } }
                }
            }
        }
        dl.told {
            div { dt { (reader.say(Phrase::When)) } dd { (when::moment(reader, &receipt.at)) } }
            div { dt { (reader.say(Phrase::AskedBy)) } dd { (said(&receipt.by)) } }
            div { dt { (reader.say(Phrase::AskedFor)) } dd { (labels::erasure(reader, &receipt.asked)) } }
            div { dt { (reader.say(Phrase::RowsGone)) } dd {
                ul.plain {
                    @for (kind, count) in rows.as_object().into_iter().flatten() {
                        li { (labels::row(reader, kind)) ": " (value(count)) }
                    }
                }
            } }
            div { dt { (reader.say(Phrase::AppendThatRecords)) } dd { (receipt.watermark) } }
            div { dt { (reader.say(Phrase::ChainHash)) } dd { code { (said(&receipt.chain)) } } }
        }
        details {
            summary { (reader.say(Phrase::ReceiptAsData)) }
            pre { code { (serde_json::to_string_pretty(&receipt).unwrap_or_default()) } }
        }
        @if desk.may(Right::Read) { p.actions { a.button href="/portal/memory" { (reader.say(Phrase::ToMemory)) } } }
    };
    desk.page(reader.say(Phrase::ErasureReceipt), body)
}
