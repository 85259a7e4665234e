//! Models at the command line: what is configured, whether it answers, and what it may add.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::serve::Served;
use crate::server::{KEY, Server, Step, no, ok};
use crate::support::{Memory, Ran, run};
use serde_json::{Value as Json, json};

/// A reply of a chat model with these proposals.
fn says(proposals: Json) -> Step {
    let text = json!({"proposals": proposals}).to_string();
    ok(json!({
        "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1_000, "completion_tokens": 50},
    }))
}

fn budget(message: u64) -> Json {
    json!({"message": message, "entity": "self", "predicate": "budget_limit", "value": "1200 EUR",
        "quote": "the most I can spend is 1200 EUR", "op": "assert", "confidence": 0.9})
}

const SAID: &str = "For the trip the most I can spend is 1200 EUR.";

struct Here {
    memory: Memory,
    server: Server,
}

impl Here {
    fn new(steps: impl IntoIterator<Item = Step>, more: &str) -> Self {
        let (memory, server) = (Memory::new(), Server::new(steps));
        let text = format!(
            "[tier.fast]\nprotocol = \"openai\"\nbase_url = \"{}/v1\"\nkey = {{ environment = \"TEST_KEY\" }}\nmodel = \"m-1\"\ncan = [\"chat\"]\nretries = 0\n{more}\n",
            server.url()
        );
        #[allow(clippy::disallowed_methods, reason = "a file of the test")]
        std::fs::write(memory.outside().join("models.toml"), text).expect("written");
        Self { memory, server }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        self.command_at("2026-03-02T10:00:00Z", arguments)
    }

    fn command_at(&self, now: &str, arguments: &[&str]) -> Command {
        let mut command = self.memory.command(&["--now", now]);
        command.env("TESTIMONY_MODELS", self.memory.outside().join("models.toml"));
        command.env("TEST_KEY", KEY).args(arguments);
        command
    }

    fn run(&self, arguments: &[&str], input: &str) -> Ran {
        let ran = run(self.command(arguments), input.as_bytes());
        assert!(!format!("{ran:?}").contains(KEY), "the key is shown: {ran:?}");
        ran
    }

    fn observe(&self, count: u32) {
        let lines: String = (0..count)
            .map(|number| {
                let text = format!("Note {number}. {SAID}");
                let message = json!({"source": {"kind": "chat", "ref": "c"}, "author": "owner", "external_id": number.to_string(),
                    "event_time": "2026-03-01T10:00:00Z", "text": text, "proposals": []});
                format!("{message}\n")
            })
            .collect();
        self.run(&["observe", "-"], &lines).ended(0);
    }
}

const PROPOSE: &str = "[propose]\ntier = \"fast\"\nbatch_messages = 1";

#[test]
fn the_tiers_are_listed_without_asking_them() {
    let here = Here::new([], PROPOSE);
    let listed = here.run(&["--json", "model", "list"], "").ended(0).json();
    assert_eq!(listed["tiers"][0]["name"], "fast");
    assert_eq!(listed["tiers"][0]["can"], json!(["chat"]));
    assert_eq!(listed["tiers"][0]["key"], "`TEST_KEY`");
    assert_eq!(listed["propose"]["tier"], "fast");
    let told = here.run(&["model", "list"], "").ended(0).out;
    assert!(told.contains("fast: m-1 at http://127.0.0.1") && told.contains("key from `TEST_KEY`"), "{told}");
    assert!(here.server.asked().is_empty());

    let memory = Memory::new();
    let none = memory.json(0, &["model", "list"]);
    assert_eq!((&none["file"], &none["tiers"]), (&Json::Null, &json!([])));
    memory.run(&["model", "check"]).ended(3);
    memory.run(&["propose"]).ended(3);
    memory.run(&["--models", "/nowhere/models.toml", "model", "list"]).ended(3);
}

