//! **Scope cannot be left out.** "Every store call takes a `Scope`; by-id reads too. A foreign id answers exactly like an id
//! that never existed."

use engine::forget::Forget;
use engine::history::Resolve;
use engine::observe::Observing;
use engine::recall::{Grain, Recall};
use engine::{Call, EngineError};
use ledger::id::{Kind, Position};
use ledger::scope::Scope;
use proofs::{World, at, message, on_every_store};
use serde_json::{Value as Json, json};

use crate::speak::{claim, told};

const NOW: &str = "2026-06-01";

/// The ids of one subject, one of each kind.
#[derive(Clone, Debug)]
struct Ids {
    evidence: String,
    claim: String,
    fact: String,
    version: String,
    source: String,
    turn: String,
    handle_count: usize,
}

fn live(world: &World, scope: &Scope, secret: &str) -> Ids {
    let mut last = None;
    for (name, people) in [("handbook", "250"), ("brochure", "300")] {
        let text = format!("From the {name} of {secret}: Acme has {people} employees.");
        last = Some(world.observe_for(scope, "2026-03-01", json!({
            "source": {"kind": "document", "ref": name}, "author": "external", "event_time": "2026-03-01", "text": text,
            "proposals": [claim("acme", "headcount", people, &format!("Acme has {people} employees"))]})));
    }
    let last = last.expect("observed");
    let call = Call { scope, now: at(NOW) };
    let turned = world.engine.turn(call, &engine::turn::Turn::of("Acme employees")).expect("turn");
    let evidence = last.evidence.clone().expect("kept");
    let why = world.engine.why(call, &evidence).expect("a receipt");
    Ids {
        evidence,
        claim: last.admitted[0].claim.clone(),
        fact: last.admitted[0].fact.clone(),
        version: last.admitted[0].version.clone().expect("a version"),
        source: why.evidence[0].source.id.clone(),
        turn: turned.turn,
        handle_count: turned.selected.len(),
    }
}

/// The answer of every verb that takes an id, in one list: `(verb, answer)`, the id itself replaced.
fn ask_everything(world: &World, scope: &Scope, own: &Ids, id: &str) -> Vec<(String, String)> {
    let engine = &world.engine;
    let call = Call { scope, now: at(NOW) };
    let tell = |result: Result<Json, EngineError>| match result {
        Ok(answer) => format!("answered {answer}"),
        Err(error) => format!(
            "{:?}: {}",
            error.kind(),
            error.to_string().replace(&id.chars().take(80).collect::<String>(), "<id>")
        ),
    };
    let json = |answer: &dyn erased::Told| answer.told();
    let resolve = |fact: &str, keep: &str| {
        let resolve = Resolve {
            fact: fact.to_owned(),
            keep: keep.to_owned(),
            reason: "because".to_owned(),
            by: "Ana".to_owned(),
        };
        engine.resolve_dispute(call, &resolve)
    };
    let lineage = |lineage: &str| {
        let message = message(json!({
            "source": {"kind": "document", "ref": format!("a copy of {}", lineage.len()), "lineage": lineage}, "author": "external",
            "event_time": "2026-04-01", "text": "nothing much"}));
        engine.observe(call, vec![message], Observing::default())
    };
    let ids = |id: &str| Forget::Ids(vec![id.to_owned()]);
    let mut answers = vec![
        ("why", tell(engine.why(call, id).map(|answer| json(&answer)))),
        ("history", tell(engine.history(call, id).map(|answer| json(&answer)))),
        ("replay", tell(engine.replay(call, id).map(|answer| json(&answer)))),
        ("used", tell(engine.used(call, id, &["M1".to_owned()]).map(|answer| json(&answer)))),
        ("used, nothing", tell(engine.used(call, id, &[]).map(|answer| json(&answer)))),
        (
            "used, a wrong handle",
            tell(engine.used(call, id, &["M99".to_owned()]).map(|answer| json(&answer))),
        ),
        ("resolve, fact", tell(resolve(id, &own.version).map(|answer| json(&answer)))),
        ("resolve, keep", tell(resolve(&own.fact, id).map(|answer| json(&answer)))),
        (
            "forget, source",
            tell(engine.forget(call, &Forget::Source(id.to_owned()), false).map(|answer| json(&answer))),
        ),
        (
            "forget, source, dry",
            tell(engine.forget(call, &Forget::Source(id.to_owned()), true).map(|answer| json(&answer))),
        ),
    ];
    if id.starts_with(Kind::Source.prefix()) {
        answers.push(("observe, lineage", tell(lineage(id).map(|answer| json(&answer)))));
    }
    answers.push(("forget", tell(engine.forget(call, &ids(id), false).map(|answer| json(&answer)))));
    answers.push(("forget, dry", tell(engine.forget(call, &ids(id), true).map(|answer| json(&answer)))));
    answers.into_iter().map(|(verb, answer)| (verb.to_owned(), answer)).collect()
}

