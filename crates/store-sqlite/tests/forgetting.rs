//! Forgetting: the bytes are in no file afterwards, also when readers, crashes and full disks get in the way.
#![allow(clippy::disallowed_methods, reason = "tests put files in the way on purpose")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::places;
use ledger::conformance::{
    Upon, at, evidence, first_story, keyed, leaving, mark, message, opening, record_turn, scope, source,
    story, turn,
};
use ledger::fact::Transition;
use ledger::id::{ClaimId, EvidenceId, FactId, Position, SourceId};
use ledger::log::{Batch, Erasure, Removed, Row};
use ledger::scope::Scope;
use ledger::store::{Appended, Erased, Store, StoreErrorKind};
use ledger::vectors::{ModelIdentity, Placed, Quantised, VectorRow};
use rusqlite::Connection;
use store_sqlite::SqliteStore;

fn append(store: &SqliteStore, scope: &Scope, basis: u64, batch: Batch) {
    let appended = store.append(scope, &store.upon(scope, basis), &[keyed(basis, batch)]).expect("appended");
    assert_eq!(appended, Appended::Done(basis + 1));
}

fn erase(store: &SqliteStore, scope: &Scope, basis: u64, erasure: &Erasure) -> (u64, u64) {
    match store.erase(scope, &store.upon(scope, basis), mark("erasure", basis), erasure).expect("erased") {
        Erased::Done { watermark, rows, residue } => {
            assert_eq!(watermark, basis + 1);
            (rows, residue)
        }
        Erased::BasisMoved(moved) => panic!("the basis moved to {moved}"),
    }
}

/// What takes out the message whose first row stands at `seq.first`.
fn one_message(seq: u64, first: u32) -> Erasure {
    let place = |more| vec![Position::new(seq, first + more)];
    Erasure {
        recorded_at: at(90),
        remove: Removed {
            evidence: place(0),
            facts: place(1),
            claims: place(2),
            transitions: place(3),
            ..Removed::default()
        },
        ..Erasure::default()
    }
}

/// What takes out the source and the message of [`first_story`] at append `seq`.
fn whole_story(seq: u64) -> Erasure {
    let mut erasure = one_message(seq, 1);
    erasure.remove.sources = vec![Position::new(seq, 0)];
    erasure.shred = vec![SourceId(Position::new(seq, 0))];
    erasure
}

