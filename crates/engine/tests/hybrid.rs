//! Recall by words and meaning together, with a model that knows a handful of meanings in two languages.

use std::sync::Arc;
use std::time::Duration;

use engine::embed::EmbedBudget;
use engine::observe::{Message, Observing};
use engine::recall::{Grain, Recall};
use engine::remember::Remember;
use engine::tokens::Tokens;
use engine::{Call, Engine};
use inference::embed::{Embed, ModelIdentity, Role};
use inference::{InferenceError, Limits};
use ledger::admission::Policies;
use ledger::reference::ReferenceStore;
use ledger::scope::{Scope, Subject};
use ledger::time::Instant;
use serde_json::json;

/// Meanings, each with the words for it.
const MEANINGS: [&[&str]; 5] = [
    &["live", "lives", "stanujem", "boravim"],
    &["dog", "pas", "psa", "puppy"],
    &["coffee", "kava", "kavu", "espresso"],
    &["budget", "proračun", "spending"],
    &["sister", "sestra", "sestre"],
];

/// Places a text by the meanings in it; one without any lies apart from all of them.
struct Meanings(ModelIdentity);

impl Meanings {
    fn new() -> Self {
        Self(ModelIdentity { name: "meanings".to_owned(), dims: 8, mark: [7; 32] })
    }
}

impl Embed for Meanings {
    fn identity(&self) -> &ModelIdentity {
        &self.0
    }

    fn embed(&self, role: Role, texts: &[&str], _limits: &Limits) -> Result<Vec<Vec<f32>>, InferenceError> {
        let place = |text: &&str| {
            let mut vector = [0.0_f32; 8];
            for word in text.to_lowercase().split(|letter: char| !letter.is_alphabetic()) {
                if let Some(axis) = MEANINGS.iter().position(|words| words.contains(&word)) {
                    vector[axis] = 1.0;
                }
            }
            // What has no meaning here has a place of its own, for queries another than for passages.
            let known = vector.iter().any(|number| *number > 0.0);
            vector[if role == Role::Query { 6 } else { 7 }] = if known { 0.3 } else { 1.0 };
            let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
            vector.iter().map(|number| number / length).collect()
        };
        Ok(texts.iter().map(place).collect())
    }
}

fn at(text: &str) -> Instant {
    text.parse().expect(text)
}

fn engine() -> Engine {
    Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens))
        .with_embedder(Arc::new(Meanings::new()))
}

fn embed_all(engine: &Engine, call: Call<'_>) {
    let budget = EmbedBudget { texts: 1_000, limits: Limits::within(Duration::from_secs(60)) };
    assert_eq!(engine.embed_some(call, &budget).expect("embedded").missing, 0);
}

#[test]
fn a_question_in_one_language_finds_a_memory_in_another_and_says_by_what() {
    let engine = engine();
    let scope = Scope::of(Subject::parse("me").expect("a name"));
    let call = Call { scope: &scope, now: at("2026-05-01T00:00:00Z") };
    for text in ["I live in Zagreb", "The dog is called Rex", "My sister plays chess"] {
        engine.remember(call, Remember { text: text.to_owned(), ..Remember::default() }).expect("kept");
    }
    let asked = Recall::of("Tko je vidio psa?");
    assert!(engine.recall(call, &asked).expect("recalled").items.is_empty(), "words alone find nothing");
    embed_all(&engine, call);
    let recalled = engine.recall(call, &asked).expect("recalled");
    assert_eq!(recalled.items.len(), 1, "{recalled:#?}");
    let item = &recalled.items[0];
    assert!(item.text.contains("Rex"), "{item:#?}");
    assert_eq!(item.signals["lexical"], json!({ "value": 0.0, "part": 0.0 }), "no word, no lexical part");
    assert_eq!(item.signals["dense"]["part"], json!(item.score), "all of it is nearness");
}

#[test]
fn far_neighbours_do_not_turn_no_into_an_answer() {
    let engine = engine();
    let scope = Scope::of(Subject::parse("me").expect("a name"));
    let call = Call { scope: &scope, now: at("2026-05-01T00:00:00Z") };
    for text in ["I live in Zagreb", "The dog is called Rex"] {
        engine.remember(call, Remember { text: text.to_owned(), ..Remember::default() }).expect("kept");
    }
    embed_all(&engine, call);
    for query in ["zeppelin", "What is the budget?", "Kolika je sestra?"] {
        let recalled = engine.recall(call, &Recall::of(query)).expect("recalled");
        assert!(recalled.items.is_empty(), "{query}: {recalled:#?}");
        assert_eq!(recalled.negative.as_deref(), Some("unknown_entity"), "{query}");
    }
}

