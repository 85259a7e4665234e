//! **Forgetting is deletion.** "The words are in no file of the data directory afterwards (byte search), in no index, trace,
//! page or history; facts with other support stay; supersessions the erased words caused are undone; work in flight cannot
//! bring them back; importing the same source again does not relearn them."
//!
//! Everything a store keeps is sealed, so a search for the words alone would find nothing whether they were forgotten or
//! not. The search is therefore for more: for the sealed bytes too, which somebody with the keys could open.

mod accounting;
mod interleaving;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::answer::Observed;
use engine::forget::{Forget, Which};
use engine::history::Resolve;
use engine::observe::Observing;
use engine::recall::{Grain, Recall};
use engine::turn::Turn;
use engine::{Call, Engine};
use ledger::id::TurnId;
use ledger::scope::Scope;
use proofs::search::Search;
use proofs::{Keeper, World, at, message, on_every_store, search};
use serde_json::{Value as Json, json};

use crate::speak::{claim, told, with};

const NOW: &str = "2026-06-01";

/// Words that stand nowhere else, one for each place a person's words can get into.
const NEEDLES: &[&str] = &[
    "zyxtext",
    "zyxvalue",
    "zyxentity",
    "zyxquote",
    "zyxsession",
    "zyxexternal",
    "zyxattachment",
    "zyxauthor",
    "zyxkey",
    "zyxinferred",
];
/// Words that name the source: they stay as long as the source does.
const SOURCE_NEEDLES: &[&str] = &["zyxref", "zyxtitle"];
/// Words of requests, which are never kept at all.
const REQUEST_NEEDLES: &[&str] = &["zyxquery", "zyxturn", "zyxhint"];

/// The message that will be forgotten, with a needle in every place.
fn needle_message() -> Json {
    json!({
        "source": {"kind": "conversation", "ref": "chat zyxref", "title": "Chat zyxtitle"}, "session": "session zyxsession",
        "author": "owner", "author_name": "Ana Zyxauthor", "event_time": "2026-03-01", "external_id": "id zyxexternal",
        "idempotency_key": "key zyxkey", "attachments": [{"name": "zyxattachment.pdf", "media_type": "application/pdf", "size": 5}],
        "text": "Zyxtext is what I say. I prefer zyxvalue. Zyxentity is on hold, zyxquote says. We met zyxinferred. It was done.",
        "proposals": [
            claim("self", "prefers", "zyxvalue", "I prefer zyxvalue"),
            claim("project:zyxentity", "project_status", "on hold", "Zyxentity is on hold, zyxquote says"),
            {"entity": "self", "predicate": "note", "value": "zyxinferred done", "confidence": 0.9,
             "quotes": ["We met zyxinferred", "It was done"]},
        ],
    })
}

/// Neighbours: words of other messages, sources and people, which must not notice.
fn neighbours(world: &World) -> Scope {
    let _ = world.said(
        "2026-02-01",
        "I live in Zagreb. No meetings before 9:30.",
        &[
            claim("self", "home_city", "Zagreb", "I live in Zagreb"),
            claim("self", "no_meetings_before", "9:30", "No meetings before 9:30"),
        ],
    );
    for (name, people) in [("handbook", "250"), ("brochure", "300")] {
        let text = format!("From the {name}: Acme has {people} employees.");
        let _ = world.document(
            name,
            "2026-02-02",
            &text,
            &[claim("acme", "headcount", people, &format!("Acme has {people} employees"))],
        );
    }
    let other = proofs::world::scope("somebody else");
    // The neighbour says the very same words, in a source of the very same name.
    let observed = world.observe_for(&other, "2026-03-01", needle_message());
    assert_eq!(observed.counts.admitted, 3, "{observed:#?}");
    other
}

fn ask_with_needles(world: &World) {
    for grain in [Grain::Fact, Grain::Evidence] {
        let recall = Recall { grain, ..Recall::of("zyxquery zyxvalue") };
        world.engine.recall(world.call(NOW), &recall).expect("recall");
    }
    let turn = Turn {
        hints: vec![("topic".to_owned(), "zyxhint".to_owned())],
        ..Turn::of("zyxturn zyxvalue Zagreb")
    };
    let turned = world.engine.turn(world.call(NOW), &turn).expect("turn");
    world.engine.used(world.call(NOW), &turned.turn, &["M1".to_owned()]).expect("used");
}