/// Everything sealed in the rows of one append.
fn sealed(directory: &Path, subject: i64, seq: u64) -> Vec<Vec<u8>> {
    let connection = Connection::open(directory.join("ledger.db")).expect("a connection");
    let mut found = Vec::new();
    for (table, columns) in [("source", "words, NULL"), ("evidence", "words, text"), ("claim", "words, NULL")]
    {
        let sql = format!("SELECT {columns} FROM {table} WHERE subject = ? AND seq = ?");
        let mut select = connection.prepare(&sql).expect("a table");
        let mut rows = select.query((subject, seq as i64)).expect("rows");
        while let Some(row) = rows.next().expect("a row") {
            found.extend(
                [0, 1].into_iter().filter_map(|column| row.get::<_, Option<Vec<u8>>>(column).expect("bytes")),
            );
        }
    }
    assert!(found.len() >= 3);
    found
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for item in fs::read_dir(directory).expect("a directory") {
        let path = item.expect("an item").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// In how many of the directory's files any 20 bytes out of any of `secrets` stand.
fn hits(directory: &Path, secrets: &[Vec<u8>]) -> usize {
    let pieces: Vec<&[u8]> = secrets.iter().flat_map(|secret| secret.chunks_exact(20)).collect();
    let automaton = aho_corasick::AhoCorasick::new(&pieces).expect("an automaton");
    files(directory).iter().filter(|path| automaton.is_match(&fs::read(path).expect("a file"))).count()
}

#[test]
fn words_are_in_no_file_even_before_they_are_forgotten() {
    let directory = places::fresh();
    let store = places::open(&directory);
    let ana = scope("Ana Horvat of Split");
    let mut batch = first_story(1, 1);
    batch.rows.extend(message(1, 5, SourceId(Position::new(1, 0)), 2));
    append(&store, &ana, 0, batch);
    record_turn(&store, &ana, mark("turn", 1), &turn(1)).expect("recorded");
    let words =
        ["Ana Horvat", "I like number", "conversation 1", "number 2"].map(|word| word.as_bytes().to_vec());
    for path in files(&directory) {
        let bytes = fs::read(&path).expect("a file");
        for word in &words {
            assert!(!bytes.windows(word.len()).any(|window| window == word), "{}", path.display());
        }
    }
}

#[test]
fn erased_bytes_are_in_no_file_though_subjects_lie_between_each_other() {
    const SUBJECTS: u64 = 12;
    const STORIES: u64 = 24;
    let directory = places::fresh();
    let store = places::open(&directory);
    let scopes: Vec<Scope> = (0..SUBJECTS).map(|number| scope(&format!("subject {number}"))).collect();
    // Round by round, so that every table is filled in the middle and its pages are split again and again.
    for seq in 1..=STORIES {
        for (number, scope) in (0..).zip(&scopes) {
            let mut batch = first_story(seq, seq * 100 + number);
            if let Row::Evidence(said) = &mut batch.rows[1] {
                let long = format!(
                    "{} {}",
                    said.words.text.as_deref().unwrap_or(""),
                    "and more ".repeat(seq as usize * 30)
                );
                said.text_bytes = long.len() as u64;
                said.words.text = Some(long);
            }
            append(&store, scope, seq - 1, batch);
        }
    }
    for (number, scope) in (0..).zip(&scopes).step_by(3) {
        for (basis, seq) in (STORIES..).zip([1, 7, 12, STORIES]) {
            let secrets = sealed(&directory, number + 1, seq);
            assert!(hits(&directory, &secrets) > 0);
            assert_eq!(erase(&store, scope, basis, &whole_story(seq)), (5, 0));
            assert_eq!(hits(&directory, &secrets), 0);
        }
    }
    let secrets: Vec<Vec<u8>> = (2..=6).flat_map(|seq| sealed(&directory, 2, seq)).collect();
    let erased = store.erase_subject(&scopes[1], &leaving(&scopes[1], &[])).expect("erased");
    assert_eq!(erased, Erased::Done { watermark: 0, rows: STORIES * 5, residue: 0 });
    assert_eq!(hits(&directory, &secrets), 0);
    for (number, scope) in scopes.iter().enumerate().filter(|(number, _)| *number != 1) {
        assert_eq!(places::damage(&store, scope), [], "subject {number}");
    }
}

#[test]
fn a_message_of_a_source_that_stays_leaves_no_bytes() {
    let directory = places::fresh();
    let store = places::open(&directory);
    let ana = scope("ana");
    append(&store, &ana, 0, first_story(1, 1));
    for seq in 2..=40 {
        append(&store, &ana, seq - 1, story(seq, SourceId(Position::new(1, 0)), seq));
    }
    let secrets: Vec<Vec<u8>> = sealed_messages(&directory, 20);
    assert_eq!(erase(&store, &ana, 40, &one_message(20, 0)), (4, 0));
    assert_eq!(hits(&directory, &secrets), 0);
    // What is reduced loses its text the same way.
    let id = EvidenceId(Position::new(30, 0));
    let whole = store.evidence(&ana, &[id]).expect("evidence").remove(0).expect("there");
    let secrets: Vec<Vec<u8>> = sealed_messages(&directory, 30).into_iter().take(2).collect();
    let mut words = whole.words;
    words.text = None;
    let reduce = Erasure { recorded_at: at(91), reduce: vec![(id, words)], ..Erasure::default() };
    assert_eq!(erase(&store, &ana, 41, &reduce), (1, 0));
    assert_eq!(hits(&directory, &secrets), 0);
    assert_eq!(places::damage(&store, &ana), []);
}

/// The sealed evidence columns, then the claim's, of a message without a source.
fn sealed_messages(directory: &Path, seq: u64) -> Vec<Vec<u8>> {
    sealed(directory, 1, seq)
}

/// Every sealed vector of a row.
fn sealed_vectors(directory: &Path, row: Position) -> Vec<Vec<u8>> {
    let connection = Connection::open(directory.join("derived/vectors.db")).expect("a connection");
    let mut select =
        connection.prepare("SELECT sealed FROM vector WHERE seq = ? AND ordinal = ?").expect("a statement");
    let place = (i64::try_from(row.seq).expect("a small number"), row.ordinal);
    let rows = select.query_map(place, |row| row.get(0)).expect("vectors");
    rows.map(|sealed| sealed.expect("a vector")).collect()
}

fn keep(store: &SqliteStore, scope: &Scope, kind: Placed, rows: &[Position]) -> usize {
    let model = ModelIdentity { name: "words".to_owned(), dims: 384, mark: [3; 32] };
    let vector = |of: &Position| VectorRow {
        of: *of,
        piece: 0,
        vector: Quantised {
            scale: 0.5,
            steps: (0..384).map(|step| (step * of.seq as i32 % 100) as i8).collect(),
        },
    };
    let rows: Vec<VectorRow> = rows.iter().map(vector).collect();
    let basis = store.head(scope).expect("head");
    store.vector_store().keep_vectors(scope, &basis, &model, kind, &rows).expect("kept")
}

#[test]
fn erased_vectors_are_in_no_file() {
    let directory = places::fresh();
    let store = places::open(&directory);
    let (ana, ben) = (scope("ana"), scope("ben"));
    append(&store, &ana, 0, first_story(1, 1));
    append(&store, &ben, 0, first_story(1, 2));
    for seq in 2..=60 {
        append(&store, &ana, seq - 1, story(seq, SourceId(Position::new(1, 0)), seq));
    }
    let messages: Vec<Position> = (2..=60).map(|seq| Position::new(seq, 0)).collect();
    let claims: Vec<Position> = (2..=60).map(|seq| Position::new(seq, 2)).collect();
    assert_eq!(keep(&store, &ana, Placed::Evidence, &messages), 59);
    assert_eq!(keep(&store, &ana, Placed::Claim, &claims), 59);
    assert_eq!(keep(&store, &ben, Placed::Evidence, &[Position::new(1, 1)]), 1);
    let found = fs::metadata(directory.join("derived/vectors.db")).expect("there").permissions().mode();
    assert_eq!(found & 0o077, 0);
    // A message and its claim; then a message that only loses words; then the subject.
    let mut secrets = sealed_vectors(&directory, messages[10]);
    secrets.extend(sealed_vectors(&directory, claims[10]));
    assert_eq!(secrets.len(), 2);
    assert!(hits(&directory, &secrets) >= 1, "the search finds what is there");
    assert_eq!(erase(&store, &ana, 60, &one_message(12, 0)), (4, 0));
    assert_eq!(hits(&directory, &secrets), 0);
    let reduced = EvidenceId(messages[20]);
    let secrets = sealed_vectors(&directory, reduced.0);
    assert_eq!(secrets.len(), 1);
    let mut words = store.evidence(&ana, &[reduced]).expect("evidence").remove(0).expect("there").words;
    words.text = None;
    let reduce = Erasure { recorded_at: at(91), reduce: vec![(reduced, words)], ..Erasure::default() };
    assert_eq!(erase(&store, &ana, 61, &reduce), (1, 0));
    assert_eq!(hits(&directory, &secrets), 0);
    let secrets: Vec<Vec<u8>> = messages.iter().flat_map(|row| sealed_vectors(&directory, *row)).collect();
    assert_eq!(secrets.len(), 57);
    let erased = store.erase_subject(&ana, &leaving(&ana, &[])).expect("erased");
    assert!(matches!(erased, Erased::Done { residue: 0, .. }), "{erased:?}");
    assert_eq!(hits(&directory, &secrets), 0);
    assert_eq!(store.vector_store().vector_models(&ben).expect("models").len(), 1, "others keep theirs");
}

#[test]
fn a_vector_file_that_is_damaged_does_not_stop_an_erasure() {
    let directory = places::fresh();
    let store = places::open(&directory);
    let ana = scope("ana");
    append(&store, &ana, 0, first_story(1, 1));
    append(&store, &ana, 1, story(2, SourceId(Position::new(1, 0)), 2));
    assert_eq!(keep(&store, &ana, Placed::Evidence, &[Position::new(2, 0)]), 1);
    drop(store);
    fs::write(directory.join("derived/vectors.db"), [9; 50_000]).expect("damaged");
    let store = places::open(&directory);
    assert_eq!(erase(&store, &ana, 2, &one_message(2, 0)), (4, 0));
    assert_eq!(keep(&store, &ana, Placed::Evidence, &[Position::new(1, 1)]), 1);
    assert!(!store.vector_store().vector_notices().is_empty(), "it is told");
}

#[test]
fn copies_that_other_files_hold_are_counted() {
    let directory = places::fresh();
    let store = places::open(&directory);
    let ana = scope("ana");
    append(&store, &ana, 0, first_story(1, 1));
    let secrets = sealed(&directory, 1, 1);
    fs::create_dir_all(directory.join("derived/lexical")).expect("a directory");
    fs::write(directory.join("derived/lexical/segment"), secrets.concat()).expect("a copy");
    fs::write(directory.join("telemetry.db"), &secrets[0]).expect("another");
    let (rows, residue) = erase(&store, &ana, 1, &whole_story(1));
    assert_eq!((rows, residue), (5, secrets.len() as u64 + 1));
    assert_eq!(places::damage(&store, &ana), []);
    append(&store, &ana, 2, first_story(3, 3));
}

#[test]
fn a_stale_reader_is_waited_for_and_then_told_of() {
    let directory = places::fresh();
    let store = places::open(&directory);
    let ana = scope("ana");
    append(&store, &ana, 0, first_story(1, 1));
    append(&store, &ana, 1, first_story(2, 2));
    let stale = Connection::open(directory.join("ledger.db")).expect("a connection");
    stale.execute_batch("BEGIN; SELECT count(*) FROM evidence;").expect("a snapshot");
    let (rows, residue) = erase(&store, &ana, 2, &whole_story(1));
    assert_eq!(rows, 5);
    assert!(residue > 0, "erased bytes are still in the log, and the answer must say so");
    // While the reader stays, all else goes on.
    append(&store, &ana, 3, first_story(4, 4));
    stale.execute_batch("COMMIT").expect("over");
    let again = store.erase(&ana, &store.upon(&ana, 2), mark("erasure", 2), &whole_story(1)).expect("answer");
    assert_eq!(again, Erased::Done { watermark: 3, rows: 0, residue: 0 });
    assert_eq!(fs::metadata(directory.join("ledger.db-wal")).map_or(0, |log| log.len()), log_after_flag());
}

/// After the cleaning one small write, that it is done, stands in the log.
fn log_after_flag() -> u64 {
    // The log's header, and one frame of a page with its own header.
    32 + 4096 + 24
}

#[test]
fn a_short_reader_is_outlasted() {
    let directory = places::fresh();
    let store = places::open(&directory);
    let ana = scope("ana");
    append(&store, &ana, 0, first_story(1, 1));
    let (ready, begun) = std::sync::mpsc::channel();
    let path = directory.join("ledger.db");
    let reader = std::thread::spawn(move || {
        let connection = Connection::open(path).expect("a connection");
        connection.execute_batch("BEGIN; SELECT count(*) FROM evidence;").expect("a snapshot");
        ready.send(()).expect("somebody waits");
        std::thread::sleep(std::time::Duration::from_millis(700));
        connection.execute_batch("COMMIT").expect("over");
    });
    begun.recv().expect("a reader");
    assert_eq!(erase(&store, &ana, 1, &whole_story(1)), (5, 0));
    reader.join().expect("a reader");
}

#[test]
fn a_cleaning_cut_off_by_a_crash_is_finished_at_the_next_opening() {
    let directory = places::fresh();
    let ana = scope("ana");
    let store = places::open(&directory);
    append(&store, &ana, 0, first_story(1, 1));
    drop(store);
    let connection = Connection::open(directory.join("ledger.db")).expect("a connection");
    connection.execute("UPDATE store SET scrub = 1", []).expect("as after a crash");
    drop(connection);
    let store = places::open(&directory);
    let connection = Connection::open(directory.join("ledger.db")).expect("a connection");
    assert_eq!(connection.query_row("SELECT scrub FROM store", [], |row| row.get::<_, i64>(0)), Ok(0));
    assert_eq!(places::damage(&store, &ana), []);
}

#[test]
fn a_shredded_source_takes_its_group_key_along() {
    let directory = places::fresh();
    let store = places::open(&directory);
    let (ana, ben) = (scope("ana"), scope("ben"));
    append(&store, &ana, 0, first_story(1, 1));
    append(&store, &ana, 1, first_story(2, 2));
    append(&store, &ben, 0, first_story(1, 3));
    drop(store);
    let old_database = fs::read(directory.join("ledger.db")).expect("a backup");
    let old_key = fs::read(directory.join("keys/groups/1.key")).expect("a key");
    let store = places::open(&directory);
    assert_eq!(erase(&store, &ana, 2, &whole_story(1)), (5, 0));
    assert!(!directory.join("keys/groups/1.key").exists());
    assert_eq!(hits(&directory, &[old_key]), 0);
    for scope in [&ana, &ben] {
        assert_eq!(places::damage(&store, scope), []);
    }
    drop(store);
    // A backup of the database alone tells nothing any more, not even together with the keys that are left.
    let attacked = places::fresh();
    copy(&directory, &attacked);
    fs::write(attacked.join("ledger.db"), old_database).expect("the backup");
    let store = places::open(&attacked);
    for scope in [&ana, &ben] {
        let error = store.changes_since(scope, 0).map(drop).expect_err("no key");
        assert_eq!(error.kind(), StoreErrorKind::Key);
    }
    assert_eq!(store.subjects().expect("subjects"), []);
    drop(store);
    let store = places::open(&directory);
    for scope in [&ana, &ben] {
        let erased = store.erase_subject(scope, &leaving(scope, &[])).expect("erased");
        assert!(matches!(erased, Erased::Done { residue: 0, .. }));
    }
    assert_eq!(fs::read_dir(directory.join("keys/groups")).expect("there").count(), 0);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for item in fs::read_dir(from).expect("a directory") {
        let item = item.expect("an item");
        let target = to.join(item.file_name());
        if item.path().is_dir() {
            copy(&item.path(), &target);
        } else {
            fs::copy(item.path(), &target).expect("copied");
        }
    }
}

#[test]
fn a_group_has_room_for_a_thousand_keys() {
    let directory = places::fresh();
    let store = places::open(&directory);
    let ana = scope("ana");
    let sources = |from: u64| Batch {
        recorded_at: at(1),
        rows: (from..from + 1_200).map(|number| Row::Source(source(&format!("source {number}")))).collect(),
    };
    append(&store, &ana, 0, sources(0));
    append(&store, &ana, 1, sources(1_200));
    let said = evidence(SourceId(Position::new(2, 700)), "words", 1);
    append(&store, &ana, 2, Batch { recorded_at: at(3), rows: vec![Row::Evidence(said.clone())] });
    let groups = |directory: &Path| fs::read_dir(directory.join("keys/groups")).expect("there").count();
    // 2,400 sources and the subject itself.
    assert_eq!(groups(&directory), 3);
    let erasure = Erasure {
        recorded_at: at(9),
        remove: Removed { sources: vec![Position::new(1, 5), Position::new(2, 5)], ..Removed::default() },
        ..Erasure::default()
    };
    assert_eq!(erase(&store, &ana, 3, &erasure), (2, 0));
    assert_eq!(groups(&directory), 3);
    drop(store);
    let store = places::open(&directory);
    let found = store.evidence(&ana, &[EvidenceId(Position::new(3, 0))]).expect("evidence");
    assert_eq!(found, [Some(said)]);
    assert_eq!(places::damage(&store, &ana), []);
}

#[test]
fn an_erasure_that_leaves_rows_dangling_is_refused_whole() {
    let directory = places::fresh();
    let store = places::open(&directory);
    let ana = scope("ana");
    append(&store, &ana, 0, first_story(1, 1));
    let whole = whole_story(1).remove;
    let partial = [
        Removed { sources: whole.sources.clone(), ..Removed::default() },
        Removed { evidence: whole.evidence.clone(), ..Removed::default() },
        Removed { facts: whole.facts.clone(), ..Removed::default() },
        Removed { claims: whole.claims.clone(), ..Removed::default() },
        Removed { transitions: Vec::new(), ..whole.clone() },
    ];
    let before = store.changes_since(&ana, 0).expect("changes");
    for remove in partial {
        let erasure = Erasure { recorded_at: at(9), remove, ..Erasure::default() };
        let refused =
            store.erase(&ana, &store.upon(&ana, 1), mark("erasure", 1), &erasure).expect_err("refused");
        assert_eq!(refused.kind(), StoreErrorKind::Contract);
    }
    // Nor may it write of what is not there: a fact, or what supports it.
    let fact = |ordinal| FactId(Position::new(1, ordinal));
    let of_no_fact =
        Transition { attach: Vec::new(), ..opening(fact(9), ClaimId(Position::new(1, 3)), at(9)) };
    let on_no_claim = opening(fact(2), ClaimId(Position::new(1, 9)), at(9));
    for told in [of_no_fact, on_no_claim] {
        let erasure = Erasure { recorded_at: at(9), rewrite: vec![told], ..Erasure::default() };
        let refused =
            store.erase(&ana, &store.upon(&ana, 1), mark("erasure", 1), &erasure).expect_err("refused");
        assert_eq!(refused.kind(), StoreErrorKind::Contract, "{refused}");
    }
    let shred =
        Erasure { recorded_at: at(9), shred: vec![SourceId(Position::new(1, 0))], ..Erasure::default() };
    assert_eq!(
        store.erase(&ana, &store.upon(&ana, 1), mark("erasure", 1), &shred).expect_err("refused").kind(),
        StoreErrorKind::Contract
    );
    assert_eq!(store.changes_since(&ana, 0).expect("changes"), before);
    assert_eq!(places::damage(&store, &ana), []);
    // References are watched again afterwards.
    let orphan = Batch { recorded_at: at(2), rows: message(2, 0, SourceId(Position::new(9, 9)), 2) };
    let refused = store.append(&ana, &store.upon(&ana, 1), &[keyed(9, orphan)]).expect_err("refused");
    assert_eq!(refused.kind(), StoreErrorKind::Contract);
}

const FULL: &str = "TESTIMONY_TEST_FULL_DISK";

#[test]
fn a_full_disk_takes_no_more_yet_forgets() {
    if let Some(directory) = std::env::var_os(FULL) {
        fill_and_forget(Path::new(&directory));
        return;
    }
    let small = tempfile::tempdir().expect("a directory");
    let program = std::env::current_exe().expect("this program");
    let script = "mount -t tmpfs -o size=48m tmpfs \"$0\" && exec \"$1\" --exact forgetting::a_full_disk_takes_no_more_yet_forgets";
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
        .arg(small.path())
        .arg(program)
        .env(FULL, small.path().join("data"))
        .output()
        .expect("a mount namespace of one's own");
    let told = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("1 passed"), "{told}{errors}");
}

fn fill_and_forget(directory: &Path) {
    let store = places::open(directory);
    let ana = scope("ana");
    append(&store, &ana, 0, first_story(1, 1));
    let long = "words ".repeat(20_000);
    let mut basis = 1;
    let full = loop {
        let rows = vec![Row::Evidence(evidence(SourceId(Position::new(1, 0)), &long, basis))];
        match store.append(
            &ana,
            &store.upon(&ana, basis),
            &[keyed(basis, Batch { recorded_at: at(basis), rows })],
        ) {
            Ok(Appended::Done(done)) => basis = done,
            Ok(other) => panic!("{other:?}"),
            Err(full) => break full,
        }
        assert!(basis < 1_000, "the disk is not small");
    };
    assert_eq!(full.kind(), StoreErrorKind::Full, "{full}");
    assert!(basis > 40);
    assert_eq!(store.head(&ana).expect("head").watermark, basis);
    assert_eq!(store.evidence_after(&ana, None, 5).expect("evidence").len(), 5);
    assert_eq!(places::damage(&store, &ana), []);
    // Other files may have taken what little room was left, down to the last byte.
    let mut filler = 1 << 20;
    while filler > 0 {
        let name = directory.with_file_name(format!("filler-{filler}"));
        if fs::write(&name, vec![1; filler]).is_err() {
            fs::write(&name, []).expect("an empty file");
            filler /= 2;
        } else {
            let kept = directory
                .with_file_name(format!("kept-{filler}-{}", files(directory.parent().expect("above")).len()));
            fs::rename(&name, kept).expect("kept");
        }
    }
    for round in 0..4 {
        let some = (2 + round * 8..10 + round * 8).map(|seq| Position::new(seq, 0));
        let remove = Removed { evidence: some.collect(), ..Removed::default() };
        let erasure = Erasure { recorded_at: at(9), remove, ..Erasure::default() };
        assert_eq!(erase(&store, &ana, basis + round, &erasure), (8, 0));
    }
    assert_eq!(places::damage(&store, &ana), []);
    basis += 3;
    append(&store, &ana, basis + 1, story(basis + 2, SourceId(Position::new(1, 0)), 7));
    drop(store);
    let store = places::open(directory);
    assert_eq!(places::damage(&store, &ana), []);
}
