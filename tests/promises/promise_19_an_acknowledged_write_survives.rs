//! **An acknowledged write survives** kill -9 and power loss.
//!
//! The writer is a program of its own that is killed in the middle of its work. Power loss cannot be played by a test; that
//! every commit is flushed to the disk is the store's business and is tested there.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use engine::recall::{Grain, Recall};
use ledger::store::Durability;
use proofs::{Keeper, World};

const WRITER: &str = env!("CARGO_BIN_EXE_killed-writer");

/// Lets a writer with so many threads write until it has acknowledged `enough`, kills it, and answers what it had
/// acknowledged until then.
fn write_and_kill(world: &World, round: usize, threads: usize, enough: usize) -> Vec<String> {
    let mut writer = Command::new(WRITER)
        .args([world.directory().as_os_str()])
        .args([round.to_string(), threads.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the writer starts");
    let lines = BufReader::new(writer.stdout.take().expect("its output")).lines();
    let mut acknowledged = Vec::new();
    let mut killed = false;
    for line in lines {
        // What was printed before the kill and still stands in the pipe was acknowledged, too.
        let Ok(line) = line else { break };
        acknowledged.push(line);
        if acknowledged.len() >= enough && !killed {
            writer.kill().expect("killed");
            killed = true;
        }
    }
    assert!(killed, "the writer ended by itself after {acknowledged:?}");
    assert!(!writer.wait().expect("it is gone").success());
    acknowledged
}

#[test]
fn what_was_acknowledged_before_a_kill_is_there_afterwards() {
    let world = World::new(Keeper::Sqlite);
    assert_eq!(world.store.capabilities().durability, Durability::PowerLoss);
    let mut acknowledged: Vec<String> = Vec::new();
    for (round, (threads, enough)) in [(1, 1), (1, 7), (4, 10), (8, 40), (2, 25)].into_iter().enumerate() {
        acknowledged.extend(write_and_kill(&world, round, threads, enough));
        let again = world.reopened();
        let call = world.call("2026-06-01");
        let verified = again.verify(call).expect("the store opens and verifies");
        assert!(verified.ok, "{verified:#?}");
        let memory = proofs::fold(again.store(), &world.me, u64::MAX);
        let said: std::collections::BTreeSet<String> =
            memory.claims().map(|(_, claim)| claim.words.quotes.first().text().to_owned()).collect();
        for words in &acknowledged {
            assert!(said.contains(words), "`{words}` was acknowledged and is lost, round {round}");
        }
        let kept = again.store().evidence_after(&world.me, None, 100_000).expect("read");
        let texts: std::collections::BTreeSet<&str> =
            kept.iter().filter_map(|(_, evidence)| evidence.words.text.as_deref()).collect();
        for words in &acknowledged {
            assert!(texts.contains(format!("{words}.").as_str()), "the message of `{words}` is lost");
        }
        assert!(
            kept.len() <= acknowledged.len() + 8 * (round + 1),
            "at most what was in flight is there besides"
        );
    }
    // The engine that was open all the while sees the same, and goes on writing.
    let last = acknowledged.last().expect("something");
    let recall = Recall { grain: Grain::Evidence, limit: 1_000, ..Recall::of(last) };
    assert!(!world.engine.recall(world.call("2026-06-01"), &recall).expect("recall").items.is_empty());
    let observed = world.said(
        "2026-06-02",
        "I live in Zagreb.",
        &[crate::speak::claim("self", "home_city", "Zagreb", "I live in Zagreb")],
    );
    assert_eq!(observed.counts.admitted, 1);
    assert_eq!(observed.watermark, world.store.head(&world.me).expect("read").watermark);
}

/// A writer that is killed while it forgets leaves either the words or nothing of them; never half a memory.
#[test]
fn a_kill_while_forgetting_leaves_no_half_memory() {
    for pause in [0, 3, 10, 25] {
        let world = World::new(Keeper::Sqlite);
        let observed = world.said(
            "2026-03-01",
            "I prefer zyxvalue.",
            &[crate::speak::claim("self", "prefers", "zyxvalue", "I prefer zyxvalue")],
        );
        let evidence = observed.evidence.expect("kept");
        let mut writer = Command::new(WRITER)
            .args([world.directory().as_os_str()])
            .args(["forget", &evidence])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the writer starts");
        let mut line = String::new();
        let mut output = BufReader::new(writer.stdout.take().expect("its output"));
        output.read_line(&mut line).expect("it says that it begins");
        std::thread::sleep(std::time::Duration::from_millis(pause));
        _ = writer.kill();
        writer.wait().expect("it is gone");
        let mut rest = String::new();
        _ = output.read_line(&mut rest);
        let again = world.reopened();
        let verified = again.verify(world.call("2026-06-01")).expect("verified");
        assert!(verified.ok, "{verified:#?}");
        let there = again.why(world.call("2026-06-01"), &evidence).is_ok();
        let recalled = again.recall(world.call("2026-06-01"), &Recall::of("zyxvalue")).expect("recall");
        assert_eq!(recalled.items.is_empty(), !there, "all or nothing");
        if rest.starts_with("forgotten") {
            assert!(!there, "an acknowledged forgetting is undone");
        }
    }
}