/// What the reads of one subject say, all in one text.
fn everything_said(engine: &Engine, scope: &Scope) -> String {
    let call = Call { scope, now: at(NOW) };
    let mut said = String::new();
    let mut ids: BTreeSet<String> = BTreeSet::new();
    let mut hear = |json: Json| {
        collect_ids(&json, &mut ids);
        said.push_str(&json.to_string());
        said.push('\n');
    };
    for query in NEEDLES
        .iter()
        .chain(SOURCE_NEEDLES)
        .chain(REQUEST_NEEDLES)
        .chain(&["Zagreb", "prefer", "status", "note"])
    {
        for grain in [Grain::Fact, Grain::Evidence, Grain::Compiled] {
            for (valid_at, believed_at) in
                [(None, None), (Some("2026-03-15"), None), (None, Some("2026-03-15"))]
            {
                let recall = Recall {
                    grain,
                    valid_at: valid_at.map(at),
                    believed_at: believed_at.map(at),
                    limit: 100,
                    ..Recall::of("")
                };
                let mut answer = told(
                    &engine.recall(call, &Recall { query: (*query).to_owned(), ..recall }).expect("recall"),
                );
                answer["query"] = Json::Null;
                hear(answer);
            }
        }
    }
    for believed_at in [None, Some("2026-03-15")] {
        hear(told(&engine.state(call, None, believed_at.map(at)).expect("state")));
        hear(told(&engine.state(call, Some(at("2026-03-15")), believed_at.map(at)).expect("state")));
        hear(told(&engine.disputes(call, None, believed_at.map(at)).expect("disputes")));
    }
    let known = ids.clone();
    for id in &known {
        if let Ok(why) = engine.why(call, id) {
            said.push_str(&told(&why).to_string());
        }
        if let Ok(history) = engine.history(call, id) {
            said.push_str(&told(&history).to_string());
        }
    }
    said
}

fn collect_ids(json: &Json, ids: &mut BTreeSet<String>) {
    match json {
        Json::String(text) if text.len() == 29 && text.as_bytes().get(2) == Some(&b'_') => {
            _ = ids.insert(text.clone())
        }
        Json::Object(fields) => fields.values().for_each(|field| collect_ids(field, ids)),
        Json::Array(items) => items.iter().for_each(|item| collect_ids(item, ids)),
        _ => {}
    }
}

/// Everything the store holds of a subject, opened with its keys.
fn everything_kept(world: &World, scope: &Scope) -> String {
    let store = &world.store;
    let mut all = format!("{:?}", store.changes_since(scope, 0).expect("the log"));
    all.push_str(&format!("{:?}", store.evidence_after(scope, None, 100_000).expect("evidence")));
    for number in 1..200 {
        match store.turn(scope, TurnId(ledger::id::Position::new(number, 0))).expect("turns") {
            Some(turn) => all.push_str(&format!("{turn:?}")),
            None => break,
        }
    }
    all
}

/// Every cell of the database that holds sealed bytes.
fn sealed_cells(directory: &Path) -> BTreeSet<Vec<u8>> {
    let database = rusqlite::Connection::open(directory.join("ledger.db")).expect("opened");
    let names = |sql: &str| -> Vec<String> {
        let mut statement = database.prepare(sql).expect("prepared");
        statement.query_map([], |row| row.get(0)).and_then(Iterator::collect).expect("read")
    };
    let mut cells = BTreeSet::new();
    for table in names("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'") {
        let columns = names(&format!("SELECT name FROM pragma_table_info('{table}')"));
        for column in columns
            .iter()
            .filter(|column| ["words", "text", "name", "seed", "wrapped"].contains(&column.as_str()))
        {
            let mut statement = database
                .prepare(&format!("SELECT \"{column}\" FROM \"{table}\" WHERE typeof(\"{column}\") = 'blob'"))
                .expect("prepared");
            let found: Vec<Vec<u8>> =
                statement.query_map([], |row| row.get(0)).and_then(Iterator::collect).expect("read");
            cells.extend(found.into_iter().filter(|cell| cell.len() >= 24));
        }
    }
    cells
}

