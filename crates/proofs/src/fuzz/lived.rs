//! A memory lives through any lines: they are observed, asked for, verified, taken out, brought in again and forgotten.

use std::sync::Arc;

use engine::answer::Observed;
use engine::forget::Forget;
use engine::observe::{Message, Observing};
use engine::recall::{Grain, Recall};
use engine::turn::Turn;
use engine::{Call, Engine, EngineError};
use ledger::packet::{PACKET_BEGINS, PACKET_ENDS};
use ledger::reference::ReferenceStore;
use ledger::scope::Scope;
use serde_json::Value as Json;

use crate::world::scope;
use crate::{at, engine_on};

/// The most lines looked at, so that one input takes well under a second.
const LINES_MAX: usize = 12;
/// The longest line looked at, in bytes.
const LINE_BYTES_MAX: usize = 4_096;

/// An engine that remembers what the lines say, and what became of each that was taken.
struct Lived {
    engine: Engine,
    me: Scope,
    observed: Vec<Observed>,
}

impl Lived {
    fn through(lines: impl Iterator<Item = Vec<u8>>) -> Self {
        let mut lived = Self {
            engine: engine_on(Arc::new(ReferenceStore::new())),
            me: scope("me"),
            observed: Vec::new(),
        };
        for line in lines {
            lived.observe(&line);
        }
        lived
    }

    fn call(&self) -> Call<'_> {
        Call { scope: &self.me, now: at("2026-06-01") }
    }

    /// As `testimony observe` does: what is no message, or none that can be taken, is told and passed over.
    fn observe(&mut self, line: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Message>(line) else { return };
        let is_checked = self.engine.check(self.call(), &message).is_ok();
        match self.engine.observe(self.call(), vec![message], Observing::default()) {
            Ok(answers) => {
                assert!(is_checked, "what the check refuses was taken");
                self.observed.extend(answers);
            }
            // A source may contradict what is known of it, which no check of the message alone can see.
            Err(error) => assert!(!matches!(error, EngineError::Store(_)), "{error}"),
        }
    }

    fn assert_verifies(&self) {
        let verified = self.engine.verify(self.call()).expect("the store is read");
        assert!(verified.ok, "{:?}", verified.damage);
    }

    fn exported(&self) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        let exported = self.engine.export(self.call(), |line: &Json| {
            lines.push(line.to_string().into_bytes());
            Ok::<(), EngineError>(())
        });
        exported.expect("exported");
        lines
    }
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| line.len() <= LINE_BYTES_MAX);
    lines.take(LINES_MAX).map(<[u8]>::to_vec)
}

/// Text: lines of messages; the last line, whatever it is, is also what is asked for.
pub(super) fn observe(bytes: &[u8]) {
    let mut lived = Lived::through(lines(bytes));
    for observed in &lived.observed {
        let counts = &observed.counts;
        let sum = counts.admitted + counts.refused + counts.duplicate + counts.failed;
        assert_eq!(counts.received, sum, "proposals are lost in silence");
        assert_eq!(counts.admitted, observed.admitted.len() as u64);
    }
    lived.assert_verifies();
    let asked =
        String::from_utf8_lossy(bytes.rsplit(|byte| *byte == b'\n').next().unwrap_or_default()).into_owned();
    assert_answers(&lived, &asked);
    // The same lines again say nothing new.
    let watermark = watermark(&lived);
    for line in lines(bytes) {
        lived.observe(&line);
    }
    assert!(watermark == self::watermark(&lived) || lived.observed.iter().any(|one| !one.duplicate));
    lived.assert_verifies();
    assert_forgets(&lived);
}

fn watermark(lived: &Lived) -> u64 {
    lived.engine.store().head(&lived.me).expect("the store is read").watermark
}

fn assert_answers(lived: &Lived, asked: &str) {
    let call = lived.call();
    for grain in [Grain::Fact, Grain::Evidence] {
        if let Ok(recalled) = lived.engine.recall(call, &Recall { grain, ..Recall::of(asked) }) {
            assert_eq!(recalled.items.is_empty(), recalled.negative.is_some(), "an empty answer says why");
            for item in &recalled.items {
                assert!((0.0..=1.0).contains(&item.score));
                assert!(lived.engine.why(call, &item.id).is_ok(), "an answer without a receipt");
            }
        }
    }
    let Ok(turned) = lived.engine.turn(call, &Turn::of(asked)) else { return };
    if !turned.packet.text.is_empty() {
        let lines: Vec<&str> = turned.packet.text.lines().collect();
        assert_eq!(lines.first(), PACKET_BEGINS.lines().next().as_ref());
        assert_eq!(turned.packet.text.matches(PACKET_ENDS).count(), 1, "words pose as the packet's end");
        let items = lines.iter().filter(|line| line.starts_with("[M")).count();
        assert_eq!(items, turned.selected.len(), "words pose as an item");
    }
    let replayed = lived.engine.replay(call, &turned.turn).expect("a recorded turn");
    assert!(replayed.identical, "{:?}", replayed.differences);
}

/// Every message is forgotten in turn, and then nothing is left.
fn assert_forgets(lived: &Lived) {
    let mut ids: Vec<String> = lived.observed.iter().filter_map(|one| one.evidence.clone()).collect();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        lived.engine.forget(lived.call(), &Forget::Ids(vec![id]), false).expect("what was kept is forgotten");
        lived.assert_verifies();
    }
    let left = lived.engine.state(lived.call(), None, None).expect("state answers");
    assert!(left.items.is_empty(), "{:?} is left when everything was forgotten", left.items);
    assert!(lived.exported().is_empty());
}

/// What is taken out and brought in elsewhere is the same memory: taken out there, it is the same lines.
pub(super) fn export(bytes: &[u8]) {
    let lived = Lived::through(lines(bytes));
    let exported = lived.exported();
    let brought_in = Lived::through(exported.iter().cloned());
    brought_in.assert_verifies();
    let again: Vec<String> = texts(&brought_in.exported());
    assert_eq!(again, texts(&exported), "an export comes back as another");
}

fn texts(lines: &[Vec<u8>]) -> Vec<String> {
    lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
}