/// Answers of different types, told alike.
mod erased {
    pub trait Told {
        fn told(&self) -> serde_json::Value;
    }

    impl<T: serde::Serialize> Told for T {
        fn told(&self) -> serde_json::Value {
            super::told(self)
        }
    }
}

on_every_store! {
    /// Every verb, with an id of another subject, one that never existed, one that is made up, one that is none.
    fn a_foreign_id_is_an_id_that_never_existed(world) {
        let (mine, theirs) = (proofs::world::scope("me"), proofs::world::scope("somebody else"));
        let own = live(world, &mine, "mine");
        let foreign = live(world, &theirs, "theirs");
        assert!(own.handle_count > 0 && foreign.handle_count > 0);
        let keys = world.store.keys(&mine).expect("read").expect("founded");
        let before = world.printed(NOW);
        let before_theirs = ledger::print::print(&proofs::fold(&*world.store, &theirs, u64::MAX), world.engine.registry(),
            &proofs::fold(&*world.store, &theirs, u64::MAX).now(at(NOW)));
        let long = format!("fa_{}", "0".repeat(500));
        for (kind, foreign) in [
            (Kind::Evidence, &foreign.evidence), (Kind::Claim, &foreign.claim), (Kind::Fact, &foreign.fact),
            (Kind::Version, &foreign.version), (Kind::Source, &foreign.source), (Kind::Turn, &foreign.turn),
        ] {
            let prefix = kind.prefix();
            let never = keys.ids.seal(kind, Position::new(9_999, 7));
            let guessed = format!("{prefix}{}", "0123456789abcdefghjkmnpqrs");
            let reference = ask_everything(world, &mine, &own, &guessed);
            assert!(reference.iter().all(|(_, answer)| answer.starts_with("NotFound")), "{kind:?}: {reference:#?}");
            for (what, id) in [("another subject's", foreign.as_str()), ("never there", &never), ("malformed", &format!("{prefix}!")),
                               ("too short", prefix), ("too long", &long), ("upper case", &foreign.to_uppercase())] {
                let answers = ask_everything(world, &mine, &own, id);
                for ((verb, answer), (_, wanted)) in answers.iter().zip(&reference) {
                    // What has not even the shape of an id is a name of a lineage, for the one verb that takes names.
                    if verb == "observe, lineage" && (what != "another subject's" && what != "never there") {
                        continue;
                    }
                    assert_eq!(answer, wanted, "{kind:?} id {what}: {verb}");
                }
            }
        }
        let strip = |printed: &str| printed.lines().filter(|line| !line.starts_with("source ")).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(strip(&world.printed(NOW)), strip(&before), "nothing of all this changed a fact of mine");
        let theirs_now = proofs::fold(&*world.store, &theirs, u64::MAX);
        assert_eq!(ledger::print::print(&theirs_now, world.engine.registry(), &theirs_now.now(at(NOW))), before_theirs);
    }

    /// The reads without ids: nothing of one subject is in any answer of another.
    fn no_read_crosses(world) {
        let (mine, theirs) = (proofs::world::scope("me"), proofs::world::scope("somebody else"));
        live(world, &theirs, "zyxtheirs");
        let call = Call { scope: &mine, now: at(NOW) };
        let engine = &world.engine;
        let empty = |world: &World| -> Vec<Json> {
            let mut all = Vec::new();
            for grain in [Grain::Fact, Grain::Evidence, Grain::Compiled] {
                all.push(told(&engine.recall(call, &Recall { grain, ..Recall::of("Acme employees zyxtheirs handbook") }).expect("recall")));
            }
            all.push(told(&engine.state(call, None, None).expect("state")));
            all.push(told(&engine.disputes(call, None, None).expect("disputes")));
            all.push(told(&engine.verify(call).expect("verify")));
            all.push(Json::String(world.printed(NOW)));
            let mut turned = told(&engine.turn(call, &engine::turn::Turn::of("Acme employees")).expect("turn"));
            turned["turn"] = Json::Null;
            all.push(turned);
            all
        };
        let said = Json::Array(empty(world)).to_string();
        for word in ["zyxtheirs", "acme", "250", "handbook"] {
            assert!(!said.to_lowercase().contains(word), "`{word}` crossed: {said}");
        }
        let alone = World::new(world.keeper());
        let alone_call = Call { scope: &mine, now: at(NOW) };
        let recalled = told(&alone.engine.recall(alone_call, &Recall::of("Acme employees zyxtheirs handbook")).expect("recall"));
        assert_eq!(empty(world)[0], recalled, "as in a world where the other never lived");
    }

    /// Names that look alike are not the same subject; forms of one name are.
    fn subjects_are_told_apart_by_name_alone(world) {
        let names = ["me", "Me", "ME", "me.", "m\u{435}", "me me", "me%", "me' OR '1'='1", "%", "_", "*", "me/../somebody"];
        for name in names {
            live(world, &proofs::world::scope(name), "a");
            let scope = proofs::world::scope(name);
            let state = world.engine.state(Call { scope: &scope, now: at(NOW) }, None, None).expect("state");
            assert_eq!(state.items.len(), 2, "`{name}` sees its own and nobody else's");
        }
        assert_eq!(world.store.subjects().expect("read").len(), names.len());
        assert_eq!(proofs::world::scope("Zoe\u{308}"), proofs::world::scope(" Zo\u{eb} "), "two spellings of one name");
    }

    /// The store itself: positions of one subject open nothing of another.
    fn the_store_itself_keeps_them_apart(world) {
        let (mine, theirs) = (proofs::world::scope("me"), proofs::world::scope("somebody else"));
        live(world, &theirs, "theirs");
        let store = &world.store;
        let all = store.evidence_after(&theirs, None, 100).expect("read");
        assert_eq!(all.len(), 2);
        let ids: Vec<_> = all.iter().map(|(id, _)| *id).collect();
        assert_eq!(store.evidence(&mine, &ids).expect("read"), vec![None, None]);
        assert_eq!(store.evidence_after(&mine, None, 100).expect("read"), Vec::new());
        assert_eq!(store.head(&mine).expect("read").watermark, 0);
        let marks: Vec<_> = all.iter().map(|(_, evidence)| evidence.marks).collect();
        assert!(store.recognise(&mine, &marks).expect("read").iter().all(|known| *known == ledger::store::Recognised::New));
        let turn = ledger::id::TurnId(Position::new(1, 0));
        assert!(store.turn(&theirs, turn).expect("read").is_some());
        assert!(store.turn(&mine, turn).expect("read").is_none());
        assert!(!store.record_use(&mine, turn, &[0], at(NOW)).unwrap_or(false));
        assert_eq!(store.turn(&theirs, turn).expect("read").expect("there").1, Vec::<u32>::new());
        let mine_keys = store.found(&mine).expect("founded");
        let their_keys = store.found(&theirs).expect("founded");
        let mark = |keys: &ledger::keys::SubjectKeys| keys.fingerprint(ledger::keys::Purpose::Text, &[b"the same words"]);
        assert_ne!(mark(&mine_keys), mark(&their_keys), "equal words of two subjects cannot be matched on disk");
    }
}
