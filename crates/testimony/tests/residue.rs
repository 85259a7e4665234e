//! What is left of words that were forgotten: nothing, in whatever disguise, in any file of the data directory, in anything the
//! command ever said on standard error, or in the memory of a program that is started afterwards.
//!
//! Unique words are planted through every way in, everything is run once, they are forgotten, and everything is searched.
//! What a store keeps is sealed, so that its files hold no plain word even before; that the sealed bytes go too is shown by
//! `store-sqlite` and by the promises. The memory of a program that has read the subject does hold them before.

#[path = "../../proofs/src/search.rs"]
#[allow(dead_code, reason = "the proofs use the rest")]
mod search;

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::process::{Child, Stdio};

use crate::server::{KEY, Server, Step, ok};
use crate::support::{Memory, Ran, run};
use search::Search;
use serde_json::{Value as Json, json};

/// Words that stand nowhere else, one for each way in. Some have letters that escapes and stems change.
const PLANTED: &[&str] = &[
    "zyxqmessages",
    "zyxqvalues",
    "zyxqentities",
    "zyxqquoting",
    "zyxqinferring",
    "zyxqsessions",
    "zyxqexternals",
    "zyxqattachments",
    "zyxqauthors",
    "zyxqkeys",
    "zyxqreferences",
    "zyxqtitles",
    "zyxqdocuments",
    "zyxqmailing",
    "zyxqheaders",
    "zyxqsubjects",
    "zyxqarguments",
    "zyxqtools",
    "zyxqreasons",
    "zyxqremembering",
    "zyxqcorrecting",
    "zyxqproposing",
    "zyxqčekanja",
    "zyxqhandbook",
];

/// Words of requests, which are not kept at all.
const ASKED: &[&str] = &["zyxqqueries", "zyxqturning", "zyxqhinting", "zyxqtopics"];

