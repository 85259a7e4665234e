//! **Derived is disposable.** "Delete `derived/` at any moment: it is rebuilt, and answers are the same."
//!
//! What a store keeps beside its log is vectors. Where the store has files they are deleted, damaged and swapped; the
//! reference store is asked to drop them. Without vectors memories are found by their words, and the answer says so; once
//! they are made again, every answer is what it was.
#![allow(clippy::disallowed_methods, reason = "files are put in the way on purpose")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine::embed::{EmbedBudget, EmbedProgress, NO_MODEL};
use engine::error::ErrorKind;
use engine::forget::Forget;
use engine::recall::{Grain, Recall};
use engine::turn::Turn;
use engine::{Call, Engine};
use inference::{Cancel, InferenceErrorKind, Limits};
use ledger::id::Position;
use ledger::scope::Scope;
use ledger::store::StoreErrorKind;
use ledger::vectors::{ModelIdentity, Placed, VectorMark};
use proofs::world::scope;
use proofs::{Keeper, WordHash, World, at, engine_on, on_every_store, search};
use rusqlite::Connection;
use serde_json::json;

use crate::speak::claim;

const NOW: &str = "2026-06-01";

/// What is said to every world: a few facts, a long message, a document.
fn say_it_all(world: &World, whom: &Scope) {
    let said = [
        ("I live in Zagreb.", vec![claim("self", "home_city", "Zagreb", "I live in Zagreb")]),
        (
            "I prefer green tea in the morning.",
            vec![claim("self", "prefers", "green tea", "I prefer green tea")],
        ),
        (
            "No meetings before 9:30, please.",
            vec![claim("self", "no_meetings_before", "9:30", "No meetings before 9:30")],
        ),
        ("I moved. I live in Split now.", vec![claim("self", "home_city", "Split", "I live in Split now")]),
        (
            "The bridge of project Alpha is on hold.",
            vec![claim("project:alpha", "project_status", "on hold", "project Alpha is on hold")],
        ),
    ];
    for (day, (text, proposals)) in (1..).zip(said) {
        let now = format!("2026-03-{day:02}");
        let told = json!({"source": {"kind": "conversation", "ref": "c1"}, "author": "owner", "event_time": now,
                          "text": text, "proposals": proposals});
        let observed = world.observe_for(whom, &now, told);
        assert_eq!(observed.counts.admitted, 1, "{observed:#?}");
    }
    let long = "We spoke of the harbour and its cranes for an hour. ".repeat(90);
    let told = json!({"source": {"kind": "document", "ref": "minutes"}, "author": "external", "event_time": "2026-03-09",
                      "text": format!("{long}At the end somebody mentioned walnut cake.")});
    let _ = world.observe_for(whom, "2026-03-09", told);
}

fn placing(engine: Engine) -> Engine {
    engine.with_embedder(Arc::new(WordHash::named("words"))).with_query_deadline(Duration::from_secs(60))
}

fn budget(texts: usize) -> EmbedBudget {
    EmbedBudget { texts, limits: Limits::within(Duration::from_secs(60)) }
}

fn call(scope: &Scope) -> Call<'_> {
    Call { scope, now: at(NOW) }
}

fn embed_all(engine: &Engine, scope: &Scope) -> EmbedProgress {
    let mut all = engine.embed_some(call(scope), &budget(1_000)).expect("embedded");
    all.notices.sort();
    assert_eq!(all.missing, 0, "{all:#?}");
    all
}

/// Everything an engine answers, as one text. Ids of turns count up with each, so those stay out.
fn answers(engine: &Engine, scope: &Scope) -> String {
    let mut told = String::new();
    for words in ["where do I live?", "green tea", "the cranes of the harbour", "walnut", "zeppelin"] {
        for grain in [Grain::Fact, Grain::Evidence] {
            let recalled =
                engine.recall(call(scope), &Recall { grain, ..Recall::of(words) }).expect("recall");
            told.push_str(&serde_json::to_string_pretty(&recalled).expect("JSON"));
            told.push_str(&format!(
                "\n{:?}\n",
                engine.nearest(call(scope), grain, words, 20).expect("nearest")
            ));
        }
        let turn = engine.turn(call(scope), &Turn::of(words)).expect("turn");
        told.push_str(&format!("{:?} {:?} {:?}\n", turn.selected, turn.dropped, turn.degraded));
    }
    told
}