#[test]
fn what_waits_for_its_vector_is_found_by_its_words_beside_what_has_one() {
    let engine = engine();
    let scope = Scope::of(Subject::parse("me").expect("a name"));
    let call = Call { scope: &scope, now: at("2026-05-01T00:00:00Z") };
    let keep = |text: &str| {
        engine.remember(call, Remember { text: text.to_owned(), ..Remember::default() }).expect("kept")
    };
    keep("The espresso machine stands in the kitchen");
    embed_all(&engine, call);
    keep("The coffee beans are in the blue tin");
    let recalled = engine.recall(call, &Recall::of("coffee beans")).expect("recalled");
    let texts: Vec<&str> = recalled.items.iter().map(|item| item.text.as_str()).collect();
    assert!(texts[0].contains("blue tin"), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("kitchen")), "{texts:?}");
    assert!(recalled.degraded.iter().any(|said| said.contains("no vector")), "{:?}", recalled.degraded);
}

#[test]
fn the_owners_word_answers_a_question_unless_it_is_about_what_was_advised() {
    let engine = engine();
    let scope = Scope::of(Subject::parse("me").expect("a name"));
    let call = Call { scope: &scope, now: at("2026-05-01T00:00:00Z") };
    let said = |author: &str, minute: u32, text: &str| -> Message {
        serde_json::from_value(json!({
            "source": {"kind": "conversation", "ref": "c1"}, "author": author, "external_id": minute.to_string(),
            "event_time": format!("2026-03-01T09:{minute:02}:00Z"), "text": text,
        }))
        .expect("a message")
    };
    let messages = vec![
        said("owner", 1, "My monthly budget for groceries went up again, and the cat needed a new bowl"),
        said("assistant", 2, "For the monthly budget for groceries a cap helps"),
    ];
    engine.observe(call, messages, Observing::default()).expect("observed");
    embed_all(&engine, call);
    let first = |query: &str| {
        let recall = Recall { grain: Grain::Evidence, ..Recall::of(query) };
        engine.recall(call, &recall).expect("recalled").items[0].text.clone()
    };
    assert!(first("What is my monthly budget for groceries?").contains("owner"));
    assert!(first("What did you advise on the monthly budget for groceries?").contains("assistant"));
}

#[test]
fn the_same_questions_give_the_same_answers_to_the_bit() {
    let told = || {
        let engine = engine();
        let scope = Scope::of(Subject::parse("me").expect("a name"));
        let call = Call { scope: &scope, now: at("2026-05-01T00:00:00Z") };
        for text in
            ["I live in Zagreb", "The dog is called Rex", "Coffee only before noon", "The puppy drank coffee"]
        {
            engine.remember(call, Remember { text: text.to_owned(), ..Remember::default() }).expect("kept");
        }
        embed_all(&engine, call);
        let items = engine.recall(call, &Recall::of("Does the dog drink coffee?")).expect("recalled").items;
        items.into_iter().map(|item| (item.text, item.score.to_bits(), item.signals)).collect::<Vec<_>>()
    };
    assert_eq!(told(), told());
}

#[test]
fn a_time_told_by_what_happened_then_is_the_time_of_the_facts_that_say_so() {
    let engine = Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens));
    let scope = Scope::of(Subject::parse("me").expect("a name"));
    let call = Call { scope: &scope, now: at("2026-05-01T00:00:00Z") };
    let said = |day: &str, text: &str| -> Message {
        serde_json::from_value(json!({
            "source": {"kind": "conversation", "ref": "c1"}, "author": "owner", "external_id": day,
            "event_time": format!("{day}T09:00:00Z"), "text": text,
        }))
        .expect("a message")
    };
    let messages =
        vec![said("2026-01-10", "Navečer pijemo crni čaj"), said("2026-03-10", "Navečer pijemo bijelu kavu")];
    engine.observe(call, messages, Observing::default()).expect("observed");
    let evening = |query: &str| {
        let recall = Recall { grain: Grain::Evidence, ..Recall::of(query) };
        let items = engine.recall(call, &recall).expect("recalled").items;
        let of = |word: &str| items.iter().find(|item| item.text.contains(word)).expect(word).clone();
        (of("čaj"), of("kavu"))
    };
    // Nothing is known yet of a move, so no time is meant.
    let (tea, coffee) = evening("Što navečer pijemo otkako smo se preselili u Split?");
    assert!(!tea.signals.contains_key("time") && !coffee.signals.contains_key("time"), "{tea:#?}");
    let moved = Remember {
        text: "Preselili smo se u Split".to_owned(),
        event_time: Some("2026-02-01T00:00:00Z".to_owned()),
        ..Remember::default()
    };
    engine.remember(call, moved).expect("kept");
    let (tea, coffee) = evening("Što navečer pijemo otkako smo se preselili u Split?");
    assert_eq!(tea.signals["time"]["value"], json!(false));
    assert_eq!(coffee.signals["time"]["value"], json!(true));
    assert!(coffee.score > tea.score);
    let (tea, coffee) = evening("Što navečer pijemo prije nego što smo se preselili u Split?");
    assert_eq!(tea.signals["time"]["value"], json!(true));
    assert_eq!(coffee.signals["time"]["value"], json!(false));
}
