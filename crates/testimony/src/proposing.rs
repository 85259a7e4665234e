//! Having a model propose, for the verbs that do: which model, what was read already, what it may still cost today.
//!
//! What was read stands in `derived/proposed/`, a file for each subject and proposer under a keyed mark: the last place in the
//! log, and the tokens of the day. It holds no word and no name. Without it, or where it is damaged, everything is read again,
//! which costs tokens and changes nothing, since what was claimed already is a duplicate.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::answer::{AdmittedClaim, Counts};
use engine::propose::model::{Asked, Batch, Dropped, ModelProposer, Outcome, Proposed, Spent};
use engine::{Call, Engine, EngineError};
use inference::Limits;
use inference::tiers::ProposeSettings;
use ledger::id::Position;
use ledger::keys::Purpose;
use ledger::marked;
use ledger::time::Instant;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::{Exit, Failure, Stop};
use crate::interrupt;

/// A model that may be asked, as the file of the models names it.
pub(crate) struct Reader {
    proposer: ModelProposer,
    tier: String,
    limits: Limits,
}

impl Reader {
    /// The configured one, or with `tier` that one; `None` where none is configured and none was named.
    pub fn open(context: &Context, tier: Option<&str>) -> Result<Option<Self>, Stop> {
        let missing = |message: String| {
            Stop::from(Failure::input(message).hint("`testimony model --help` shows a file that names one"))
        };
        let Some((file, open)) = context.models()? else {
            return match tier {
                None => Ok(None),
                Some(tier) => Err(missing(format!("there is no tier `{tier}`: there is no file of models"))),
            };
        };
        let configured = open.models().propose.clone();
        let settings = match (tier, configured) {
            (None, None) => return Ok(None),
            (None, Some(settings)) => settings,
            (Some(tier), Some(settings)) => ProposeSettings { tier: tier.to_owned(), ..settings },
            (Some(tier), None) => ProposeSettings::of(tier),
        };
        let tier = settings.tier.clone();
        let Some(named) = open.models().tiers.get(&tier) else {
            return Err(missing(format!("there is no tier `{tier}` in `{}`", file.display())));
        };
        let limits = Limits { within: named.within, cancel: interrupt::cancel() };
        Ok(Some(Self { proposer: ModelProposer::new(open.chat(&tier)?, settings), tier, limits }))
    }
}

/// A model that is asked for one subject.
pub(crate) struct Proposing<'run> {
    reader: Arc<Reader>,
    engine: &'run Engine,
    data: &'run Path,
    call: Box<dyn Fn() -> Call<'run> + 'run>,
    /// What was asked about in this run, out of order.
    read: BTreeSet<Position>,
}

/// What was read of a subject, and what it cost today.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    /// Which life of the subject it was: one that was forgotten whole begins anew, and so does reading it.
    #[serde(default)]
    life: u64,
    /// The append and the row of the last message read; nothing before the first.
    after: Option<(u64, u32)>,
    day: i64,
    tokens: u64,
}

/// What came of asking, over all batches.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Tally {
    /// Messages looked at, those left out included.
    pub messages: u64,
    /// Messages asked about.
    pub asked: u64,
    /// Messages of which only the beginning was shown.
    pub cut: u64,
    /// Calls that were answered.
    pub calls: u64,
    /// Answers that were none.
    pub unreadable: u64,
    /// Tokens read and written.
    pub tokens: u64,
    /// `received = admitted + refused + duplicate + failed`.
    pub counts: Counts,
    /// Refusals by their code.
    pub refused: std::collections::BTreeMap<String, u64>,
    /// What never reached the gate, by reason.
    pub dropped: Dropped,
    /// What was admitted.
    pub admitted: Vec<AdmittedClaim>,
}

impl Tally {
    pub fn add(&mut self, batch: &Batch, proposed: &Proposed) {
        self.messages += batch.looked_at;
        self.asked += batch.len() as u64;
        self.cut += batch.cut;
        self.calls += u64::from(proposed.outcome == Outcome::Read);
        self.unreadable += u64::from(proposed.outcome == Outcome::Unreadable);
        self.tokens += proposed.tokens;
        self.counts.add(&proposed.counts);
        self.dropped.add(&proposed.dropped);
        for one in &proposed.messages {
            self.admitted.extend(one.admitted.iter().cloned());
            for refused in &one.refused {
                *self.refused.entry(refused.code.clone()).or_default() += 1;
            }
        }
    }
}

/// Why asking ended before everything was read.
pub(crate) struct Ended {
    /// A word for programs: `interrupted`, `budget`, `not_answered`.
    pub word: &'static str,
    pub reason: String,
    pub exit: Exit,
}

impl<'run> Proposing<'run> {
    /// [`Reader::open`], for the subject of a command.
    pub fn open(
        context: &'run Context,
        engine: &'run Engine,
        tier: Option<&str>,
    ) -> Result<Option<Self>, Stop> {
        let reader = Reader::open(context, tier)?.map(Arc::new);
        let call = || context.call();
        reader.map(|reader| Self::of(reader, engine, &context.data, call)).transpose()
    }

    /// Asks `reader` for the subject of `call`; what was read of it and what that cost today stands in the directory `data`.
    pub fn of(
        reader: Arc<Reader>,
        engine: &'run Engine,
        data: &'run Path,
        call: impl Fn() -> Call<'run> + 'run,
    ) -> Result<Self, Stop> {
        let opened = Self { reader, engine, data, call: Box::new(call), read: BTreeSet::new() };
        let scope = (opened.call)().scope;
        let (kept, spent) = (opened.kept()?, opened.reader.proposer.spent(scope));
        if (kept.day, kept.tokens) > (spent.day, spent.tokens) {
            opened.reader.proposer.restore(scope, Spent { day: kept.day, tokens: kept.tokens });
        }
        Ok(opened)
    }

