//! Bad input and bad places: a clear error, the right exit code, and a store that is intact afterwards.

#![allow(clippy::disallowed_methods, reason = "tests write the files that people and accidents write")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::support::{self, Memory, Ran, lines, owner, run};
use serde_json::{Value as Json, json};

/// A memory with something in it.
fn lived_in() -> Memory {
    let memory = Memory::new();
    memory.observe(&lines(&[owner("I live in Zagreb.", "2026-01-01T00:00:00Z")]), &[]).ended(0);
    memory
}

/// Runs the command on the memory, unless the arguments name another place.
fn at(memory: &Memory, arguments: &[&str]) -> Ran {
    if !arguments.contains(&"--data") {
        return memory.run(arguments);
    }
    let mut command = support::command();
    command.args(arguments);
    run(command, b"")
}

fn is_told(ran: &Ran, exit: i32, wanted: &str) {
    assert_eq!(ran.exit, exit, "{ran:#?}");
    assert!(ran.err.contains(wanted), "`{wanted}` is not in {ran:#?}");
    assert!(ran.err.contains("error: "), "{ran:#?}");
    assert!(!ran.err.contains("panicked"), "{ran:#?}");
}

#[test]
fn bad_lines_are_told_by_number_and_do_not_stop_the_rest() {
    let good = lines(&[owner("I live in Zagreb.", "2026-01-01T00:00:00Z")]);
    let with = |name: &str, value: Json| {
        let mut message = owner("I live in Zagreb.", "2026-01-01T00:00:00Z");
        message[name] = value;
        lines(&[message])
    };
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("no JSON", b"nonsense\n".to_vec(), "no JSON object"),
        ("cut off", b"{\"source\":\n".to_vec(), "EOF"),
        ("a list", b"[1,2]\n".to_vec(), "no JSON object"),
        ("nothing in it", b"{}\n".to_vec(), "missing field `source`"),
        ("wrong type", with("text", json!(5)), "expected a string"),
        ("wrong source", with("source", json!("c1")), "expected an object `{kind, ref}`"),
        ("unknown field", with("txt", json!("x")), "unknown field `txt`"),
        ("unknown author", with("author", json!("god")), "unknown variant `god`"),
        ("empty text", with("text", json!("  ")), "text is empty"),
        ("year 0", with("event_time", json!("0000-01-01T00:00:00Z")), "outside the years"),
        ("after the last year", with("event_time", json!("9999-12-31T23:59:59Z")), "outside the years"),
        ("no offset", with("event_time", json!("2026-01-01T00:00:00")), "no offset"),
        ("no zone", with("event_time", json!("2026-01-01T00:00:00[Mars/Olympus]")), "time"),
        ("bad kind", with("source", json!({"kind": "A B", "ref": "x"})), "source kind `A B`"),
        ("long name", with("session", json!("x".repeat(3_000))), "session has 3000 bytes"),
        ("invalid UTF-8", b"{\"text\":\"\xff\xfe\"}\n".to_vec(), "not UTF-8 at byte 10"),
        ("deep", [b"{\"source\":".to_vec(), b"[".repeat(100_000), b"\n".to_vec()].concat(), "error"),
    ];
    let memory = lived_in();
    for (name, bad, wanted) in cases {
        let ran = memory.observe(&[good.clone(), bad, good.clone()].concat(), &[]);
        is_told(&ran, 3, wanted);
        let told = ran.lines();
        assert_eq!(told.len(), 3, "{name}: {ran:#?}");
        assert_eq!(told[1]["line"], json!(2), "{name}: {ran:#?}");
        let code = if name == "long name" { "name_too_long" } else { "bad_input" };
        assert_eq!(told[1]["error"]["code"], json!(code), "{name}");
        assert_eq!(told[2]["duplicate"], json!(true), "{name}: the rest goes on");
    }
    memory.verify();
}

#[test]
fn strict_stops_at_the_first_bad_line_and_keeps_what_was_before() {
    let memory = Memory::new();
    let good = |text: &str| lines(&[owner(text, "2026-01-01T00:00:00Z")]);
    let input = [good("I live in Zagreb."), b"nonsense\n".to_vec(), good("I prefer tea.")].concat();
    let ran = memory.observe(&input, &["--strict"]).ended(3);
    assert_eq!(ran.lines().len(), 2, "{ran:#?}");
    assert_eq!(
        memory.json(0, &["recall", "--grain", "evidence", "live"])["items"].as_array().map(Vec::len),
        Some(1)
    );
    memory.run(&["recall", "--grain", "evidence", "tea"]).ended(1);
}

