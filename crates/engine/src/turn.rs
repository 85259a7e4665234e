//! Turns: what one turn of a conversation may see, chosen by a recorded computation that can be made again.

use ledger::citation::cited;
use ledger::id::{Kind, TurnId, VersionId};
use ledger::keys::{Fingerprint, Purpose, SubjectKeys};
use ledger::limits::Limit;
use ledger::packet::{self, handle, place_of, tell};
use ledger::resolve::{Policy, Selection, select};
use ledger::time::Moment;
use ledger::triage::{Request, question, triage};
use ledger::turn::{Budget, Candidate, DropReason, Dropped, Triage, TurnRecord};

use crate::answer::{DroppedItem, Packet, Replayed, SelectedItem, Turned, Used, UsedInReply};
use crate::ask::Question;
use crate::candidates::Considered;
use crate::error::EngineError;
use crate::recall::as_of;
use crate::view::View;
use crate::{Call, Engine, open_id};

/// What a turn asks for.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The message.
    pub message: String,
    /// The policy, by name; the promoted one, when left out.
    pub policy: Option<String>,
    /// Tokens of the packet, at most.
    pub budget_tokens: Option<u32>,
    /// Memories, at most; [`Budget::SLOTS_MAX`] when left out, and never more.
    pub slots: Option<u32>,
    /// Whether the message is worth walking for: relations from entity to entity, beyond what its words match.
    pub deep: bool,
    /// What the caller knows the turn is about: `(topic | entity, words)`.
    pub hints: Vec<(String, String)>,
}

impl Turn {
    /// A turn for `message` with the usual policy and budget.
    #[must_use]
    pub fn of(message: &str) -> Self {
        Self {
            message: message.to_owned(),
            policy: None,
            budget_tokens: None,
            slots: None,
            deep: false,
            hints: Vec::new(),
        }
    }
}

/// What a packet says when candidates were cut.
const CUT_NOTICE: &str = "more may be known than was considered";

/// The fewest tokens a packet can be asked to fit into.
const BUDGET_TOKENS_MIN: u32 = 1;

/// How often a turn is resolved anew when something is forgotten meanwhile.
const ATTEMPTS_MAX: usize = 200;

impl Engine {
    /// Resolves a turn and records how.
    ///
    /// # Errors
    /// [`EngineError::Input`] for an unknown policy, a budget out of bounds, or too long a message;
    /// [`EngineError::Conflict`] when things are forgotten faster than a turn is resolved.
    pub fn turn(&self, call: Call<'_>, turn: &Turn) -> Result<Turned, EngineError> {
        let budget = check(turn)?;
        let (policy, passed_over) = match &turn.policy {
            Some(name) => (named_policy(name)?, None),
            None => self.policy_in_force()?,
        };
        // Before a snapshot is held: a model may take its time.
        let (question, failed) = self.question(&turn.message, &Moment::utc(call.now));
        for _ in 0..ATTEMPTS_MAX {
            let keys = self.store().found(call.scope)?;
            let (basis, record, mut turned) = self.read(call.scope, |snapshot| {
                let as_of = as_of(snapshot, call.now, None, None);
                let view = View { snapshot, registry: self.registry(), as_of };
                let (record, turned) = self.resolve(view, &keys, (turn, &question), policy, budget);
                Ok((snapshot.head(), record, turned))
            })?;
            let key = request_key(&keys, turn, &record, self.next_use());
            // What was erased while it was resolved is neither handed out nor written down.
            let Some(id) = self.store().record_turn(call.scope, &basis, key, &record)? else { continue };
            turned.turn = keys.ids.seal(Kind::Turn, id.0);
            turned.degraded.extend(failed.map(str::to_owned));
            turned.degraded.extend(passed_over);
            self.offer_to_shadow(call.now, key, record);
            return Ok(turned);
        }
        Err(EngineError::Conflict(format!(
            "something was forgotten {ATTEMPTS_MAX} times while the turn was resolved; try again"
        )))
    }

