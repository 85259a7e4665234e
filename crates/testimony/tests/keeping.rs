//! Backups as people take them: carried away, damaged, cut off, put back, proved; with their keys and without.
#![allow(clippy::disallowed_methods, reason = "tests damage files on purpose")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{self, Memory, lines, owner, run};
use rusqlite::Connection;
use serde_json::{Value as Json, json};

fn lived_in() -> Memory {
    let memory = Memory::new();
    let said = [
        owner("I live in Zagreb. No meetings before 9:30, please.", "2026-03-01T09:00:00+01:00"),
        owner("I prefer tea over coffee.", "2026-03-02T09:00:00+01:00"),
    ];
    memory.observe(&lines(&said), &["--now", "2026-03-03T00:00:00Z"]).ended(0);
    memory.json(0, &["--now", "2026-03-04T00:00:00Z", "turn", "book a meeting about tea tomorrow"]);
    memory
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path")
}

/// A second data directory beside the memory's own.
fn beside(memory: &Memory, name: &str, arguments: &[&str]) -> support::Ran {
    let mut command = support::command();
    command.arg("--data").arg(memory.outside().join(name)).args(arguments);
    run(command, b"")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for item in fs::read_dir(from).expect("a directory") {
        let item = item.expect("an item");
        match item.path().is_dir() {
            true => copy(&item.path(), &to.join(item.file_name())),
            false => _ = fs::copy(item.path(), to.join(item.file_name())).expect("copied"),
        }
    }
}

fn files(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for item in fs::read_dir(next).expect("a directory") {
            let path = item.expect("an item").path();
            match path.is_dir() {
                true => open.push(path),
                false => found.push(path.strip_prefix(directory).expect("inside").display().to_string()),
            }
        }
    }
    found.sort();
    found
}

fn state(memory: &Memory, name: &str, arguments: &[&str]) -> Vec<String> {
    let ran =
        beside(memory, name, &[&["--json", "--now", "2027-01-01T00:00:00Z", "state"], arguments].concat());
    let items = ran.json()["items"].as_array().expect("items").clone();
    items.iter().map(|item| item["text"].to_string()).collect()
}