/// What a model proposes of the message it is shown.
fn proposal() -> Step {
    let proposals = json!([{"message": 1, "entity": "self", "predicate": "likes", "value": "zyxqproposing",
        "quote": "I am fond of zyxqproposing", "op": "assert", "confidence": 0.9}]);
    ok(json!({
        "choices": [{"message": {"content": json!({"proposals": proposals}).to_string()}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1_000, "completion_tokens": 50},
    }))
}

struct Here {
    memory: Memory,
    _server: Server,
    /// Everything said on standard error.
    talk: String,
}

impl Here {
    fn new() -> Self {
        let memory = Memory::new();
        let server = Server::new(std::iter::repeat_with(proposal).take(40));
        let models = format!(
            "[tier.fast]\nprotocol = \"openai\"\nbase_url = \"{}/v1\"\nkey = {{ environment = \"TEST_KEY\" }}\n\
             model = \"m-1\"\ncan = [\"chat\"]\nretries = 0\n[propose]\ntier = \"fast\"\nbatch_messages = 1\n",
            server.url()
        );
        let here = Self { memory, _server: server, talk: String::new() };
        here.write("models.toml", &models);
        here
    }

    #[allow(clippy::disallowed_methods, reason = "files of the test's own")]
    fn write(&self, name: &str, text: &str) -> String {
        let path = self.memory.outside().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_string_lossy().into_owned()
    }

    fn run(&mut self, arguments: &[&str], input: &str) -> Ran {
        let mut command = self.memory.command(&["--json", "--now", "2026-06-01T10:00:00Z"]);
        command.env("TEST_KEY", KEY).args(arguments);
        if arguments.first() == Some(&"propose") {
            command.env("TESTIMONY_MODELS", self.memory.outside().join("models.toml"));
        }
        let ran = run(command, input.as_bytes());
        self.talk.push_str(&ran.err);
        ran
    }

    /// Says everything once, in every way there is. What was forgotten may be refused.
    fn plant(&mut self) {
        let said: String = messages().iter().map(|message| format!("{message}\n")).collect();
        self.run(&["observe", "-"], &said);
        let note = self.write(
            "zyxqhandbook.md",
            "# Zyxqhandbook\n\nThe zyxqdocuments say that Acme has 250 employees.\n",
        );
        self.run(&["import", "auto", &note], "");
        let mail = self.write("mail.jsonl", &format!("{}\n", mail()));
        self.run(&["import", "auto", &mail], "");
        self.run(&["propose"], "");
    }

    /// Asks everything once.
    fn ask(&mut self) {
        for grain in ["fact", "evidence"] {
            self.run(&["recall", "--grain", grain, "zyxqqueries zyxqvalues"], "").ended(0);
        }
        self.run(&["recall", "--deep", "zyxqqueries zyxqvalues"], "").ended(0);
        let turned =
            self.run(&["turn", "zyxqturning zyxqvalues", "--hint", "topic=zyxqtopics"], "").ended(0).json();
        let turn = turned["turn"].as_str().expect("a turn").to_owned();
        self.run(&["used", &turn, "M1"], "").ended(0);
        self.run(&["replay", &turn], "").ended(0);
        self.run(&["turn", "what about it?", "--hint", "entity=zyxqhinting"], "").ended(0);
        for verb in ["state", "timeline", "disputes", "sources", "list", "verify"] {
            self.run(&[verb], "").ended(0);
        }
        // Nothing of it belongs to a profile.
        self.run(&["profile"], "").ended(1);
    }

    fn remember_and_correct(&mut self) {
        self.run(&["remember", "I like zyxqremembering."], "").ended(0);
        let found = self.run(&["recall", "zyxqremembering"], "").ended(0).json();
        let entry = found["items"][0]["id"].as_str().expect("an entry").to_owned();
        self.run(&["correct", &entry, "I like zyxqcorrecting."], "").ended(0);
    }

    /// Decides what the two documents dispute.
    fn decide(&mut self) {
        let disputes = self.run(&["disputes"], "").ended(0).json();
        let dispute = &disputes["disputes"][0];
        let text = |json: &Json| json.as_str().expect("an id").to_owned();
        let (fact, kept) = (text(&dispute["fact"]["id"]), text(&dispute["versions"][0]["id"]));
        let why = "zyxqreasons, says the register";
        self.run(&["disputes", "--resolve", &fact, "--keep", &kept, "--reason", why], "").ended(0);
    }

    /// What a program holds in memory that has just read the subject and waits for more.
    fn in_memory_of_a_fresh_start(&self, search: &Search) -> Vec<String> {
        let mut program = Waiting::start(&self.memory);
        program.hits(search)
    }
}

/// A program that waits on its standard input, the subject in hand.
struct Waiting(Child);

impl Waiting {
    fn start(memory: &Memory) -> Self {
        let mut command = memory.command(&["--json", "--now", "2026-06-02T10:00:00Z", "observe", "-"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the command starts");
        let message = json!({"source": {"kind": "note", "ref": "harmless"}, "author": "owner", "text": "I like tea.",
            "event_time": "2026-06-02T09:00:00Z"});
        let stdin = child.stdin.as_mut().expect("a pipe");
        writeln!(stdin, "{message}").and_then(|()| stdin.flush()).expect("said");
        // Its answer says that it has read the subject; now it waits for the next line.
        let mut answer = String::new();
        let mut out = BufReader::new(child.stdout.as_mut().expect("a pipe"));
        out.read_line(&mut answer).expect("answered");
        assert!(answer.contains("\"evidence\""), "{answer}");
        Self(child)
    }

    /// The words that stand in any part of its memory that can be read.
    fn hits(&mut self, search: &Search) -> Vec<String> {
        let process = format!("/proc/{}", self.0.id());
        let maps = std::fs::read_to_string(format!("{process}/maps")).expect("the map of its memory");
        let memory = File::open(format!("{process}/mem")).expect("its memory");
        let mut hits = Vec::new();
        let mut searched = 0;
        for line in maps.lines() {
            let mut fields = line.split_whitespace();
            let (Some(range), Some(mode)) = (fields.next(), fields.next()) else { continue };
            let name = line.split_whitespace().nth(5).unwrap_or("anonymous");
            let bounds = range.split_once('-').map(|(from, to)| {
                (
                    u64::from_str_radix(from, 16).expect("an address"),
                    u64::from_str_radix(to, 16).expect("an address"),
                )
            });
            // The kernel's own pages cannot be read, and hold nothing of anybody's.
            let Some((from, to)) = bounds.filter(|_| mode.starts_with('r') && !name.starts_with("[v")) else {
                continue;
            };
            let mut bytes = vec![0; (to - from) as usize];
            if memory.read_exact_at(&mut bytes, from).is_ok() {
                searched += bytes.len();
                hits.extend(
                    search.hits(&bytes).iter().map(|(word, place)| format!("`{word}` in {name} at {place}")),
                );
            }
        }
        assert!(searched > 1_000_000, "only {searched} bytes of its memory could be read");
        hits
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        _ = self.0.wait();
    }
}

/// Messages that come by `observe`, with a planted word in every place.
fn messages() -> Vec<Json> {
    let claim = |entity: &str, predicate: &str, value: &str, quote: &str| json!({"entity": entity, "predicate": predicate, "value": value, "quote": quote, "confidence": 0.95});
    vec![
        json!({
            "source": {"kind": "conversation", "ref": "chat zyxqreferences", "title": "Chat zyxqtitles"},
            "session": "session zyxqsessions", "author": "owner", "author_name": "Ana Zyxqauthors",
            "event_time": "2026-03-01T10:00:00Z", "external_id": "id zyxqexternals", "idempotency_key": "key zyxqkeys",
            "attachments": [{"name": "zyxqattachments.pdf", "media_type": "application/pdf", "size": 5}],
            "text": "Zyxqmessages is what I say, bez zyxqčekanja. I prefer zyxqvalues. Zyxqentities is on hold, zyxqquoting says. \
                     We met zyxqinferring. It was done. I am fond of zyxqproposing.",
            "proposals": [
                claim("self", "prefers", "zyxqvalues", "I prefer zyxqvalues"),
                claim("project:zyxqentities", "project_status", "on hold", "Zyxqentities is on hold, zyxqquoting says"),
                {"entity": "self", "predicate": "note", "value": "zyxqinferring done", "confidence": 0.9,
                 "quotes": ["We met zyxqinferring", "It was done"]},
            ],
        }),
        json!({
            "source": {"kind": "tool", "ref": "search"}, "author": "service", "event_time": "2026-03-01T10:01:00Z",
            "text": "{\"tool\": \"zyxqtools\", \"arguments\": {\"query\": \"zyxqarguments\"}}",
        }),
        json!({
            "source": {"kind": "document", "ref": "register"}, "author": "external", "event_time": "2026-03-01T10:02:00Z",
            "text": "By the register, Acme has 300 employees.",
            "proposals": [claim("acme", "headcount", "300", "Acme has 300 employees")],
        }),
        json!({
            "source": {"kind": "document", "ref": "report"}, "author": "external", "event_time": "2026-03-01T10:03:00Z",
            "text": "By the report, Acme has 250 employees.",
            "proposals": [claim("acme", "headcount", "250", "Acme has 250 employees")],
        }),
    ]
}

/// A mail as it is imported: its subject is a title, its headers stand in the text, what came with it has a name.
fn mail() -> Json {
    json!({
        "source": {"kind": "mail", "ref": "inbox", "title": "Re: zyxqsubjects"}, "author": "external",
        "event_time": "2026-03-02T10:00:00Z", "external_id": "<zyxqexternals@example.org>",
        "attachments": [{"name": "zyxqattachments of mail.txt", "media_type": "text/plain", "size": 9}],
        "text": "From: Bo <bo@example.org>\nSubject: zyxqsubjects\nX-Zyxqheaders: yes\n\nThe zyxqmailing says hello.",
    })
}

/// The search finds each disguise, in a file and in the memory of a program: what cannot fail proves nothing.
#[test]
fn the_search_finds_every_disguise() {
    let search = Search::of(&["zyxqčekanja", "zyxqmessages"]);
    let other = Search::of(&["zyxqothers"]);
    let utf16 =
        |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    for (number, bytes) in [
        "it says zyxqčekanja".as_bytes().to_vec(),
        "it says ZYXQČEKANJA".as_bytes().to_vec(),
        "it says Zyxqčekanja".as_bytes().to_vec(),
        b"\"zyxq\\u010dekanja\"".to_vec(),
        b"\"ZYXQ\\u010CEKANJA\"".to_vec(),
        utf16("a zyxqčekanja", u16::to_le_bytes),
        utf16("a zyxqčekanja", u16::to_be_bytes),
        b"7a797871c48d656b616e6a61".to_vec(),
        b"7A797871C48D656B616E6A61".to_vec(),
        b"enl4ccSNZWthbmph".to_vec(),
        b"YXp5eHHEjWVrYW5qYQ==".to_vec(),
        b"YWF6eXhxxI1la2FuamE=".to_vec(),
        b"the stem zyxqmessag is indexed".to_vec(),
        b"folded, it is zyxqcekan".to_vec(),
    ]
    .into_iter()
    .enumerate()
    {
        assert!(!search.hits(&bytes).is_empty(), "disguise {number}");
        assert!(other.hits(&bytes).is_empty(), "disguise {number}");
    }
}

#[test]
fn what_is_forgotten_is_nowhere() {
    let all: Vec<&str> = PLANTED.iter().chain(ASKED).copied().collect();
    let search = Search::of(&all);
    for whole_subject in [false, true] {
        let mut here = Here::new();
        here.plant();
        here.remember_and_correct();
        here.decide();
        here.ask();
        let told = format!("whole subject {whole_subject}");
        let before = here.in_memory_of_a_fresh_start(&search);
        for word in
            ["zyxqvalues", "zyxqentities", "zyxqreferences", "zyxqproposing", "zyxqcorrecting", "zyxqreasons"]
        {
            assert!(
                before.iter().any(|hit| hit.contains(word)),
                "{told}: `{word}` was not in memory before: {before:?}"
            );
        }

        let listed = here.run(&["sources"], "").ended(0).json();
        let ids: Vec<String> = listed["sources"]
            .as_array()
            .expect("sources")
            .iter()
            .filter(|source| source["ref"] != "harmless")
            .map(|source| source["id"].as_str().expect("an id").to_owned())
            .collect();
        assert!(ids.len() >= 6, "{listed}");
        let mut arguments = vec!["forget", "--yes"];
        match whole_subject {
            true => arguments.push("--subject"),
            false => arguments.extend(ids.iter().map(String::as_str)),
        }
        let forgotten = here.run(&arguments, "").ended(0);
        assert_eq!(forgotten.json()["residue"], 0, "{told}");
        assert!(search.hits(forgotten.out.as_bytes()).is_empty(), "{told}: {}", forgotten.out);

        let nowhere = |here: &Here, when: &str| {
            let files = search.in_files(&here.memory.data());
            assert!(files.is_empty(), "{told}, {when}: {files:?}");
            let memory = here.in_memory_of_a_fresh_start(&search);
            assert!(memory.is_empty(), "{told}, {when}: {memory:?}");
            let talk = search.hits(here.talk.as_bytes());
            assert!(talk.is_empty(), "{told}, {when}: {talk:?} in {}", here.talk);
        };
        nowhere(&here, "afterwards");
        let receipt = here.write("receipt.json", &forgotten.out);
        here.run(&["verify", "--receipt", &receipt], "").ended(0);

        // The same files come again, and the model is asked again.
        here.plant();
        nowhere(&here, "after importing again");
        here.run(&["verify", "--receipt", &receipt], "").ended(0);
        here.memory.verify();
    }
}