fn derived(world: &World) -> PathBuf {
    world.directory().join("derived")
}

/// Rows that have a vector, of both kinds.
fn placed(engine: &Engine, scope: &Scope) -> Vec<Position> {
    let mut rows = Vec::new();
    let model = engine.model().expect("a model");
    for kind in [Placed::Claim, Placed::Evidence] {
        let kept = engine.store().vector_store();
        kept.vectors(scope, model, kind, VectorMark::default(), &mut |row| rows.push(row.of))
            .expect("vectors");
    }
    rows.sort_unstable();
    rows.dedup();
    rows
}

on_every_store! {
    /// Without vectors everything is found by its words and the answer says what is missing; made again, nothing differs.
    fn answers_are_the_same_once_vectors_are_made_again(world) {
        let others = [scope("me"), scope("somebody else")];
        others.iter().for_each(|whom| say_it_all(world, whom));
        let engine = placing(engine_on(world.store.clone()));
        let mut before = Vec::new();
        for whom in &others {
            let progress = embed_all(&engine, whom);
            assert_eq!((progress.done, progress.total), (11, 11), "5 versions and 6 messages: {progress:#?}");
            before.push(answers(&engine, whom));
            assert!(!before[0].contains("no vector yet"), "{}", before[0]);
        }
        for whom in &others {
            assert_eq!(placed(&engine, whom).len(), 11);
            world.store.vector_store().drop_vectors(whom, None).expect("dropped");
        }
        if world.keeper() == Keeper::Sqlite {
            fs::remove_dir_all(derived(world)).expect("deleted");
        }
        for (whom, before) in others.iter().zip(&before) {
            let again = placing(world.reopened());
            let recalled = again.recall(call(whom), &Recall::of("green tea")).expect("recall");
            assert_eq!(recalled.degraded, ["5 of 5 memories have no vector yet; they are found by their words"]);
            assert_eq!(recalled.items.len(), 1, "found by its words: {recalled:#?}");
            let evidence = Recall { grain: Grain::Evidence, ..Recall::of("walnut") };
            let recalled = again.recall(call(whom), &evidence).expect("recall");
            assert_eq!(recalled.degraded, ["6 of 6 memories have no vector yet; they are found by their words"]);
            assert!(again.nearest(call(whom), Grain::Fact, "green tea", 5).expect("nearest").is_empty());
            embed_all(&again, whom);
            assert_eq!(&answers(&again, whom), before);
            assert_eq!(&answers(&placing(world.reopened()), whom), before);
            assert_eq!(&answers(&engine, whom), before, "nor does an engine notice that was open all the while");
        }
    }

    /// Without a model every answer that searched says so.
    fn without_a_model_every_search_says_so(world) {
        say_it_all(world, &world.me);
        for grain in [Grain::Fact, Grain::Evidence] {
            let recalled = world.engine.recall(world.call(NOW), &Recall { grain, ..Recall::of("tea") }).expect("recall");
            assert_eq!(recalled.degraded, [NO_MODEL]);
        }
        assert_eq!(world.turn(NOW, "green tea").degraded, [NO_MODEL]);
        let progress = world.engine.embed_some(world.call(NOW), &budget(10)).expect("nothing to do");
        assert_eq!((progress.done, progress.missing, progress.total), (0, 0, 0));
        assert!(world.engine.query_vector("tea").is_none());
    }

    /// The job goes on where it was stopped: by its budget, by whoever cancels it, by a model that fails.
    fn the_job_goes_on_where_it_was_stopped(world) {
        say_it_all(world, &world.me);
        let whole = placing(engine_on(world.store.clone()));
        embed_all(&whole, &world.me);
        let before = answers(&whole, &world.me);
        world.store.vector_store().drop_vectors(&world.me, None).expect("dropped");
        let step = placing(engine_on(world.store.clone())).embed_some(world.call(NOW), &budget(2)).expect("two");
        assert_eq!((step.done, step.missing, step.total), (2, 9, 11));
        let cancel = Cancel::default();
        let stop = cancel.clone();
        let model = WordHash::named("words").meanwhile(move |_| { stop.cancel(); Ok(()) });
        let engine = engine_on(world.store.clone()).with_embedder(Arc::new(model));
        let limits = Limits { cancel, ..Limits::within(Duration::from_secs(60)) };
        let step = engine.embed_some(world.call(NOW), &EmbedBudget { texts: 100, limits }).expect("stopped");
        assert_eq!((step.done, step.missing), (1, 8), "what was begun is kept");
        let failing = WordHash::named("words").meanwhile(|_| Err(InferenceErrorKind::Busy));
        let engine = engine_on(world.store.clone()).with_embedder(Arc::new(failing));
        let failed = engine.embed_some(world.call(NOW), &budget(100)).expect_err("it fails");
        assert_eq!(failed.kind(), ErrorKind::Unavailable);
        let recalled = engine.recall(world.call(NOW), &Recall::of("green tea")).expect("recall goes on");
        assert_eq!(recalled.items.len(), 1);
        let last = placing(engine_on(world.store.clone()));
        assert_eq!(embed_all(&last, &world.me).done, 8);
        assert_eq!(answers(&last, &world.me), before);
    }

    /// Words forgotten while the model is at work on them do not come back as vectors, nor do those of a message that lost
    /// some of its words.
    fn words_forgotten_meanwhile_get_no_vector(world) {
        say_it_all(world, &world.me);
        let secret = world.said("2026-04-01", "I prefer zyxtea. I like zyxcake.", &[
            claim("self", "prefers", "zyxtea", "I prefer zyxtea"), claim("self", "likes", "zyxcake", "I like zyxcake")]);
        for target in [secret.admitted[0].claim.clone(), secret.evidence.clone().expect("kept")] {
            world.store.vector_store().drop_vectors(&world.me, None).expect("dropped");
            let (store, me, mut target) = (world.store.clone(), world.me.clone(), Some(target));
            let model = WordHash::named("words").meanwhile(move |_| {
                if let Some(target) = target.take() {
                    let call = Call { scope: &me, now: at("2026-05-01") };
                    let told = engine_on(store.clone()).forget(call, &Forget::Ids(vec![target]), false);
                    assert_eq!(told.expect("forgotten").residue, 0);
                }
                Ok(())
            });
            let engine = engine_on(world.store.clone()).with_embedder(Arc::new(model));
            let first = engine.embed_some(world.call(NOW), &budget(100)).expect("embedded");
            assert!(first.done < first.total && first.missing > 0, "what was read before is not kept: {first:#?}");
            embed_all(&engine, &world.me);
            let memory = world.memory();
            for row in placed(&engine, &world.me) {
                let id = ledger::id::EvidenceId(row);
                let found = world.store.evidence(&world.me, &[id]).expect("evidence").remove(0);
                let has_text = found.is_some_and(|evidence| evidence.words.text.is_some());
                assert!(has_text || memory.claim(ledger::id::ClaimId(row)).is_some(), "{row} has a vector and no words");
            }
        }
        let engine = placing(engine_on(world.store.clone()));
        for grain in [Grain::Fact, Grain::Evidence] {
            assert!(engine.recall(world.call(NOW), &Recall { grain, ..Recall::of("zyxtea") }).expect("recall").items.is_empty());
        }
        assert_eq!(search::find(&world.directory(), "zyx"), Vec::<String>::new());
    }

    /// Vectors of another model are another index: never compared, never in the way, and dropped when asked.
    fn another_models_vectors_are_another_index(world) {
        say_it_all(world, &world.me);
        let old = engine_on(world.store.clone()).with_embedder(Arc::new(WordHash::named("old")));
        embed_all(&old, &world.me);
        let before = answers(&old, &world.me);
        let new = placing(engine_on(world.store.clone()));
        let recalled = new.recall(world.call(NOW), &Recall::of("green tea")).expect("recall");
        assert_eq!(recalled.degraded, ["5 of 5 memories have no vector yet; they are found by their words"]);
        embed_all(&new, &world.me);
        assert_ne!(answers(&new, &world.me), before, "another model places words elsewhere");
        let kept = world.store.vector_store();
        assert_eq!(kept.vector_models(&world.me).expect("models").len(), 2);
        let again = engine_on(world.store.clone()).with_embedder(Arc::new(WordHash::named("old")));
        assert_eq!(answers(&again, &world.me), before, "the old one serves whoever uses it");
        kept.drop_vectors(&world.me, old.model()).expect("dropped");
        let left = kept.vector_models(&world.me).expect("models");
        assert_eq!(left.iter().map(|(model, _)| model.name.as_str()).collect::<Vec<_>>(), ["words"]);
        // One that says of itself what is not so is told, not mixed in.
        let model = new.model().expect("a model");
        let other = ModelIdentity { dims: 65, ..model.clone() };
        let read = kept.vectors(&world.me, &other, Placed::Claim, VectorMark::default(), &mut |_| {});
        if world.keeper() == Keeper::Sqlite {
            assert_eq!(read.expect_err("told").kind(), StoreErrorKind::Contract);
        }
    }
}