/// Of the cells that are gone, none may stand in any file, not even in part.
fn gone_for_good(directory: &Path, before: &BTreeSet<Vec<u8>>, what: &str) {
    let after = sealed_cells(directory);
    let gone: Vec<&Vec<u8>> = before.difference(&after).collect();
    assert!(!gone.is_empty(), "{what}: nothing left the database");
    // A page may have been cut or moved: any stretch of a cell gives it away.
    let parts: BTreeSet<&[u8]> = gone.iter().flat_map(|cell| cell.chunks_exact(16)).collect();
    let mut begins = vec![false; 1 << 16];
    parts.iter().for_each(|part| begins[usize::from(part[0]) << 8 | usize::from(part[1])] = true);
    for file in search::files(directory) {
        let bytes = std::fs::read(&file).expect("read");
        let found = bytes.windows(16).any(|window| {
            begins[usize::from(window[0]) << 8 | usize::from(window[1])] && parts.contains(window)
        });
        assert!(!found, "{what}: sealed bytes of erased words stand in {}", file.display());
    }
}

fn knows_nothing(world: &World, scope: &Scope, needles: &[&str], what: &str) {
    let kept = everything_kept(world, scope).to_lowercase();
    for engine in [&world.engine, &world.reopened()] {
        let said = everything_said(engine, scope).to_lowercase();
        for needle in needles {
            assert!(!said.contains(needle), "{what}: an answer still says `{needle}`");
        }
    }
    for needle in needles {
        assert!(!kept.contains(needle), "{what}: the store still keeps `{needle}`");
    }
    let hits = Search::of(needles).in_files(&world.directory());
    assert!(hits.is_empty(), "{what}: {hits:?}");
}