    /// Makes a turn's selection and packet again, from what was recorded and the memory as it stood.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for a turn that is not there.
    pub fn replay(&self, call: Call<'_>, turn: &str) -> Result<Replayed, EngineError> {
        self.read(call.scope, |snapshot| {
            let id = TurnId(open_id(snapshot, Kind::Turn, turn)?);
            let not_found = || EngineError::NotFound(turn.to_owned());
            let (record, _) = self.store().turn(call.scope, id)?.ok_or_else(not_found)?;
            let view = View { snapshot, registry: self.registry(), as_of: record.as_of };
            let differences = self.differences(view, &record);
            Ok(Replayed { turn: turn.to_owned(), identical: differences.is_empty(), differences })
        })
    }

    /// Records which of a turn's memories were really used, by their handles.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for a turn that is not there, [`EngineError::Input`] for a handle it has not.
    pub fn used(&self, call: Call<'_>, turn: &str, handles: &[String]) -> Result<Used, EngineError> {
        let id = self.read(call.scope, |snapshot| open_id(snapshot, Kind::Turn, turn).map(TurnId))?;
        let not_found = || EngineError::NotFound(turn.to_owned());
        let (record, _) = self.store().turn(call.scope, id)?.ok_or_else(not_found)?;
        let mut places = Vec::with_capacity(handles.len());
        for written in handles {
            let bare = written.trim_matches(['[', ']']);
            match place_of(bare).filter(|place| *place < record.selected.len()) {
                Some(place) => places.push(place as u32),
                None => {
                    let count = record.selected.len();
                    let detail = format!(
                        "handle `{written}` is not in this turn; it selected {count} (M1 to M{count})"
                    );
                    return Err(EngineError::Input(detail));
                }
            }
        }
        if !self.store().record_use(call.scope, id, &places, call.now)? {
            return Err(not_found());
        }
        let (_, used) = self.store().turn(call.scope, id)?.ok_or_else(not_found)?;
        Ok(Used { turn: turn.to_owned(), used: used.iter().map(|place| handle(*place as usize)).collect() })
    }

    /// Records the memories of a turn that a reply cites, such as `[M3]` or `[M1, M4]`; code is not read for citations.
    ///
    /// A handle the turn does not have is told and not recorded.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for a turn that is not there.
    pub fn used_in_reply(&self, call: Call<'_>, turn: &str, reply: &str) -> Result<UsedInReply, EngineError> {
        let id = self.read(call.scope, |snapshot| open_id(snapshot, Kind::Turn, turn).map(TurnId))?;
        let not_found = || EngineError::NotFound(turn.to_owned());
        let (record, _) = self.store().turn(call.scope, id)?.ok_or_else(not_found)?;
        let in_turn = |handle: &String| place_of(handle).is_some_and(|place| place < record.selected.len());
        let (cited, unknown): (Vec<String>, Vec<String>) = cited(reply).into_iter().partition(in_turn);
        let used = self.used(call, turn, &cited)?;
        Ok(UsedInReply { turn: used.turn, cited, unknown, used: used.used })
    }