/// Every way a file can be wrong is a notice: nothing fails, and everything is made anew.
#[test]
fn a_file_that_is_wrong_is_made_anew() {
    let world = World::new(Keeper::Sqlite);
    say_it_all(&world, &world.me);
    let engine = placing(world.reopened());
    embed_all(&engine, &world.me);
    let before = answers(&engine, &world.me);
    drop(engine);
    let file = derived(&world).join("vectors.db");
    let elsewhere = World::new(Keeper::Sqlite);
    say_it_all(&elsewhere, &elsewhere.me);
    embed_all(&placing(elsewhere.reopened()), &elsewhere.me);
    let foreign = derived(&elsewhere).join("vectors.db");
    let spoil = |file: &PathBuf, sql: &str| {
        let connection = Connection::open(file).expect("opens");
        connection.execute_batch(sql).expect("spoilt");
    };
    type Spoil<'spoil> = Box<dyn Fn() + 'spoil>;
    let wrongs: Vec<(&str, Spoil<'_>)> = vec![
        ("empty", Box::new(|| fs::write(&file, b"").expect("written"))),
        ("noise", Box::new(|| fs::write(&file, [7; 40_000]).expect("written"))),
        (
            "cut short",
            Box::new(|| {
                let bytes = fs::read(&file).expect("read");
                fs::write(&file, &bytes[..bytes.len() / 2]).expect("written");
            }),
        ),
        (
            "damaged in the middle",
            Box::new(|| {
                let mut bytes = fs::read(&file).expect("read");
                let length = bytes.len();
                bytes[length / 3..].fill(0x5a);
                fs::write(&file, bytes).expect("written");
            }),
        ),
        (
            "of another program",
            Box::new(|| {
                fs::remove_file(&file).expect("removed");
                spoil(&file, "CREATE TABLE other (one INTEGER); PRAGMA user_version = 1;");
            }),
        ),
        ("of another version", Box::new(|| spoil(&file, "PRAGMA user_version = 99;"))),
        ("of another store", Box::new(|| assert!(fs::copy(&foreign, &file).expect("copied") > 0))),
        ("a directory's ghost", Box::new(|| fs::remove_dir_all(derived(&world)).expect("removed"))),
    ];
    for (what, spoil) in wrongs {
        for ending in ["-wal", "-shm"] {
            _ = fs::remove_file(format!("{}{ending}", file.display()));
        }
        spoil();
        let engine = placing(world.reopened());
        let recalled = engine.recall(call(&world.me), &Recall::of("green tea")).expect("recall");
        assert_eq!(recalled.items.len(), 1, "{what}");
        let progress = engine.embed_some(call(&world.me), &budget(1_000)).expect("embedded");
        assert_eq!(progress.missing, 0, "{what}: {progress:#?}");
        assert_eq!(answers(&engine, &world.me), before, "{what}");
        drop(engine);
        let again = placing(world.reopened());
        let progress = again.embed_some(call(&world.me), &budget(1_000)).expect("embedded");
        assert_eq!(
            (progress.done, progress.missing, progress.notices.len()),
            (0, 0, 0),
            "{what}: {progress:#?}"
        );
        assert_eq!(answers(&again, &world.me), before, "{what}");
    }
}