#[test]
fn refusals_are_data() {
    let memory = Memory::new();
    let proposal = |predicate: &str, value: &str, more: Json| {
        let mut proposal = json!({
            "entity": "self", "predicate": predicate, "value": value, "confidence": 1.0, "quote": "I live in Zagreb",
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            proposal[name] = value.clone();
        }
        proposal
    };
    let mut message = owner("I live in Zagreb.", "2026-01-01T00:00:00Z");
    message["proposals"] = json!([
        proposal("no_such_thing", "x", json!({})),
        proposal("home_city", "Zagreb", json!({"valid_from": "2026-02-02", "valid_to": "2026-01-01"})),
        proposal("home_city", "Zagreb", json!({"valid_from": "0000-01-01T00:00:00Z"})),
        proposal("home_city", "Split", json!({})),
        {"entity": 5},
    ]);
    let answer = memory.observe(&lines(&[message]), &[]).ended(0).json();
    let codes: Vec<&str> =
        answer["refused"].as_array().expect("a list").iter().filter_map(|one| one["code"].as_str()).collect();
    assert_eq!(
        codes,
        ["unknown_predicate", "invalid_interval", "invalid_interval", "value_not_grounded"],
        "{answer}"
    );
    assert_eq!(
        answer["counts"],
        json!({"received": 5, "admitted": 0, "refused": 4, "duplicate": 0, "failed": 1})
    );
    // One thing kept on purpose, and it is refused: that is a refusal.
    let refused =
        memory.json(1, &["remember", "hello there", "--predicate", "no_such_thing", "--value", "hello"]);
    assert_eq!(refused["refused"][0]["code"], json!("unknown_predicate"), "{refused}");
    memory.verify();
}

#[test]
fn long_texts_are_taken_up_to_a_bound_that_is_told() {
    let memory = Memory::new();
    let of = |bytes: usize| {
        let text = "The quick brown fox jumps over the lazy dog. ".repeat(bytes / 45 + 1);
        lines(&[owner(&text[..bytes], "2026-01-01T00:00:00Z")])
    };
    let answer = memory.observe(&of(10 * 1024 * 1024), &[]).ended(0).json();
    assert_eq!(answer["duplicate"], json!(false));
    is_told(&memory.observe(&of(20 * 1024 * 1024), &[]), 3, "text has 20971520 bytes; 16777216 are allowed");
    memory.verify();
}

#[test]
fn bad_arguments_are_told() {
    let memory = lived_in();
    for (exit, arguments, wanted) in [
        (2, &["bogus"] as &[&str], "bogus"),
        (2, &["recall"], "required"),
        (2, &["recall", "x", "--limit", "many"], "--limit"),
        (2, &["forget"], "nothing to forget"),
        (2, &["disputes", "--keep", "ve_1"], "--resolve"),
        (3, &["recall", "x", "--limit", "0"], "limit `0` lists nothing"),
        (3, &["recall", "x", "--threshold", "2"], "threshold `2` is outside"),
        (3, &["recall", "x", "--valid-at", "yesterday"], "unreadable time `yesterday`"),
        (3, &["recall", "x", "--valid-at", "0000-01-01"], "outside the years"),
        (3, &["recall", "x", "--valid-at", "9999-12-31T23:59:59Z"], "outside the years"),
        (3, &["--now", "2026-01-01T00:00:00", "state"], "no offset"),
        (3, &["--subject", " ", "state"], "subject name is empty"),
        (3, &["turn", "x", "--policy", "turn/99"], "policy `turn/99`"),
        (3, &["turn", "x", "--budget-tokens", "0"], "budget of 0 tokens"),
        (3, &["turn", "x", "--hint", "alpha"], "hint `alpha`"),
        (3, &["observe", "/no/such/file"], "no such file"),
        (3, &["observe", "/tmp"], "is a directory"),
        (1, &["why", "nonsense"], "nothing with id `nonsense`"),
        (1, &["replay", "tu_nonsense"], "nothing with id"),
        (1, &["forget", "--source", "conversation:none"], "nothing with id"),
        (3, &["--data", "/etc/passwd", "recall", "x"], "`/etc/passwd` is no directory"),
        (3, &["--data", "/etc/passwd/below", "remember", "x"], "`/etc/passwd` is no directory"),
        (3, &["--policies", "/no/such/directory", "init"], "no such file"),
    ] {
        let ran = at(&memory, arguments);
        is_told(&ran, exit, wanted);
        let as_json = at(&memory, &[&["--json"], arguments].concat()).ended(exit).json();
        for field in ["code", "message"] {
            assert!(as_json["error"][field].is_string(), "{arguments:?}: {as_json}");
        }
    }
    // Every year that can be written can be asked about.
    for year in ["0001-01-01T00:00:00Z", "9999-12-30T00:00:00Z"] {
        assert_ne!(memory.run(&["recall", "live", "--valid-at", year]).exit, 3);
    }
    memory.verify();
}

#[test]
fn a_closed_pipe_is_quiet() {
    let memory = lived_in();
    let many: Vec<Json> =
        (0..2_000).map(|number| owner(&format!("Line {number}."), "2026-01-01T00:00:00Z")).collect();
    memory.observe(&lines(&many), &[]).ended(0);
    let mut shell = Command::new("sh");
    let script = format!(
        "{} --data '{}' export 2>/dev/null | head -n 1 >/dev/null; echo done",
        env!("CARGO_BIN_EXE_testimony"),
        memory.data().display()
    );
    shell.args(["-c", &script]);
    let ran = run(shell, b"").ended(0);
    assert_eq!(ran.out, "done\n");
    let script = format!(
        "( {} --data '{}' export 2>&1 1>&3 3>&- | grep -v watermark ) 3>&1 1>&2 | head -n 1 >/dev/null",
        env!("CARGO_BIN_EXE_testimony"),
        memory.data().display()
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]);
    let ran = run(shell, b"");
    assert!(!ran.err.contains("error") && !ran.err.contains("panicked"), "{ran:#?}");
}