    fn resolve(
        &self,
        view: View<'_>,
        keys: &SubjectKeys,
        (turn, read): (&Turn, &Question),
        policy: Policy,
        budget: Budget,
    ) -> (TurnRecord, Turned) {
        let mut notices = Vec::new();
        let Considered { candidates, cut, own_matches } = self.candidates(view, (turn, read), &mut notices);
        let decided = triage(Request {
            message: &turn.message,
            has_hint: !turn.hints.is_empty(),
            matches: own_matches,
        });
        let selection = match decided {
            Triage::Retrieve => select(policy, &candidates, budget, self.overhead(cut)),
            Triage::Ask | Triage::Skip => {
                let skipped = |candidate: &Candidate| Dropped {
                    version: candidate.version,
                    reason: DropReason::Skipped,
                };
                Selection { selected: Vec::new(), dropped: candidates.iter().map(skipped).collect() }
            }
        };
        let mut record = TurnRecord {
            recorded_at: view.as_of.valid_at,
            as_of: view.as_of,
            policy: policy.name().to_owned(),
            triage: decided,
            budget,
            candidates,
            candidates_cut: cut,
            disputes: Vec::new(),
            selected: selection.selected,
            dropped: selection.dropped,
            packet_mark: keys.fingerprint(Purpose::Packet, &[]),
            packet_tokens: 0,
            request_mark: keys.fingerprint(Purpose::Request, &[b"message", turn.message.as_bytes()]),
        };
        record.disputes = disputes(view, &record);
        let (text, items) = self.packet(view, &record);
        record.packet_mark = keys.fingerprint(Purpose::Packet, &[text.as_bytes()]);
        record.packet_tokens = self.tokens.count(&text);
        let asked = (decided == Triage::Ask).then(|| question(&turn.message, &anchors(view)));
        let too_long =
            record.dropped.iter().filter(|dropped| dropped.reason == DropReason::TokenBudget).count();
        if too_long > 0 {
            notices.push(format!("{too_long} memories did not fit the budget of {} tokens", budget.tokens));
        }
        if cut > 0 {
            notices.push(format!("{cut} more candidates were not considered"));
        }
        if decided == Triage::Retrieve && record.candidates.is_empty() {
            notices.push("nothing is known that the turn could use".to_owned());
        }
        let (missing, total) = (view.snapshot.vectors_missing(), view.snapshot.documents.len() as u64);
        let id = |version: VersionId| view.id(Kind::Version, version);
        let turned = Turned {
            turn: String::new(),
            triage: decided.to_string(),
            question: asked,
            policy: record.policy.clone(),
            watermark: view.as_of.watermark,
            candidates: record.candidates.iter().map(|candidate| id(candidate.version)).collect(),
            selected: record
                .selected
                .iter()
                .zip(&items)
                .enumerate()
                .map(|(place, (selected, item))| SelectedItem {
                    handle: handle(place),
                    id: id(selected.version),
                    text: item.text.clone(),
                    why: selected.why.to_string(),
                })
                .collect(),
            dropped: record
                .dropped
                .iter()
                .map(|dropped| DroppedItem { id: id(dropped.version), reason: dropped.reason.to_string() })
                .collect(),
            disputes: record.disputes.iter().map(|group| group.iter().copied().map(id).collect()).collect(),
            packet: Packet { text, tokens: record.packet_tokens },
            degraded: self.without_vectors(missing, total).into_iter().collect(),
            truncated: cut > 0 || too_long > 0,
            notices,
        };
        (record, turned)
    }

    /// The packet of a record, from the memory as the record saw it.
    fn packet(&self, view: View<'_>, record: &TurnRecord) -> (String, Vec<packet::Item>) {
        let memory = &view.snapshot.memory;
        let items: Vec<packet::Item> = record
            .selected
            .iter()
            .filter_map(|selected| {
                let (fact, version) = memory.version(selected.version)?;
                let text = tell(memory, self.registry(), fact, version, &view.as_of)?;
                Some(packet::Item { version: selected.version, text })
            })
            .collect();
        let place = |version: &VersionId| items.iter().position(|item| item.version == *version);
        let disputes: Vec<Vec<usize>> =
            record.disputes.iter().map(|group| group.iter().filter_map(place).collect()).collect();
        let mut notices = Vec::new();
        if record.candidates_cut > 0 {
            notices.push(CUT_NOTICE.to_owned());
        }
        if items.is_empty() {
            return (String::new(), items);
        }
        (packet::write(&items, &disputes, &notices), items)
    }

    /// What a packet costs before its first item: its first and last line, and the notice of a cut list.
    pub(crate) fn overhead(&self, cut: u32) -> u32 {
        let notice = if cut > 0 { self.tokens.count(&format!("notice: {CUT_NOTICE}\n")) } else { 0 };
        self.tokens.count(&format!("{}\n", packet::PACKET_BEGINS))
            + self.tokens.count(packet::PACKET_ENDS)
            + notice
    }