/// Sealed vectors that were moved between rows, subjects or pieces do not open, and are made again.
#[test]
fn a_vector_moved_to_another_row_is_not_taken_for_its_own() {
    let world = World::new(Keeper::Sqlite);
    say_it_all(&world, &world.me);
    let engine = placing(world.reopened());
    embed_all(&engine, &world.me);
    let before = answers(&engine, &world.me);
    drop(engine);
    let file = derived(&world).join("vectors.db");
    let connection = Connection::open(&file).expect("opens");
    let moved = connection
        .execute("UPDATE vector SET sealed = (SELECT sealed FROM vector WHERE kind = 2 AND number = 1) WHERE kind = 2", [])
        .expect("moved");
    assert_eq!(moved, 5);
    drop(connection);
    let engine = placing(world.reopened());
    assert_eq!(embed_all(&engine, &world.me).done, 4, "all but the one that stands where it belongs");
    assert_eq!(answers(&engine, &world.me), before);
}

/// Two processes on one directory share what each made.
#[test]
fn two_on_one_directory_share_their_vectors() {
    let world = World::new(Keeper::Sqlite);
    say_it_all(&world, &world.me);
    let (left, right) = (placing(world.reopened()), placing(world.reopened()));
    for grain in [Grain::Fact, Grain::Evidence] {
        assert!(right.nearest(call(&world.me), grain, "tea", 9).expect("nearest").is_empty());
    }
    assert_eq!(left.embed_some(call(&world.me), &budget(4)).expect("some").missing, 7);
    assert_eq!(right.embed_progress(call(&world.me)).expect("progress").missing, 7);
    assert_eq!(embed_all(&right, &world.me).done, 7);
    assert_eq!(left.embed_progress(call(&world.me)).expect("progress").missing, 0);
    assert_eq!(answers(&left, &world.me), answers(&right, &world.me));
    // One writes; the other's job finds it, and the first does not do it again.
    let _ =
        world.said("2026-04-02", "I like walnuts.", &[claim("self", "likes", "walnuts", "I like walnuts")]);
    assert_eq!(embed_all(&left, &world.me).done, 2);
    assert_eq!(embed_all(&right, &world.me).done, 0);
    // Both at once: nothing is lost, nothing fails.
    world.store.vector_store().drop_vectors(&world.me, None).expect("dropped");
    let engines: Vec<Engine> = (0..3).map(|_| placing(world.reopened())).collect();
    std::thread::scope(|all| {
        for engine in &engines {
            let me = &world.me;
            all.spawn(
                move || while engine.embed_some(call(me), &budget(2)).expect("embedded").missing > 0 {},
            );
        }
    });
    for engine in &engines {
        assert_eq!(answers(engine, &world.me), answers(&left, &world.me));
    }
}