/// What all subjects share is looked at once, and told once, however many there are.
#[test]
fn damage_to_what_is_shared_is_told_once() {
    let memory = Memory::new();
    for subject in ["ana", "ivo", "mia"] {
        memory.run(&["--subject", subject, "remember", "I live in Zagreb."]).ended(0);
    }
    let connection = rusqlite::Connection::open(memory.data().join("ledger.db")).expect("a connection");
    connection.execute_batch("DROP TRIGGER claim_stands_on_its_evidence").expect("dropped");
    drop(connection);
    let verified = memory.json(5, &["verify"]);
    assert_eq!((&verified["ok"], &verified["subjects"]), (&json!(false), &json!(3)), "{verified}");
    let places: Vec<_> =
        verified["damage"].as_array().expect("a list").iter().map(|one| &one["place"]).collect();
    assert_eq!(places, [&json!("schema `claim_stands_on_its_evidence`")]);
}

#[test]
fn a_damaged_store_is_told_and_nothing_is_written() {
    let memory = lived_in();
    let path = memory.data().join("ledger.db");
    let whole = fs::read(&path).expect("read");
    let flip = |from: usize, to: usize| {
        let mut bytes = whole.clone();
        bytes[from..to].iter_mut().for_each(|byte| *byte ^= 0xff);
        fs::write(&path, bytes).expect("written");
    };
    // The beginning: it is no ledger any more.
    flip(0, 16);
    is_told(&memory.run(&["recall", "live"]), 5, "ledger");
    is_told(&memory.run(&["remember", "I prefer tea."]), 5, "ledger");
    assert_eq!(memory.json(5, &["verify"])["error"]["code"], json!("damaged"));
    assert_eq!(memory.json(5, &["doctor"])["ok"], json!(false));
    // Every page by itself: whatever is hit, reading ends in an answer or in an error, and `verify` never says all is well
    // while something that was remembered cannot be read.
    let mut found = 0;
    let page = 4_096;
    for start in (page..whole.len()).step_by(page) {
        flip(start, (start + page).min(whole.len()));
        let verified = memory.run(&["--json", "verify"]);
        assert!([0, 5].contains(&verified.exit), "page at {start}: {verified:#?}");
        found += i32::from(verified.exit == 5);
        let read = memory.run(&["recall", "where do I live?"]);
        assert!([0, 1, 5].contains(&read.exit), "page at {start}: {read:#?}");
        if verified.exit == 0 {
            assert_eq!(read.exit, 0, "page at {start}: verify was content, and the memory is gone");
        }
    }
    assert!(found >= 5, "only {found} damaged pages were noticed");
    for ending in ["-wal", "-shm"] {
        drop(fs::remove_file(memory.data().join(format!("ledger.db{ending}"))));
    }
    fs::write(&path, &whole).expect("written");
    memory.verify();
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let memory = lived_in();
    let path = memory.data().join("ledger.db");
    let whole = fs::read(&path).expect("read");
    let mut newer = whole.clone();
    // The version of the tables stands at byte 60 of every SQLite file.
    newer[60..64].copy_from_slice(&9_999_u32.to_be_bytes());
    fs::write(&path, &newer).expect("written");
    for arguments in [&["recall", "live"] as &[&str], &["remember", "I prefer tea."], &["verify"]] {
        let ran = memory.run(arguments);
        is_told(&ran, 5, "version `9999`");
    }
    assert_eq!(fs::read(&path).expect("read"), newer, "the file was touched");
    fs::write(&path, &whole).expect("written");
    memory.verify();
}