#[test]
fn a_check_tells_which_tier_answers_and_why_another_does_not() {
    let here = Here::new([says(json!([])), no(401, json!({"error": {"code": "invalid_api_key"}}))], "");
    let checked = here.run(&["--json", "model", "check"], "").ended(0).json();
    assert_eq!((&checked["ok"], &checked["tiers"][0]["ok"]), (&json!(true), &json!(true)));
    let checked = here.run(&["--json", "model", "check", "fast"], "").ended(6).json();
    assert_eq!(checked["tiers"][0]["error"]["kind"], "not_allowed");
    let told = here.run(&["model", "check", "slow"], "").ended(3).err;
    assert!(told.contains("there is no tier `slow`"), "{told}");
}

#[test]
fn a_broken_file_is_told_and_keeps_no_word_back() {
    let here = Here::new([], "wihtin_s = 3");
    for verb in [&["propose"][..], &["model", "list"], &["observe", "--propose", "fast", "-"]] {
        let told = here.run(verb, "").ended(3).err;
        assert!(
            told.contains("[tier.fast] `wihtin_s`: is not known; hint: did you mean `within_s`?"),
            "{told}"
        );
    }
    let kept = here.run(&["--json", "remember", "I live in Zagreb"], "").ended(0).json();
    assert!(kept["evidence"].is_string(), "{kept}");
    assert!(
        kept["notices"][0].as_str().is_some_and(|notice| notice.starts_with("no model was asked: ")),
        "{kept}"
    );
}

#[test]
fn remember_asks_the_configured_model_once_the_words_are_kept() {
    let here = Here::new([says(json!([budget(1)])), no(503, Json::Null)], PROPOSE);
    let kept = here.run(&["--json", "remember", SAID], "").ended(0).json();
    assert_eq!(kept["proposed"]["counts"]["admitted"], 1, "{kept}");
    assert_eq!(kept["proposed"]["admitted"][0]["proposer"], "model/1 openai/m-1");
    assert_eq!(kept["proposed"]["admitted"][0]["value"], "1200 EUR");
    let recalled = here.run(&["--json", "recall", "budget limit"], "").ended(0).json();
    assert!(recalled["items"].to_string().contains("budget_limit"), "{recalled}");

    let kept = here.run(&["--json", "remember", "I like tea"], "").ended(0).json();
    assert!(kept["evidence"].is_string() && kept.get("proposed").is_none(), "{kept}");
    assert!(kept["notices"].to_string().contains("the model did not answer"), "{kept}");
    let asked = here.server.asked().len();
    here.run(&["remember", "--no-propose", "I like coffee"], "").ended(0);
    assert_eq!((asked, here.server.asked().len()), (2, 2));
}

#[test]
fn a_subject_that_begins_anew_is_read_anew() {
    let here = Here::new([says(json!([budget(1)])), says(json!([budget(1)]))], PROPOSE);
    here.observe(1);
    let first = here.run(&["--json", "propose"], "").ended(0).json();
    assert_eq!(first["counts"]["admitted"], 1, "{first}");
    here.run(&["forget", "--subject", "--yes"], "").ended(0);
    here.run(&["lift", "--all"], "").ended(0);
    here.observe(1);
    let again = here.run(&["--json", "propose"], "").ended(0).json();
    assert_eq!((&again["asked"], &again["counts"]["admitted"]), (&json!(1), &json!(1)), "{again}");
}

#[test]
fn propose_goes_on_where_it_ended() {
    let steps = [
        says(json!([budget(1)])),
        no(503, Json::Null),
        says(json!([budget(1)])),
        says(json!([{"predicate": "likes"}])),
        says(json!([budget(1), budget(1)])),
    ];
    let here = Here::new(steps, PROPOSE);
    here.observe(3);
    let first = here.run(&["--json", "propose"], "").ended(4).json();
    assert_eq!((&first["asked"], &first["stopped"]), (&json!(1), &json!("not_answered")));
    assert_eq!(first["counts"]["admitted"], 1, "{first}");
    let second = here.run(&["--json", "propose"], "").ended(0).json();
    assert_eq!((&second["asked"], &second["stopped"], &second["calls"]), (&json!(2), &Json::Null, &json!(2)));
    assert_eq!((&second["counts"]["received"], &second["counts"]["failed"]), (&json!(2), &json!(1)));
    assert_eq!(second["tokens"], 2_100);
    let third = here.run(&["--json", "propose"], "").ended(0).json();
    assert_eq!((&third["asked"], here.server.asked().len()), (&json!(0), 4));
    let again = here.run(&["--json", "propose", "--again"], "").ended(4).json();
    assert_eq!(again["counts"]["duplicate"], 2, "{again}");
    here.run(&["doctor"], "").ended(0);
    let shown: Vec<Json> = here.server.asked().into_iter().map(|asked| asked.body).collect();
    assert!(shown[0].to_string().contains("Note 0.") && shown[1].to_string().contains("Note 1."));
}