/// A job that is killed in the middle has kept what it told of, and is gone on with.
#[test]
fn a_killed_job_is_gone_on_with() {
    let world = World::new(Keeper::Sqlite);
    for number in 0..40 {
        let text = format!("I like puzzle number {number}.");
        let _ = world.said(
            "2026-03-01",
            &text,
            &[claim("self", "likes", &format!("puzzle number {number}"), text.trim_end_matches('.'))],
        );
    }
    let before = AtomicU64::new(80);
    for enough in [1, 12, 30] {
        let mut job = Command::new(env!("CARGO_BIN_EXE_killed-writer"))
            .args([world.directory().as_os_str()])
            .args(["embed", "words"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the job starts");
        let lines = BufReader::new(job.stdout.take().expect("its output")).lines();
        for line in lines.map_while(Result::ok) {
            if line.parse::<usize>().is_ok_and(|taken| taken >= enough) {
                job.kill().expect("killed");
            }
        }
        assert!(!job.wait().expect("it is gone").success());
        let again = placing(world.reopened());
        assert!(again.verify(call(&world.me)).expect("verified").ok);
        let progress = again.embed_progress(call(&world.me)).expect("progress");
        assert_eq!(progress.total, 80);
        assert!(progress.missing <= before.swap(progress.missing, Ordering::Relaxed), "{progress:#?}");
        assert!(progress.missing > 0);
    }
    let killed = placing(world.reopened());
    embed_all(&killed, &world.me);
    let answered = answers(&killed, &world.me);
    world.store.vector_store().drop_vectors(&world.me, None).expect("dropped");
    let anew = placing(world.reopened());
    embed_all(&anew, &world.me);
    assert_eq!(answers(&anew, &world.me), answered);
}