#[test]
fn doctor_tells_what_every_verb_would() {
    let memory = lived_in();
    memory.run(&["doctor"]).ended(0);
    let group = memory.data().join("keys").join("groups").join("1.key");
    let mut key = fs::read(&group).expect("read");
    let last = key.len() - 1;
    key[last] ^= 1;
    fs::write(&group, &key).expect("written");
    memory.run(&["doctor"]).ended(5);
    let lost = lived_in();
    fs::remove_file(lost.data().join("ledger.db")).expect("removed");
    lost.run(&["state"]).ended(5);
    lost.run(&["doctor"]).ended(5);
}

#[test]
fn a_store_without_its_key_is_told() {
    let memory = lived_in();
    let key = memory.data().join("keys").join("master.key");
    let whole = fs::read(&key).expect("read");
    fs::remove_file(&key).expect("removed");
    is_told(&memory.run(&["recall", "live"]), 5, "master key");
    assert_eq!(memory.json(5, &["remember", "I prefer tea."])["error"]["code"], json!("key"));
    assert!(!key.exists(), "no new key may be made for an old store");
    fs::write(&key, [7_u8; 32]).expect("written");
    is_told(&memory.run(&["recall", "live"]), 5, "master key");
    fs::write(&key, [7_u8; 3]).expect("written");
    is_told(&memory.run(&["recall", "live"]), 5, "3 bytes instead of 32");
    // The same key from the environment is as good as the file.
    fs::remove_file(&key).expect("removed");
    let hexadecimal: String = whole.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut command = memory.command(&["recall", "live"]);
    command.env("TESTIMONY_MASTER_KEY", hexadecimal);
    run(command, b"").ended(0);
    let mut command = memory.command(&["recall", "live"]);
    command.env("TESTIMONY_MASTER_KEY", "short");
    is_told(&run(command, b""), 3, "64 hexadecimal digits");
    fs::write(&key, whole).expect("written");
    memory.verify();
}

#[test]
fn a_directory_that_cannot_be_written_can_be_read() {
    let memory = lived_in();
    if is_root() {
        // Modes do not bind the superuser; another user does the reading.
        if !give_to_nobody(memory.outside()) {
            eprintln!("SKIPPED: a read-only directory cannot be tried here as root");
            return;
        }
    }
    set_modes(&memory.data(), 0o500, 0o400);
    is_told(&as_user(&memory, &["remember", "I prefer tea."]), 6, "written");
    let found = as_user(&memory, &["recall", "where do I live?"]);
    assert_eq!(found.exit, 0, "{found:#?}");
    set_modes(&memory.data(), 0o000, 0o000);
    is_told(&as_user(&memory, &["recall", "where do I live?"]), 6, "ermission denied");
    set_modes(&memory.data(), 0o700, 0o600);
    assert_eq!(as_user(&memory, &["verify"]).exit, 0);

    // Nor can a directory be made where one may not write.
    let closed = memory.outside().join("closed");
    fs::create_dir(&closed).expect("made");
    if is_root() {
        give_to_nobody(memory.outside());
    }
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o500)).expect("set");
    let inside = closed.join("data");
    let ran = as_user(&memory, &["init", "--data", inside.to_str().expect("a path")]);
    is_told(&ran, 6, "ermission denied");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).expect("set");
}