/// What is kept of reading is a place in the log: damaged it is not believed, and everything is read again.
#[test]
fn a_damaged_place_is_not_believed() {
    let here = Here::new(std::iter::repeat_with(|| says(json!([budget(1)]))).take(10), PROPOSE);
    here.observe(2);
    let asked = || here.run(&["--json", "propose"], "").ended(0).json()["asked"].clone();
    assert_eq!((asked(), asked()), (json!(2), json!(0)));
    let state = here.run(&["--json", "state"], "").json();
    let folder = here.memory.data().join("derived/proposed");
    let kept =
        std::fs::read_dir(&folder).expect("a directory").next().expect("a file").expect("a file").path();
    let whole = std::fs::read_to_string(&kept).expect("text");
    let (before, number) = whole.split_once("\"after\": [").expect("a place");
    let damages = [
        format!("{before}\"after\": [{}", number.replacen('2', "6", 1)),
        whole.replace("\"tokens\": ", "\"tokens\": 1"),
        whole[..whole.len() / 2].to_owned(),
        String::new(),
    ];
    for damaged in damages {
        assert_ne!(damaged, whole);
        #[allow(clippy::disallowed_methods, reason = "a file is damaged on purpose")]
        std::fs::write(&kept, damaged).expect("damaged");
        assert_eq!((asked(), asked()), (json!(2), json!(0)));
    }
    assert_eq!(
        here.run(&["--json", "state"], "").json()["items"],
        state["items"],
        "nothing is claimed twice"
    );
}

#[test]
fn messages_before_a_date_are_passed_over() {
    let here = Here::new([says(json!([]))], PROPOSE);
    here.observe(2);
    let since = here.run(&["--json", "propose", "--since", "2026-03-02"], "").ended(0).json();
    assert_eq!((&since["messages"], &since["asked"]), (&json!(2), &json!(0)));
    assert!(here.server.asked().is_empty());
}

#[test]
fn the_tokens_of_a_day_are_counted_over_processes() {
    let steps = (0..10).map(|_| says(json!([])));
    let here = Here::new(steps, &format!("{PROPOSE}\ntokens_per_day = 4_000"));
    here.observe(5);
    let ran = here.run(&["--json", "propose"], "").ended(1).json();
    assert_eq!(ran["stopped"], "budget", "{ran}");
    let asked = here.server.asked().len();
    assert!((1..5).contains(&asked), "{asked}");
    here.run(&["--json", "propose"], "").ended(1);
    assert_eq!(here.server.asked().len(), asked);
    run(here.command_at("2026-03-03T10:00:00Z", &["--json", "propose"]), b"");
    assert!(here.server.asked().len() > asked);
}