    fn differences(&self, view: View<'_>, record: &TurnRecord) -> Vec<String> {
        let mut differences = Vec::new();
        let Some(policy) = Policy::named(&record.policy) else {
            return vec![format!("policy `{}` is not known to this version", record.policy)];
        };
        if record.triage == Triage::Retrieve {
            let again =
                select(policy, &record.candidates, record.budget, self.overhead(record.candidates_cut));
            if again.selected != record.selected {
                differences.push("the selection differs".to_owned());
            }
            if again.dropped != record.dropped {
                differences.push("the reasons for what was dropped differ".to_owned());
            }
        }
        for candidate in &record.candidates {
            if view.snapshot.memory.version(candidate.version).is_none() {
                differences
                    .push(format!("`{}` was forgotten since", view.id(Kind::Version, candidate.version)));
            }
        }
        if disputes(view, record) != record.disputes {
            differences.push("the disputes differ".to_owned());
        }
        let (text, _) = self.packet(view, record);
        let mark =
            view.snapshot.keys.as_ref().map(|keys| keys.fingerprint(Purpose::Packet, &[text.as_bytes()]));
        if mark != Some(record.packet_mark) {
            differences.push("the packet differs".to_owned());
        }
        differences
    }
}

/// Everything that tells this turn from another: several processes may ask the same at one reading of the clock.
fn request_key(keys: &SubjectKeys, turn: &Turn, record: &TurnRecord, use_number: u64) -> Fingerprint {
    let hints: Vec<u8> =
        turn.hints.iter().flat_map(|(kind, words)| format!("{kind}={words}\n").into_bytes()).collect();
    keys.fingerprint(
        Purpose::Request,
        &[
            b"turn",
            &record.request_mark.0,
            &record.recorded_at.micros().to_le_bytes(),
            &use_number.to_le_bytes(),
            &record.as_of.watermark.to_le_bytes(),
            record.policy.as_bytes(),
            &record.budget.tokens.to_le_bytes(),
            &record.budget.slots.to_le_bytes(),
            &[u8::from(turn.deep)],
            &hints,
        ],
    )
}

fn check(turn: &Turn) -> Result<Budget, EngineError> {
    Limit::QUERY_BYTES.check("message", turn.message.len())?;
    let tokens = turn.budget_tokens.unwrap_or(Budget::TOKENS_DEFAULT);
    if tokens < BUDGET_TOKENS_MIN {
        let detail = format!("budget of {tokens} tokens is too small; {BUDGET_TOKENS_MIN} are the least");
        return Err(EngineError::Input(detail));
    }
    Limit::BUDGET_TOKENS.check("the budget", tokens as usize)?;
    let slots = turn.slots.unwrap_or(Budget::SLOTS_MAX);
    if slots > Budget::SLOTS_MAX {
        let detail = format!("{slots} memories are more than the {} a turn may carry", Budget::SLOTS_MAX);
        return Err(EngineError::Input(detail));
    }
    Ok(Budget { slots, tokens })
}

/// The policy of this name.
pub(crate) fn named_policy(name: &str) -> Result<Policy, EngineError> {
    Policy::named(name).ok_or_else(|| {
        let known: Vec<&str> = Policy::ALL.iter().map(|policy| policy.name()).collect();
        let short: String = name.chars().take(60).collect();
        EngineError::Input(format!("policy `{short}` is none of `{}`", known.join("`, `")))
    })
}

/// The selected versions that contradict each other, fact by fact.
fn disputes(view: View<'_>, record: &TurnRecord) -> Vec<Vec<VersionId>> {
    let memory = &view.snapshot.memory;
    let mut groups: Vec<Vec<VersionId>> = Vec::new();
    for selected in &record.selected {
        let Some((fact, _)) = memory.version(selected.version) else { continue };
        let group: Vec<VersionId> =
            memory.dispute(fact, &view.as_of).iter().map(|version| version.id).collect();
        if group.len() > 1 && !groups.contains(&group) {
            groups.push(group);
        }
    }
    groups
}

/// Names that could settle what a message leans on: the entities last spoken of.
fn anchors(view: View<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for fact in view.snapshot.memory.facts().iter().rev() {
        let Some(key) = &fact.key else { continue };
        if key.entity.is_owner() || !fact.versions.iter().any(|version| version.is_current(&view.as_of)) {
            continue;
        }
        let name = key.entity.name().to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() == 3 {
            break;
        }
    }
    names
}