    /// Who proposes, as claims record it.
    pub fn name(&self) -> &str {
        self.reader.proposer.name()
    }

    /// The tier that is asked.
    pub fn tier(&self) -> &str {
        &self.reader.tier
    }

    /// Asks about these messages.
    pub fn about(
        &mut self,
        ids: &[&str],
        mut each: impl FnMut(&Batch, &Proposed),
    ) -> Result<Option<Ended>, Stop> {
        let batches = self.engine.batches_of((self.call)(), &self.reader.proposer, ids)?;
        for batch in batches {
            if interrupt::asked() {
                return Ok(Some(interrupted()));
            }
            let proposed =
                self.engine.propose((self.call)(), &self.reader.proposer, &batch, &self.reader.limits)?;
            each(&batch, &proposed);
            if let Some(ended) = ended(&proposed) {
                self.keep_what_follows()?;
                return Ok(Some(ended));
            }
            self.read.extend(batch.places());
        }
        self.keep_what_follows()?;
        Ok(None)
    }

    /// Asks about every message not read yet, batch by batch; each is kept as read when it was judged.
    pub fn about_unread(
        &mut self,
        since: Option<Instant>,
        again: bool,
        mut each: impl FnMut(&Batch, &Proposed) -> Result<(), Stop>,
    ) -> Result<Option<Ended>, Stop> {
        let mut kept = self.kept()?;
        if again {
            kept.after = None;
        }
        loop {
            if interrupt::asked() {
                return Ok(Some(interrupted()));
            }
            let after = kept.after.map(|(seq, ordinal)| Position::new(seq, ordinal));
            let batch =
                self.engine.next_batch((self.call)(), &self.reader.proposer, Asked { after, since })?;
            let proposed =
                self.engine.propose((self.call)(), &self.reader.proposer, &batch, &self.reader.limits)?;
            each(&batch, &proposed)?;
            if proposed.is_settled() {
                kept.after = batch.through.map(|place| (place.seq, place.ordinal));
            }
            self.keep(kept.after)?;
            if proposed.outcome == Outcome::Nothing {
                return Ok(None);
            }
            if let Some(ended) = ended(&proposed) {
                return Ok(Some(ended));
            }
        }
    }

    /// Moves on what counts as read over the messages read in this run, as far as they follow on each other.
    fn keep_what_follows(&self) -> Result<(), Stop> {
        let mut after = self.kept()?.after;
        loop {
            let asked = Asked { after: after.map(|(seq, ordinal)| Position::new(seq, ordinal)), since: None };
            let batch = self.engine.next_batch((self.call)(), &self.reader.proposer, asked)?;
            if batch.is_empty() || !batch.places().all(|place| self.read.contains(&place)) {
                return self.keep(after);
            }
            after = batch.through.map(|place| (place.seq, place.ordinal));
        }
    }

    fn path(&self) -> Result<Option<PathBuf>, Stop> {
        let keys = self.engine.store().keys((self.call)().scope).map_err(EngineError::from)?;
        Ok(keys.map(|keys| {
            let mark = keys.fingerprint(Purpose::Request, &[b"proposer", self.name().as_bytes()]);
            let name: String = mark.0.iter().map(|byte| format!("{byte:02x}")).collect();
            self.data.join("derived").join("proposed").join(format!("{name}.json"))
        }))
    }

    /// What is kept; nothing, where it cannot be read: it is only a mark in a book.
    fn kept(&self) -> Result<Kept, Stop> {
        let Some(path) = self.path()? else { return Ok(Kept::default()) };
        let text = std::fs::read(&path).unwrap_or_default();
        let kept: Kept = marked::read(&text).unwrap_or_default();
        let after = if kept.life == self.life()? { kept.after } else { None };
        Ok(Kept { after, ..kept })
    }

    fn life(&self) -> Result<u64, Stop> {
        Ok(self.engine.store().head((self.call)().scope).map_err(EngineError::from)?.incarnation)
    }

    fn keep(&self, after: Option<(u64, u32)>) -> Result<(), Stop> {
        let Some(path) = self.path()? else { return Ok(()) };
        let Spent { day, tokens } = self.reader.proposer.spent((self.call)().scope);
        let kept = Kept { life: self.life()?, after, day, tokens };
        write(&path, &kept).map_err(|error| Failure::file("write", &path, &error).into())
    }
}

/// Writes it beside and puts it in place, so that a reader finds the old or the new one, whole and its owner's alone.
fn write(path: &Path, kept: &Kept) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&marked::write(kept).map_err(io::Error::other)?)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn interrupted() -> Ended {
    let reason = "interrupted; everything told above is kept, the rest can be read later".to_owned();
    Ended { word: "interrupted", reason, exit: Exit::Interrupted }
}

fn ended(proposed: &Proposed) -> Option<Ended> {
    let reason = proposed.reason.clone().unwrap_or_default();
    match proposed.outcome {
        Outcome::OverBudget => Some(Ended { word: "budget", reason, exit: Exit::Refused }),
        Outcome::NotAnswered if interrupt::asked() => Some(interrupted()),
        Outcome::NotAnswered => {
            let exit = proposed.failure.map_or(Exit::Fault, Exit::from);
            Some(Ended { word: "not_answered", reason, exit })
        }
        Outcome::Read | Outcome::Unreadable | Outcome::Nothing => None,
    }
}