#[test]
fn a_backup_lists_every_file_and_says_what_it_leaves_out() {
    let memory = lived_in();
    fs::write(memory.data().join("shadow.toml"), "candidate = \"turn/3\"\n").expect("written");
    memory.run(&["shadow", "off"]).ended(0);
    // One turn in twenty is drawn for the shadow lane and leaves telemetry; whether this one was is chance.
    for ending in ["", "-wal", "-shm"] {
        _ = fs::remove_file(memory.data().join(format!("telemetry.db{ending}")));
    }
    fs::write(memory.data().join("holiday.jpg"), "not ours").expect("written");
    fs::create_dir(memory.data().join("derived")).expect("a directory");
    let kept = memory.outside().join("kept");
    let taken = memory.json(0, &["--now", "2026-04-01T12:00:00Z", "backup", path(&kept)]);
    assert_eq!(taken["left_out"], json!(["ballast", "derived", "holiday.jpg"]), "{taken}");
    assert_eq!(
        files(&kept),
        ["backup.json", "keys/groups/1.key", "keys/master.key", "ledger.db", "shadow.off", "shadow.toml"]
    );
    for name in files(&kept) {
        let mode = fs::metadata(kept.join(&name)).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    for name in ["", "keys", "keys/groups"] {
        assert_eq!(
            fs::metadata(kept.join(name)).expect("there").permissions().mode() & 0o777,
            0o700,
            "{name}"
        );
    }
    let manifest: Json =
        serde_json::from_slice(&fs::read(kept.join("backup.json")).expect("a list")).expect("JSON");
    assert_eq!(manifest["part"], json!("whole"));
    assert_eq!(manifest["taken_at"], json!("2026-04-01T12:00:00Z"));
    assert_eq!(manifest["files"].as_array().map(Vec::len), Some(5));
    assert_eq!(manifest["subjects"].as_array().map(Vec::len), Some(1));
    assert!(manifest["subjects"][0]["watermark"].as_u64().expect("a number") >= 2);
    assert_eq!(manifest["subjects"][0]["chain"].as_str().map(str::len), Some(64));
    for words in ["Zagreb", "tea"] {
        assert!(!manifest.to_string().contains(words), "the list holds words");
    }
    let checked = memory.json(0, &["backup", "--check", path(&kept)]);
    assert_eq!((&checked["ok"], &checked["files"]), (&json!(true), &json!(5)), "{checked}");

    beside(&memory, "restored", &["restore", path(&kept)]).ended(0);
    let mut expected: Vec<String> =
        files(&kept).into_iter().filter(|name| name != "backup.json").chain(["ballast".to_owned()]).collect();
    expected.sort();
    assert_eq!(files(&memory.outside().join("restored")), expected);
    assert_eq!(state(&memory, "restored", &[]), state(&memory, "data", &[]));
}

/// A process may end in the middle of its first words to the telemetry, which nobody waits for. The copy has what stood before.
#[test]
fn telemetry_that_a_process_ended_in_the_middle_of_stops_no_backup() {
    // Without a turn nobody else has made the telemetry.
    let memory = Memory::new();
    memory.run(&["remember", "I live in Zagreb."]).ended(0);
    let at_work = memory.outside().join("at work.db");
    let connection = Connection::open(&at_work).expect("a database");
    connection.execute_batch("CREATE TABLE kept (number)").expect("a table");
    // More than its memory holds: pages are on the disk before the end, and so is what takes them back.
    connection.execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE").expect("begun");
    for _ in 0..400 {
        connection.execute("INSERT INTO kept VALUES (zeroblob(1000))", []).expect("written");
    }
    for ending in ["", "-journal"] {
        let file = |name: &str| format!("{name}{ending}");
        fs::copy(memory.outside().join(file("at work.db")), memory.data().join(file("telemetry.db")))
            .expect("what a power cut or a kill leaves");
    }
    let kept = memory.outside().join("kept");
    let taken = memory.json(0, &["backup", path(&kept)]);
    assert_eq!(taken["left_out"], json!(["ballast"]), "{taken}");
    let copy = Connection::open(kept.join("telemetry.db")).expect("the copy");
    let rows: i64 = copy.query_row("SELECT count(*) FROM kept", [], |row| row.get(0)).expect("rows");
    assert_eq!(rows, 0);
}

/// A copy carried elsewhere is compared file by file, and what differs is named; it is put back only if nothing does.
#[test]
fn what_differs_elsewhere_is_named_and_not_put_back() {
    let memory = lived_in();
    let kept = memory.outside().join("kept");
    memory.json(0, &["backup", path(&kept)]);
    let carried = memory.outside().join("carried");
    let damages: [(&str, &str, &dyn Fn()); 5] = [
        ("ledger.db", "has other bytes", &|| {
            let file = carried.join("ledger.db");
            let mut bytes = fs::read(&file).expect("read");
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(file, bytes).expect("written");
        }),
        ("ledger.db", "bytes instead of", &|| {
            let file = carried.join("ledger.db");
            let bytes = fs::read(&file).expect("read");
            fs::write(file, &bytes[..bytes.len() - 1]).expect("written");
        }),
        ("keys/groups/1.key", "is missing", &|| {
            fs::remove_file(carried.join("keys/groups/1.key")).expect("removed");
        }),
        ("keys/master.key", "is no file", &|| {
            fs::remove_file(carried.join("keys/master.key")).expect("removed");
            std::os::unix::fs::symlink(kept.join("keys/master.key"), carried.join("keys/master.key"))
                .expect("a link");
        }),
        ("keys/groups/9.key", "is not listed", &|| {
            fs::write(carried.join("keys/groups/9.key"), "more").expect("written");
        }),
    ];
    for (name, what, damage) in damages {
        copy(&kept, &carried);
        assert_eq!(memory.json(0, &["restore", "--check", path(&carried)])["ok"], json!(true));
        damage();
        let checked = memory.json(5, &["restore", "--check", path(&carried)]);
        let differences = checked["differences"].as_array().expect("a list");
        assert_eq!(differences.len(), 1, "{checked}");
        assert_eq!(differences[0]["path"], json!(name));
        assert!(differences[0]["what"].as_str().expect("words").contains(what), "{checked}");
        let put_back = beside(&memory, "restored", &["restore", path(&carried)]);
        match what {
            // A file more is not put back, and harms nothing.
            "is not listed" => {
                put_back.ended(0);
                assert!(!memory.outside().join("restored/keys/groups/9.key").exists());
            }
            _ => {
                assert!(put_back.err.contains(name), "{put_back:#?}");
                put_back.ended(5);
                assert!(!memory.outside().join("restored").exists());
            }
        }
        fs::remove_dir_all(&carried).expect("removed");
    }
    copy(&kept, &carried);
    let list = carried.join("backup.json");
    let whole = fs::read_to_string(&list).expect("a list");
    for (written, exit, told) in [
        (whole.replace("\"format\": 1", "\"format\": 2"), 5, "knows up to `1`"),
        (whole[..whole.len() / 2].to_owned(), 5, "cannot be read"),
        (whole.replace("ledger.db", "../ledger.db"), 5, "outside the backup"),
        ("{}".to_owned(), 5, "no format"),
    ] {
        fs::write(&list, written).expect("written");
        let refused = beside(&memory, "again", &["restore", path(&carried)]).ended(exit);
        assert!(refused.err.contains(told), "{refused:#?}");
        assert!(!memory.outside().join("again").exists());
    }
    fs::remove_file(&list).expect("removed");
    assert!(beside(&memory, "again", &["restore", path(&carried)]).ended(3).err.contains("is no backup"));
}

/// Killed at any moment, a backup says that it is unfinished, or is whole; interrupted, it leaves nothing.
#[test]
fn a_backup_that_is_cut_off_is_never_restored() {
    let memory = lived_in();
    let many: Vec<Json> = (0..400)
        .map(|number| owner(&format!("Line {number}: {}", "words ".repeat(400)), "2026-03-05T09:00:00+01:00"))
        .collect();
    memory.observe(&lines(&many), &["--now", "2026-03-06T00:00:00Z"]).ended(0);
    let (mut unfinished, mut whole) = (0, 0);
    for round in 0..30_u64 {
        let kept = memory.outside().join(format!("kept {round}"));
        let mut child = memory
            .command(&["backup", path(&kept)])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        std::thread::sleep(Duration::from_millis(round * 4));
        child.kill().expect("killed");
        child.wait().expect("ended");
        let restored = beside(&memory, &format!("restored {round}"), &["restore", path(&kept)]);
        match (kept.join("backup.json").exists(), kept.join("backup.json.unfinished").exists()) {
            (true, false) => {
                restored.ended(0);
                whole += 1;
            }
            (false, true) => {
                assert!(restored.err.contains("never finished"), "{restored:#?}");
                restored.ended(5);
                unfinished += 1;
            }
            (false, false) => {
                restored.ended(3);
                assert!(!kept.exists() || files(&kept).is_empty(), "{:?}", files(&kept));
            }
            (true, true) => panic!("finished and unfinished"),
        }
    }
    assert!(unfinished > 0, "no backup was cut off; {whole} were whole");
    let kept = memory.outside().join("interrupted");
    let mut child = memory.command(&["backup", path(&kept)]).stderr(Stdio::null()).spawn().expect("started");
    while !kept.exists() && child.try_wait().expect("asked").is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("asked to stop");
    match child.wait().expect("ended").code() {
        Some(0) => beside(&memory, "after all", &["restore", path(&kept)]).ended(0),
        Some(130) => {
            assert!(!kept.exists(), "{:?}", files(&kept));
            memory.run(&["backup", path(&kept)]).ended(0)
        }
        other => panic!("ended with {other:?}"),
    };
}

/// The chain's hash at an append, as the database has it.
fn chain(data: &Path, subject: &str, watermark: u64) -> String {
    let connection = Connection::open(data.join("ledger.db")).expect("a database");
    connection
        .query_row(
            "SELECT lower(hex(hash)) FROM entry JOIN subject ON subject.subject = entry.subject
             WHERE lower(hex(uid)) = ? AND seq = ?",
            rusqlite::params![subject, i64::try_from(watermark).expect("small")],
            |row| row.get(0),
        )
        .expect("an append")
}

/// Copies taken while several processes write are each equal to the store at their watermarks.
#[test]
fn backups_under_writing_are_the_store_at_their_watermarks() {
    let memory = lived_in();
    let writers: Vec<_> = (0..3)
        .map(|writer| {
            let many: Vec<Json> = (0..250)
                .map(|number| {
                    let mut message =
                        owner(&format!("I prefer drink {writer} {number}."), "2026-03-05T09:00:00+01:00");
                    message["external_id"] = json!(format!("{writer}-{number}"));
                    message
                })
                .collect();
            let subject = format!("writer {writer}");
            let command = memory.command(&["--subject", &subject, "--json", "observe", "-"]);
            std::thread::spawn(move || run(command, &lines(&many)).ended(0))
        })
        .collect();
    let mut copies: Vec<PathBuf> = Vec::new();
    while writers.iter().any(|writer| !writer.is_finished()) && copies.len() < 8 {
        let kept = memory.outside().join(format!("kept {}", copies.len()));
        memory.run(&["backup", path(&kept)]).ended(0);
        copies.push(kept);
    }
    writers.into_iter().for_each(|writer| _ = writer.join().expect("a writer"));
    let mut appends = 0;
    for (number, kept) in copies.iter().enumerate() {
        let name = format!("restored {number}");
        let restored = beside(&memory, &name, &["--json", "restore", path(kept)]).ended(0).json();
        for end in restored["subjects"].as_array().expect("subjects") {
            let subject = end["subject"].as_str().expect("an id");
            let watermark = end["watermark"].as_u64().expect("a number");
            if watermark == 0 {
                // Its first append was on its way.
                continue;
            }
            let here = chain(&memory.outside().join(&name), subject, watermark);
            assert_eq!(json!(here), end["chain"]);
            assert_eq!(here, chain(&memory.data(), subject, watermark));
            appends += watermark;
        }
    }
    assert!(appends > 0 && !copies.is_empty());
    memory.verify();
}

/// Keys kept apart: neither part is enough; and whoever was forgotten whole cannot be read in an older copy of the data
/// with keys copied afterwards.
#[test]
fn forgetting_reaches_copies_whose_keys_are_kept_apart() {
    let memory = lived_in();
    memory.run(&["--subject", "ana", "remember", "I live in Split."]).ended(0);
    let (data, keys) = (memory.outside().join("copied data"), memory.outside().join("copied keys"));
    memory.run(&["backup", path(&data), "--keys-apart", path(&data.join("keys"))]).ended(3);
    let taken = memory.json(0, &["backup", path(&data), "--keys-apart", path(&keys)]);
    assert_eq!(taken["keys"], json!(path(&keys)));
    assert!(!files(&data).iter().any(|name| name.starts_with("keys")), "{:?}", files(&data));
    for (directory, part) in [(&data, "data"), (&keys, "keys")] {
        let checked = memory.json(0, &["backup", "--check", path(directory)]);
        assert_eq!((&checked["ok"], &checked["part"]), (&json!(true), &json!(part)));
    }
    let refused = beside(&memory, "restored", &["restore", path(&data)]).ended(3);
    assert!(refused.err.contains("kept apart") && refused.err.contains("--keys"), "{refused:#?}");
    beside(&memory, "restored", &["restore", path(&keys)]).ended(3);
    beside(&memory, "restored", &["restore", path(&data), "--keys", path(&data)]).ended(3);
    let other = lived_in();
    let foreign = other.outside().join("foreign");
    other.run(&["backup", "--keys-only", path(&foreign)]).ended(0);
    let refused = beside(&memory, "restored", &["restore", path(&data), "--keys", path(&foreign)]).ended(3);
    assert!(refused.err.contains("another store"), "{refused:#?}");
    beside(&memory, "restored", &["restore", path(&data), "--keys", path(&keys)]).ended(0);
    assert!(!state(&memory, "restored", &["--subject", "ana"]).is_empty());

    // Ana is forgotten and somebody new comes; the master key changes too.
    memory.run(&["--subject", "ana", "forget", "--subject", "--yes"]).ended(0);
    memory.run(&["--subject", "eva", "remember", "I live in Pula."]).ended(0);
    memory.run(&["keys", "rotate", "--master"]).ended(0);
    let keys_now = memory.outside().join("keys now");
    memory.run(&["backup", "--keys-only", path(&keys_now)]).ended(0);
    let restored = beside(&memory, "later", &["--json", "restore", path(&data), "--keys", path(&keys_now)])
        .ended(0)
        .json();
    assert_eq!(restored["subjects_forgotten"], json!(1), "{restored}");
    assert_eq!(state(&memory, "later", &["--subject", "me"]), state(&memory, "data", &["--subject", "me"]));
    assert_eq!(state(&memory, "later", &["--subject", "ana"]), Vec::<String>::new());
    let drilled = memory.json(0, &["drill", path(&data), "--keys", path(&keys_now)]);
    assert_eq!((&drilled["ok"], &drilled["subjects"]), (&json!(true), &json!(1)), "{drilled}");

    // Keys from before the data know nothing of what came between.
    let data_now = memory.outside().join("data now");
    memory.run(&["backup", path(&data_now), "--keys-apart", path(&memory.outside().join("both"))]).ended(0);
    let refused = beside(&memory, "mixed", &["restore", path(&data_now), "--keys", path(&keys)]).ended(3);
    assert!(refused.err.contains("are older than the data"), "{refused:#?}");
    assert!(!memory.outside().join("mixed").exists());

    // A source forgotten since takes its subject with it, and says so.
    let source = memory.json(0, &["sources"])["sources"][0]["id"].as_str().expect("a source").to_owned();
    memory.run(&["forget", "--source", &source, "--yes"]).ended(0);
    let keys_last = memory.outside().join("keys last");
    memory.run(&["backup", "--keys-only", path(&keys_last)]).ended(0);
    let refused = beside(&memory, "last", &["restore", path(&data), "--keys", path(&keys_last)]).ended(5);
    assert!(refused.err.contains("were destroyed"), "{refused:#?}");
}

#[test]
fn a_drill_proves_a_backup_and_doctor_says_when() {
    let memory = lived_in();
    let drill_of = |findings: &Json| {
        let checks = findings["checks"].as_array().expect("checks").clone();
        let found = checks.iter().find(|check| check["name"] == json!("drill")).expect("a drill");
        found["found"].as_str().expect("words").to_owned()
    };
    assert!(drill_of(&memory.json(0, &["doctor"])).contains("ever tried"));
    let place = memory.outside().join("place");
    fs::create_dir(&place).expect("a directory");
    let drilled = memory.json(0, &["--now", "2026-05-01T00:00:00Z", "drill", "--place", path(&place)]);
    assert_eq!(drilled["ok"], json!(true), "{drilled}");
    for (what, least) in [("subjects", 1), ("appends", 2), ("facts", 3), ("turns", 1), ("recalls", 3)] {
        assert!(drilled[what].as_u64().expect("a number") >= least, "{what}: {drilled}");
    }
    assert_eq!(drilled["compared"], json!(1));
    assert_eq!(files(&place), Vec::<String>::new(), "the place is taken away");
    let told = drill_of(&memory.json(0, &["--now", "2026-05-03T05:00:00Z", "doctor"]));
    assert!(told.contains("as of 2026-05-01T00:00:00Z") && told.contains("2 day(s) and 5 hour(s)"), "{told}");

    // An older backup of a store that went on is compared with what it was then.
    let kept = memory.outside().join("kept");
    memory.run(&["backup", path(&kept)]).ended(0);
    memory.run(&["remember", "I prefer mint tea.", "--event-time", "2026-06-01"]).ended(0);
    let drilled = memory.json(0, &["drill", path(&kept)]);
    assert_eq!((&drilled["compared"], &drilled["recalls"]), (&json!(1), &json!(0)), "{drilled}");

    // Something forgotten since: verified, not compared, and said.
    let found = memory.json(0, &["recall", "tea"]);
    let id = found["items"][0]["id"].as_str().expect("an id").to_owned();
    memory.run(&["forget", &id, "--yes"]).ended(0);
    let drilled = memory.json(0, &["drill", path(&kept)]);
    assert_eq!(drilled["compared"], json!(0), "{drilled}");
    assert!(drilled["notices"].to_string().contains("forgotten since"), "{drilled}");

    // A copy whose history was changed and listed anew is found out by its chain.
    let forged = memory.outside().join("forged");
    copy(&kept, &forged);
    let connection = Connection::open(forged.join("ledger.db")).expect("a database");
    connection
        .execute_batch("DROP TRIGGER transition_is_never_changed; UPDATE transition SET at = at + 1;")
        .expect("tampered");
    drop(connection);
    let bytes = fs::read(forged.join("ledger.db")).expect("read");
    let list = forged.join("backup.json");
    let mut manifest: Json = serde_json::from_slice(&fs::read(&list).expect("a list")).expect("JSON");
    for file in manifest["files"].as_array_mut().expect("files") {
        if file["path"] == json!("ledger.db") {
            file["bytes"] = json!(bytes.len());
            file["blake3"] = json!(blake3::hash(&bytes).to_hex().to_string());
        }
    }
    fs::write(&list, manifest.to_string()).expect("written");
    let before = fs::read(memory.data().join("drill.json")).expect("a record");
    let drilled = memory.json(5, &["drill", path(&forged)]);
    assert!(drilled["differences"].as_array().is_some_and(|found| !found.is_empty()), "{drilled}");
    assert_eq!(fs::read(memory.data().join("drill.json")).expect("a record"), before);
}

#[test]
fn a_damaged_record_of_a_drill_is_not_believed() {
    let memory = lived_in();
    let drill = || {
        memory.json(0, &["--now", "2026-05-01T00:00:00Z", "drill"]);
        memory.data().join("drill.json")
    };
    let told = || {
        let doctor = memory.json(0, &["--now", "2026-05-03T05:00:00Z", "doctor"]);
        let checks = doctor["checks"].as_array().expect("checks").iter();
        checks
            .filter(|check| check["name"] == json!("drill"))
            .map(|check| check["found"].to_string())
            .collect::<String>()
    };
    let record = drill();
    let whole = fs::read_to_string(&record).expect("a record");
    assert!(told().contains("as of 2026-05-01"));
    for damaged in [whole.replacen("2026-05-01", "2026-05-03", 1), whole[..whole.len() / 2].to_owned()] {
        fs::write(&record, damaged).expect("damaged");
        assert!(told().contains("what was last proved cannot be read"), "{}", told());
    }
    drill();
    assert!(told().contains("as of 2026-05-01"));
}

#[test]
fn an_export_observed_again_is_the_same_ledger() {
    let memory = lived_in();
    let said = |reference: &str, number: &str| {
        json!({
            "source": {"kind": "document", "ref": reference}, "author": "external",
            "event_time": "2026-05-04T12:00:00Z", "text": format!("Acme has {number} employees."),
            "proposals": [{
                "entity": "acme", "predicate": "headcount", "value": number, "confidence": 0.9,
                "quote": format!("Acme has {number} employees"),
            }],
        })
    };
    let at = |day: u32| format!("2026-06-{day:02}T00:00:00Z");
    memory.observe(&lines(&[said("a", "120"), said("b", "150")]), &["--now", &at(1)]).ended(0);
    let dispute = memory.json(0, &["--now", &at(2), "disputes"])["disputes"][0].clone();
    let kept = dispute["versions"]
        .as_array()
        .expect("versions")
        .iter()
        .find(|version| version["value"].to_string().contains("150"))
        .expect("150");
    let (fact, version) = (dispute["fact"]["id"].as_str().expect("id"), kept["id"].as_str().expect("id"));
    let resolve = ["--now", &at(3), "disputes", "--resolve", fact, "--keep", version, "--reason", "audited"];
    memory.run(&resolve).ended(0);
    // Later testimony opens the dispute again; a retraction, a question kept on purpose, a living document.
    memory.observe(&lines(&[said("c", "180")]), &["--now", &at(4)]).ended(0);
    memory.run(&["--now", &at(5), "remember", "Should I move to Rijeka?"]).ended(0);
    let edition = |text: &str, day: u32| {
        json!({
            "source": {"kind": "document", "ref": "plan", "mode": "living"}, "author": "external",
            "event_time": at(day), "text": text,
            "proposals": [{
                "entity": "project:alpha", "predicate": "note", "value": text, "confidence": 0.9, "quote": text,
            }],
        })
    };
    memory.observe(&lines(&[edition("Alpha ships in May.", 6)]), &["--now", &at(6)]).ended(0);
    memory.observe(&lines(&[edition("Alpha ships in July.", 7)]), &["--now", &at(7)]).ended(0);

    let exported = memory.run(&["export"]).ended(0);
    assert!(exported.err.contains("1 decision"), "{}", exported.err);
    let other = Memory::new();
    let answers = other.observe(exported.out.as_bytes(), &["--now", "2026-07-01T00:00:00Z"]).ended(0).lines();
    assert!(answers.iter().any(|answer| answer["act"] == json!("resolve")), "{answers:#?}");
    let again = other.run(&["export"]).ended(0);
    assert_eq!(again.out, exported.out);
    let told = |memory: &Memory, verb: &str| {
        let mut answer = memory.json(0, &["--now", "2027-01-01T00:00:00Z", verb]);
        answer["watermark"] = json!(0);
        answer["as_of"] = json!(0);
        without_belief(&mut answer);
        support::without_ids(&answer.to_string())
    };
    assert_eq!(told(&other, "state"), told(&memory, "state"));
    assert_eq!(told(&other, "disputes"), told(&memory, "disputes"));
    // Observed once more, nothing changes.
    let answers = other.observe(exported.out.as_bytes(), &[]).ended(0).lines();
    assert!(answers.iter().all(|answer| answer["duplicate"] == json!(true)), "{answers:#?}");
    assert_eq!(other.run(&["export"]).ended(0).out, exported.out);
}

/// When something was held is the one thing a copy cannot have from the original: it learnt it later.
fn without_belief(answer: &mut Json) {
    match answer {
        Json::Object(fields) => {
            for name in ["belief", "score", "observed_at", "last_confirmed_at"] {
                fields.remove(name);
            }
            fields.values_mut().for_each(without_belief);
        }
        Json::Array(items) => items.iter_mut().for_each(without_belief),
        _ => {}
    }
}

#[test]
fn the_master_key_comes_from_a_command_and_goes_to_another() {
    let memory = Memory::new();
    let with = |key: &str, value: &str, arguments: &[&str]| {
        let mut command = memory.command(arguments);
        command.env(key, value);
        run(command, b"")
    };
    let (first, second) = ("1".repeat(64), "2".repeat(64));
    let order = format!("echo {first}");
    with("TESTIMONY_MASTER_KEY_COMMAND", &order, &["remember", "I live in Zagreb."]).ended(0);
    with("TESTIMONY_MASTER_KEY", &first, &["recall", "where do I live?"]).ended(0);
    for (order, told) in [("exit 3", "gave no key"), ("echo short", "64 hexadecimal digits")] {
        let refused = with("TESTIMONY_MASTER_KEY_COMMAND", order, &["recall", "live"]);
        assert!(refused.exit != 0 && refused.err.contains(told), "{refused:#?}");
    }
    let refused = with("TESTIMONY_MASTER_KEY", &first, &["keys", "rotate", "--master"]).ended(2);
    assert!(refused.err.contains("TESTIMONY_NEW_MASTER_KEY"), "{refused:#?}");
    let mut command = memory.command(&["--json", "keys", "rotate", "--master"]);
    command.env("TESTIMONY_MASTER_KEY", &first).env("TESTIMONY_NEW_MASTER_KEY", &second);
    let rotated = run(command, b"").ended(0).json();
    assert_eq!((&rotated["finished"], &rotated["keys"]), (&json!(true), &json!(2)), "{rotated}");
    let refused = with("TESTIMONY_MASTER_KEY", &first, &["recall", "live"]).ended(5);
    assert!(refused.err.contains("master key"), "{refused:#?}");
    with("TESTIMONY_MASTER_KEY", &second, &["recall", "where do I live?"]).ended(0);
    let listed = with("TESTIMONY_MASTER_KEY", &second, &["--json", "keys", "list"]).ended(0).json();
    assert_eq!((&listed["master"], &listed["lost"]), (&json!("given"), &json!(0)), "{listed}");
    assert!(!memory.data().join("keys/master.key").exists());
}

/// Killed at any moment, a change of the master key loses nothing and goes on.
#[test]
fn a_rotation_that_is_killed_goes_on() {
    let memory = lived_in();
    for round in 0..12_u64 {
        let mut child = memory
            .command(&["keys", "rotate", "--master"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        std::thread::sleep(Duration::from_millis(10 + round * 5));
        child.kill().expect("killed");
        child.wait().expect("ended");
        memory.verify();
        memory.run(&["remember", &format!("I prefer drink number {round}.")]).ended(0);
    }
    memory.run(&["keys", "rotate", "--master"]).ended(0);
    let listed = memory.json(0, &["keys", "list"]);
    assert_eq!(
        (&listed["rotation_unfinished"], &listed["lost"], &listed["master"]),
        (&json!(false), &json!(0), &json!("file")),
        "{listed}"
    );
    assert_eq!(
        files(&memory.data().join("keys")).iter().filter(|name| !name.starts_with("groups/")).count(),
        1,
        "{:?}",
        files(&memory.data().join("keys"))
    );
    memory.verify();
}

#[test]
fn a_lost_group_key_is_named_by_verify_doctor_and_keys() {
    let memory = lived_in();
    fs::remove_file(memory.data().join("keys/groups/1.key")).expect("lost");
    for arguments in [&["verify"] as &[&str], &["doctor"], &["keys", "list"], &["recall", "live"]] {
        let ran = memory.run(arguments);
        assert_eq!(ran.exit, 5, "{arguments:?}: {ran:#?}");
        let told = format!("{}{}", ran.out, ran.err);
        assert!(
            told.contains("keys/groups/1.key") && told.contains("cannot be read"),
            "{arguments:?}: {told}"
        );
        assert!(!told.contains("Zagreb"), "{told}");
    }
    memory.run(&["--subject", "ivo", "remember", "I live in Osijek."]).ended(0);
    memory.run(&["--subject", "ivo", "recall", "where do I live?"]).ended(0);
}