#[test]
fn observe_tells_what_the_model_added_in_lines_of_its_own() {
    let here = Here::new([says(json!([budget(1)])), no(503, Json::Null)], "");
    let line = |number: u32| {
        let message = json!({"source": {"kind": "chat", "ref": "c"}, "author": "owner", "external_id": number.to_string(), "text": SAID, "proposals": []});
        format!("{message}\n")
    };
    let lines = here.run(&["--json", "observe", "--propose", "fast", "-"], &line(1)).ended(0).lines();
    assert_eq!(lines.len(), 2);
    assert!(lines[0]["evidence"].is_string());
    assert_eq!(lines[1]["proposed"]["counts"]["admitted"], 1, "{lines:?}");
    let ran = here.run(&["--json", "observe", "--propose", "fast", "-"], &line(2)).ended(0);
    assert!(ran.lines()[0]["evidence"].is_string(), "a model that fails keeps nothing back");
    assert!(ran.err.contains("no further proposals"), "{}", ran.err);
    // What was read along counts as read: only the second is asked about later.
    let told = here.run(&["--json", "propose", "--tier", "fast"], "").ended(4).json();
    assert_eq!((&told["asked"], here.server.asked().len()), (&json!(0), 3));
}

#[test]
fn ctrl_c_ends_a_call_and_what_was_read_stays_read() {
    let child: Arc<AtomicU32> = Arc::default();
    let hers = child.clone();
    let interrupts = Box::new(move || {
        while hers.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        let id = hers.load(Ordering::SeqCst).to_string();
        Command::new("kill").args(["-INT", &id]).status().expect("kill runs");
    });
    let here = Here::new([says(json!([budget(1)])), Step::Stall(interrupts), says(json!([]))], PROPOSE);
    here.observe(2);
    let mut command = here.command(&["--json", "propose"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
    let running = command.spawn().expect("it starts");
    child.store(running.id(), Ordering::SeqCst);
    let ended = running.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130));
    let answer: Json = serde_json::from_slice(&ended.stdout).expect("an answer");
    assert_eq!((&answer["stopped"], &answer["asked"]), (&json!("interrupted"), &json!(1)));
    let rest = here.run(&["--json", "propose"], "").ended(0).json();
    assert_eq!(rest["asked"], 1);
}

/// A message for `/v1/memories`, whose words the built-in rules take one fact from, and a model another.
fn added(number: u32) -> Json {
    json!({"user_id": "me", "infer": true, "messages": [
        {"role": "user", "content": format!("I live in Zagreb, at number {number}. {SAID}")},
        {"role": "assistant", "content": "The most you can spend is 5000 EUR."},
    ]})
}

#[test]
fn a_served_model_reads_what_is_added_and_its_silence_is_told() {
    let words = "the most I can spend is 9000 EUR";
    let made_up = json!({"message": 1, "entity": "self", "predicate": "budget_limit", "value": "9000 EUR", "quote": words, "op": "assert", "confidence": 1});
    let steps = [says(json!([budget(1), made_up])), no(500, json!({"error": "down"})), says(json!([]))];
    let here = Here::new(steps, "[propose]\ntier = \"fast\"");
    let served = Served::begin(here.command(&["serve", "--listen", "127.0.0.1:0", "--without-key"]));
    let (status, told) = served.ask("POST", "/mem0/v1/memories", None, Some(&added(1)));
    assert_eq!((status, &told["degraded"]), (200, &json!([])), "{told}");
    let kept = told["results"].to_string();
    assert!(kept.contains("1200 EUR") && kept.contains("Zagreb") && !kept.contains("9000"), "{told}");
    assert_eq!(told["refused"][0]["message"], 0, "{told}");
    assert_eq!(told["refused"][0]["code"], "quote_not_found", "{told}");

    // Without an answer the rules' own facts stay, and it is said who did not read.
    let (status, told) = served.ask("POST", "/mem0/v1/memories", None, Some(&added(2)));
    assert_eq!(status, 200, "{told}");
    let degraded = told["degraded"][0].as_str().expect("a word");
    assert!(degraded.starts_with("the model did not answer"), "{told}");
    assert_eq!(here.server.asked().len(), 2);
    // What was read stands where the command keeps it: only what the model did not answer is asked about later.
    assert_eq!(served.end().0, Some(0));
    let later = here.run(&["--json", "propose"], "").ended(0).json();
    assert_eq!(later["calls"], 1, "{later}");
    let asked = here.server.asked().pop().expect("a third call").body.to_string();
    assert!(asked.contains("at number 2") && !asked.contains("at number 1"), "{asked}");
}