#[test]
fn a_full_disk_is_told_reading_goes_on_and_forgetting_works() {
    if !is_root() {
        eprintln!("SKIPPED: a small disk can only be mounted by root");
        return;
    }
    let memory = Memory::new();
    fs::create_dir(memory.data()).expect("made");
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=48m,mode=700", "tmpfs"])
        .arg(memory.data())
        .status()
        .is_ok_and(|status| status.success());
    if !mounted {
        eprintln!("SKIPPED: a small disk cannot be mounted here");
        return;
    }
    let unmount = Unmount(&memory);
    let first =
        memory.observe(&lines(&[owner("I live in Zagreb.", "2026-01-01T00:00:00Z")]), &[]).ended(0).json();
    let mut told = None;
    for number in 0..60 {
        let text = format!("Page {number}: {}", "words that take room ".repeat(100_000));
        let ran = memory.observe(&lines(&[owner(&text, "2026-01-02T00:00:00Z")]), &[]);
        if ran.exit != 0 {
            told = Some(ran);
            break;
        }
    }
    let told = told.expect("the disk fills");
    is_told(&told, 6, "full");
    assert_eq!(told.lines().last().expect("an answer")["error"]["code"], json!("full"));
    memory.run(&["recall", "where do I live?"]).ended(0);
    memory.verify();
    let evidence = first["evidence"].as_str().expect("an id");
    let gone = memory.json(0, &["forget", evidence]);
    assert_eq!(gone["residue"], json!(0), "{gone}");
    memory.run(&["recall", "where do I live?"]).ended(1);
    memory.verify();
    drop(unmount);
}

#[test]
fn the_doctor_sees_what_is_open_to_others_and_what_is_gone() {
    let memory = lived_in();
    let find = |findings: &Json, name: &str| -> Json {
        let checks = findings["checks"].as_array().expect("a list");
        checks
            .iter()
            .find(|check| check["name"] == json!(name))
            .unwrap_or_else(|| panic!("{name} in {findings}"))
            .clone()
    };
    let path = memory.data().join("ledger.db");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("set");
    let findings = memory.json(6, &["doctor"]);
    let modes = find(&findings, "modes");
    assert_eq!(modes["ok"], json!(false), "{findings}");
    assert!(modes["found"].as_str().is_some_and(|found| found.contains("ledger.db")), "{findings}");
    // Opening closed it again.
    assert_eq!(memory.json(0, &["doctor"])["ok"], json!(true));
    fs::remove_file(memory.data().join("keys").join("master.key")).expect("removed");
    let findings = memory.json(5, &["doctor"]);
    assert_eq!(find(&findings, "store")["ok"], json!(false), "{findings}");
}

struct Unmount<'test>(&'test Memory);

impl Drop for Unmount<'_> {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(self.0.data()).status());
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|about| std::os::unix::fs::MetadataExt::uid(&about) == 0)
}

/// Hands everything below `path` to the user that is nobody.
fn give_to_nobody(path: &Path) -> bool {
    let given = Command::new("chown").args(["-R", "65534:65534"]).arg(path).status();
    let can_change = Command::new("setpriv")
        .args([
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            env!("CARGO_BIN_EXE_testimony"),
            "--version",
        ])
        .output();
    given.is_ok_and(|status| status.success()) && can_change.is_ok_and(|output| output.status.success())
}

/// Runs the command as somebody whom modes bind.
fn as_user(memory: &Memory, arguments: &[&str]) -> Ran {
    if !is_root() {
        return memory.run(arguments);
    }
    let plain = memory.command(arguments);
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(plain.get_program());
    // An option given twice counts in its last place, so a test may name another directory.
    let named = arguments.contains(&"--data");
    let skip = if named { 2 } else { 0 };
    command.args(plain.get_args().skip(skip));
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    run(command, b"")
}

fn set_modes(path: &Path, directory: u32, file: u32) {
    let about = fs::symlink_metadata(path).expect("there");
    if about.is_dir() {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).expect("set");
        for entry in fs::read_dir(path).expect("listed") {
            set_modes(&entry.expect("an entry").path(), directory, file);
        }
        fs::set_permissions(path, fs::Permissions::from_mode(directory)).expect("set");
    } else {
        fs::set_permissions(path, fs::Permissions::from_mode(file)).expect("set");
    }
}

#[test]
fn without_a_model_there_is_nothing_to_embed_with_and_that_is_told() {
    let memory = lived_in();
    is_told(&memory.run(&["reembed"]), 3, "no embedding model is set up");
    let ran = memory.run(&["--json", "recall", "where do I live?"]).ended(0);
    assert!(ran.out.contains("no embedding model; words only"), "{ran:#?}");
    let rebuilt = memory.run(&["--json", "rebuild"]);
    assert!(rebuilt.out.contains("\"dropped\":0") && rebuilt.out.contains("\"embedded\":0"), "{rebuilt:#?}");
    let doctor = memory.run(&["--json", "doctor"]);
    assert!(doctor.out.contains("none kept"), "{doctor:#?}");
}