/// The ways of asking for it. Each gets what was observed and answers what to forget.
type Way = (&'static str, fn(&Observed, &World) -> Forget, bool);

const WAYS: &[Way] = &[
    ("by evidence", |observed, _| Forget::Ids(vec![observed.evidence.clone().expect("kept")]), false),
    (
        "by claims",
        |observed, _| Forget::Ids(observed.admitted.iter().map(|one| one.claim.clone()).collect()),
        false,
    ),
    (
        "by facts",
        |observed, _| Forget::Ids(observed.admitted.iter().map(|one| one.fact.clone()).collect()),
        false,
    ),
    (
        "by versions",
        |observed, _| Forget::Ids(observed.admitted.iter().filter_map(|one| one.version.clone()).collect()),
        false,
    ),
    ("by source, named", |_, _| Forget::Source("conversation:chat zyxref".to_owned()), true),
    (
        "by source, by id",
        |observed, world| {
            let why = world
                .engine
                .why(world.call(NOW), observed.evidence.as_deref().expect("kept"))
                .expect("a receipt");
            Forget::Ids(vec![why.evidence[0].source.id.clone()])
        },
        true,
    ),
    (
        "by session",
        |_, _| Forget::Messages(Which { session: Some("session zyxsession".to_owned()), ..Which::default() }),
        false,
    ),
    (
        "by time",
        |_, _| {
            let (from, to) = (Some(at("2026-03-01")), Some(at("2026-03-02")));
            Forget::Messages(Which { from, to, ..Which::default() })
        },
        false,
    ),
    ("the whole subject", |_, _| Forget::Subject, true),
];

/// The search itself finds what it is to find: a test that could not fail would prove nothing.
#[test]
fn the_search_finds_every_disguise() {
    let directory = tempfile::tempdir().expect("a directory");
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for (number, bytes) in [
        b"so it says zyxtext here".to_vec(),
        b"so it says ZYXTEXT here".to_vec(),
        utf16("it says zyxtext"),
        b"7a797874657874".to_vec(),
        b"7A797874657874".to_vec(),
        b"enl4dGV4dA==".to_vec(),
        b"YXp5eHRleHQ=".to_vec(),
        b"YWF6eXh0ZXh0".to_vec(),
    ]
    .into_iter()
    .enumerate()
    {
        let file = directory.path().join("file");
        #[allow(clippy::disallowed_methods, reason = "a file of the test's own")]
        std::fs::write(&file, &bytes).expect("written");
        assert!(!search::find(directory.path(), "zyxtext").is_empty(), "disguise {number}");
        assert!(search::find(directory.path(), "zyxother").is_empty(), "disguise {number}");
    }
}

on_every_store! {
    /// A needle in every place words can get into; forgotten in every way it can be asked for.
    fn the_words_are_nowhere_afterwards(world) {
        for (number, (what, way, with_source)) in WAYS.iter().enumerate() {
            let world = World::new(world.keeper());
            let other = neighbours(&world);
            let observed = world.observe("2026-03-01", needle_message());
            assert_eq!(observed.counts.admitted, 3, "{observed:#?}");
            ask_with_needles(&world);
            let kept = everything_kept(&world, &world.me).to_lowercase();
            let said = everything_said(&world.engine, &world.me).to_lowercase();
            for needle in NEEDLES.iter().filter(|needle| **needle != "zyxkey") {
                assert!(kept.contains(needle), "`{needle}` was kept before");
            }
            for needle in ["zyxtext", "zyxvalue", "zyxentity", "zyxquote", "zyxinferred", "zyxref"] {
                assert!(said.contains(needle), "`{needle}` was told before");
            }
            for needle in REQUEST_NEEDLES {
                assert!(!kept.contains(needle), "a request's words were kept: `{needle}`");
            }
            let neighbours_before = everything_said(&world.engine, &other);
            let sealed = (world.keeper() == Keeper::Sqlite).then(|| sealed_cells(&world.directory()));
            let forget = way(&observed, &world);

            let dry = world.engine.forget(world.call(NOW), &forget, true).expect("told");
            assert!(dry.dry_run);
            assert_eq!(everything_kept(&world, &world.me).to_lowercase(), kept, "{what}: a dry run changes nothing");

            let forgotten = world.engine.forget(world.call(NOW), &forget, false).expect("forgotten");
            assert_eq!(forgotten.residue, 0, "{what}");
            assert_eq!((forgotten.erased.evidence, forgotten.erased.claims), (dry.erased.evidence, dry.erased.claims), "{what}");
            let mut needles: Vec<&str> = NEEDLES.iter().chain(REQUEST_NEEDLES).copied().collect();
            if *with_source {
                needles.extend(SOURCE_NEEDLES);
            }
            if world.keeper() == Keeper::Sqlite {
                let sealed = sealed.expect("read before");
                gone_for_good(&world.directory(), &sealed, what);
            }
            knows_nothing(&world, &world.me, &needles, what);
            for id in observed.admitted.iter().flat_map(|one| [Some(&one.claim), Some(&one.fact), one.version.as_ref()]).flatten()
                .chain(observed.evidence.as_ref())
            {
                let gone = world.engine.why(world.call(NOW), id).expect_err("nothing is known of it").to_string();
                assert_eq!(gone, format!("nothing with id `{id}` is known here"), "{what}");
                assert!(world.engine.history(world.call(NOW), id).is_err(), "{what}");
            }
            assert_eq!(everything_said(&world.engine, &other), neighbours_before, "{what}: the neighbour noticed");
            let verified = world.engine.verify_all(at(NOW)).expect("verified");
            assert!(verified.ok, "{what}: {verified:#?}");

            // The same again, as a re-import would bring it; also with other times, and without the source's own id.
            for (day, change) in [json!({}), json!({"event_time": "2026-03-09"}), json!({"external_id": null}),
                                  json!({"external_id": null, "event_time": "2026-03-09"})].into_iter().enumerate() {
                let mut again = with(needle_message(), change);
                again["idempotency_key"] = json!(format!("key {number} {day}"));
                let observed = world.observe(&format!("2026-07-0{}", day + 1), again);
                assert_eq!((observed.evidence.as_ref(), observed.counts.admitted), (None, 0), "{what}: {observed:#?}");
                assert!(observed.refused.iter().all(|refused| refused.code == "forgotten"), "{what}: {observed:#?}");
                assert!(!observed.notices.is_empty(), "{what}: it says why");
            }
            knows_nothing(&world, &world.me, &needles, &format!("{what}, imported again"));
            assert_eq!(everything_said(&world.engine, &other), neighbours_before, "{what}: the neighbour noticed the import");
        }
    }

    /// A source that was forgotten whole is not learnt again either, though it says something new.
    fn a_forgotten_source_is_not_relearnt(world) {
        let letter = |number: usize| json!({
            "source": {"kind": "mail", "ref": "bo"}, "author": "external", "event_time": format!("2026-03-0{number}"),
            "external_id": format!("m{number}"), "text": format!("Acme has {number}00 employees."),
            "proposals": [claim("acme", "headcount", &format!("{number}00"), &format!("Acme has {number}00 employees"))],
        });
        for number in 1..4 {
            assert_eq!(world.observe("2026-03-10", letter(number)).counts.admitted, 1);
        }
        world.engine.forget(world.call("2026-04-01"), &Forget::Source("mail:bo".to_owned()), false).expect("forgotten");
        assert_eq!(world.state(NOW).items.len(), 0);
        for number in 1..7 {
            let observed = world.observe("2026-05-10", letter(number));
            assert_eq!((observed.evidence.as_ref(), observed.counts.admitted), (None, 0), "letter {number}: {observed:#?}");
        }
        let other = world.observe("2026-05-10", with(letter(1), json!({"source": {"kind": "mail", "ref": "cy"}})));
        assert_eq!(other.counts.admitted, 1, "another source may still say so");
    }

    /// What stands on other words stays, with the support that is left.
    fn what_others_said_stays(world) {
        let said = |name: &str, minute: usize| world.document(name, &format!("2026-03-01 10:{minute:02}"),
            &format!("By the {name}, Acme has 250 employees."), &[claim("acme", "headcount", "250", "Acme has 250 employees")]);
        let (first, second, third) = (said("handbook", 0), said("brochure", 1), said("register", 2));
        let support = |world: &World| world.state(NOW).items.iter().map(|item| (item.id.clone(), item.support)).collect::<Vec<_>>();
        let version = first.admitted[0].version.clone().expect("a version");
        assert_eq!(support(world), [(version.clone(), 3)]);
        for (observed, left) in [(&first, 2), (&third, 1)] {
            let forgotten = world.engine.forget(world.call(NOW), &Forget::Ids(vec![observed.evidence.clone().expect("kept")]), false).expect("forgotten");
            assert_eq!(forgotten.kept, [version.as_str()], "it is told what stays");
            assert_eq!(support(world), [(version.clone(), left)]);
        }
        let why = world.engine.why(world.call(NOW), &version).expect("it still answers for itself");
        assert_eq!(why.claims.len(), 1);
        assert!(why.claims[0].quote.contains("250") && why.evidence[0].source.reference == "brochure");
        world.engine.forget(world.call(NOW), &Forget::Ids(vec![second.evidence.expect("kept")]), false).expect("forgotten");
        assert_eq!(support(world), []);
    }

    /// The history is what it would be, had the words never been heard.
    fn what_the_words_had_ended_stands_again(world) {
        let hours = ["08:00", "09:30", "10:00", "11:00"];
        let say = |place: usize, now: &str| {
            let text = format!("No meetings before {}.", hours[place]);
            world.said(now, &text, &[claim("self", "no_meetings_before", hours[place], &text[..text.len() - 1])])
        };
        let all: Vec<Observed> = (0..4).map(|place| say(place, &format!("2026-0{}-01", place + 1))).collect();
        let at_noon = |valid_at: &str| {
            let state = world.engine.state(world.call(NOW), Some(at(valid_at)), None).expect("state");
            state.items.iter().map(|item| item.value.as_str().expect("a time").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(at_noon("2026-05-01"), ["11:00"]);
        let forget = |place: usize| world.engine.forget(world.call(NOW), &Forget::Ids(vec![all[place].evidence.clone().expect("kept")]), false).expect("forgotten");
        let forgotten = forget(3);
        assert_eq!(forgotten.reopened, [all[2].admitted[0].version.clone().expect("a version")]);
        assert_eq!(at_noon("2026-05-01"), ["10:00"]);
        forget(1);
        assert_eq!(at_noon("2026-02-15"), ["08:00"], "what came before holds until what came after");
        assert_eq!(at_noon("2026-03-15"), ["10:00"]);
        forget(2);
        assert_eq!(at_noon("2026-05-01"), ["08:00"]);
        let history = world.engine.history(world.call(NOW), &all[0].admitted[0].fact).expect("history");
        assert_eq!(history.versions.len(), 1);
        assert_eq!(history.transitions.len(), 1, "as if nothing had ever ended it: {history:#?}");
    }

    /// A dispute shrinks by the side that is forgotten, and the act that settled it goes with what it settled.
    fn a_dispute_shrinks(world) {
        let say = |name: &str, people: &str| world.document(name, "2026-03-01", &format!("By the {name}, Acme has {people} employees."),
            &[claim("acme", "headcount", people, &format!("Acme has {people} employees"))]);
        let (first, second, third) = (say("handbook", "250"), say("brochure", "300"), say("register", "350"));
        let disputes = || world.engine.disputes(world.call(NOW), None, None).expect("disputes").disputes;
        let forget = |observed: &Observed| world.engine.forget(world.call(NOW), &Forget::Ids(vec![observed.evidence.clone().expect("kept")]), false).expect("forgotten");
        assert_eq!(disputes()[0].versions.len(), 3);
        forget(&third);
        assert_eq!(disputes()[0].versions.len(), 2);
        let resolve = Resolve {
            fact: first.admitted[0].fact.clone(), keep: first.admitted[0].version.clone().expect("a version"),
            reason: "the brochure's zyxreason is a guess".to_owned(), by: "Zyxby".to_owned(),
        };
        world.engine.resolve_dispute(world.call(NOW), &resolve).expect("resolved");
        assert_eq!(disputes().len(), 0);
        assert!(everything_kept(world, &world.me).contains("zyxreason"));
        forget(&second);
        let state = world.state(NOW);
        assert_eq!(state.items.len(), 1);
        assert_eq!(state.items[0].support, 1);
        knows_nothing(world, &world.me, &["zyxreason", "zyxby", "brochure's"], "a settled dispute whose other side was forgotten");
    }

    /// Forgetting one thing said in a message leaves the other things it says, and nothing else of the message.
    fn one_claim_of_a_message_goes_alone(world) {
        let observed = world.said("2026-03-01", "I prefer zyxvalue. Zyxtext, by the way. I live in Zagreb.", &[
            claim("self", "prefers", "zyxvalue", "I prefer zyxvalue"), claim("self", "home_city", "Zagreb", "I live in Zagreb"),
        ]);
        let forgotten = world.engine.forget(world.call(NOW), &Forget::Ids(vec![observed.admitted[0].claim.clone()]), false).expect("forgotten");
        assert_eq!((forgotten.erased.claims, forgotten.erased.evidence, forgotten.erased.reduced), (1, 0, 1), "{forgotten:#?}");
        knows_nothing(world, &world.me, &["zyxvalue", "zyxtext"], "one claim");
        let why = world.engine.why(world.call(NOW), &observed.admitted[1].claim).expect("the other still answers");
        assert_eq!(why.claims[0].quote, "I live in Zagreb");
        let again = world.said("2026-03-01", "I prefer zyxvalue. Zyxtext, by the way. I live in Zagreb.", &[
            claim("self", "prefers", "zyxvalue", "I prefer zyxvalue")]);
        assert_eq!(again.counts.admitted, 0, "{again:#?}");
        knows_nothing(world, &world.me, &["zyxvalue", "zyxtext"], "one claim, imported again");
    }

    /// Work in flight: while one thread forgets, others hand the same words in again and again.
    fn work_in_flight_does_not_bring_them_back(world) {
        let first = world.observe("2026-03-01", needle_message());
        let done = AtomicBool::new(false);
        std::thread::scope(|threads| {
            for writer in 0..3 {
                let done = &done;
                threads.spawn(move || {
                    let mut round = 0;
                    while !done.load(Ordering::Acquire) {
                        round += 1;
                        let mut again = needle_message();
                        again["idempotency_key"] = json!(format!("{writer} {round}"));
                        let _ = world.observe("2026-05-01", again);
                        let text = format!("I like chess number {writer} {round}.");
                        let _ = world.said("2026-05-02", &text, &[claim("self", "likes", &text[7..text.len() - 1], &text)]);
                    }
                });
            }
            std::thread::sleep(std::time::Duration::from_millis(150));
            let forget = Forget::Ids(vec![first.evidence.clone().expect("kept")]);
            let forgotten = world.engine.forget(world.call(NOW), &forget, false);
            std::thread::sleep(std::time::Duration::from_millis(150));
            done.store(true, Ordering::Release);
            assert_eq!(forgotten.expect("forgotten").residue, 0);
        });
        knows_nothing(world, &world.me, NEEDLES, "work in flight");
        let verified = world.engine.verify(world.call(NOW)).expect("verified");
        assert!(verified.ok, "{verified:#?}");
        assert!(world.memory().claims().count() > 2, "the writers did write");
    }

    /// Only the owner's own wish to keep exactly these words lifts what keeps them out.
    fn remembering_on_purpose_lifts_it(world) {
        let keep = |now: &str| world.engine.remember(world.call(now), engine::remember::Remember {
            text: "I like zyxtext".to_owned(), ..engine::remember::Remember::default() }).expect("answered");
        let first = keep("2026-03-01");
        world.engine.forget(world.call("2026-03-02"), &Forget::Ids(vec![first.evidence.expect("kept")]), false).expect("forgotten");
        let message = message(json!({"source": {"kind": "note", "ref": "remember"}, "author": "owner", "event_time": "2026-03-01",
            "text": "I like zyxtext"}));
        let observed = world.engine.observe(world.call("2026-03-03"), vec![message], Observing::default()).expect("answered");
        assert_eq!(observed[0].evidence, None, "an import is no wish");
        assert!(keep("2026-03-04").counts.admitted >= 1);
        assert!(!world.recall(NOW, "zyxtext").items.is_empty());
    }
}
