//! Opening: modes, keys, versions, damage, and directories that cannot be written. Each refusal leaves all as it was.
#![allow(clippy::disallowed_methods, reason = "tests damage files on purpose")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::places;
use ledger::conformance::{
    Upon, as_read, first_story, keyed, leaving, mark, record_turn, scope, story, turn,
};
use ledger::id::{Position, SourceId};
use ledger::log::{Changes, Erasure};
use ledger::store::{Appended, Head, Store, StoreError, StoreErrorKind};
use rusqlite::Connection;
use store_sqlite::{Options, SqliteStore};
use zeroize::Zeroizing;

/// A closed store with one append for `ana`.
fn written() -> PathBuf {
    let directory = places::fresh();
    let store = places::open(&directory);
    let appended =
        store.append(&scope("ana"), &Head::default(), &[keyed(1, first_story(1, 1))]).expect("appended");
    assert_eq!(appended, Appended::Done(1));
    directory
}

fn refusal(directory: &Path, options: Options) -> StoreError {
    match SqliteStore::open(directory, options) {
        Ok(_) => panic!("the store opened"),
        Err(error) => error,
    }
}

/// Every file under a directory, with its bytes.
fn contents(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for item in fs::read_dir(directory).expect("a directory") {
        let path = item.expect("an item").path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            let bytes = fs::read(&path).expect("a file");
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}

fn modes(directory: &Path) -> Vec<(PathBuf, u32)> {
    let mut found = vec![(directory.to_owned(), fs::metadata(directory).expect("there").mode() & 0o777)];
    for item in fs::read_dir(directory).expect("a directory") {
        let path = item.expect("an item").path();
        if path.is_dir() {
            found.extend(modes(&path));
        } else {
            let mode = fs::metadata(&path).expect("there").mode() & 0o777;
            found.push((path, mode));
        }
    }
    found
}

fn assert_owner_only(directory: &Path) {
    for (path, mode) in modes(directory) {
        let wanted = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, wanted, "{}", path.display());
    }
}

#[test]
fn everything_is_owner_only_while_open_and_after() {
    let directory = places::fresh();
    {
        let store = places::open(&directory);
        store.append(&scope("ana"), &Head::default(), &[keyed(1, first_story(1, 1))]).expect("appended");
        let names: Vec<String> = modes(&directory)
            .iter()
            .filter_map(|(path, _)| path.strip_prefix(&directory).ok().map(|path| path.display().to_string()))
            .collect();
        for name in
            ["ledger.db", "ledger.db-wal", "ledger.db-shm", "keys/master.key", "keys/groups/1.key", "ballast"]
        {
            assert!(names.iter().any(|found| found == name), "{name} is not among {names:?}");
        }
        assert_owner_only(&directory);
    }
    assert_owner_only(&directory);
}

#[test]
fn files_and_directories_left_open_to_others_are_closed() {
    let directory = written();
    for (path, _) in modes(&directory) {
        let open = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(open)).expect("opened to others");
    }
    let store = places::open(&directory);
    drop(store);
    assert_owner_only(&directory);
}

#[test]
fn somebody_elses_open_directory_is_not_touched() {
    let directory = places::fresh();
    fs::create_dir_all(&directory).expect("a directory");
    fs::write(directory.join("letter.txt"), "mine").expect("a file");
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).expect("a mode");
    let error = refusal(&directory, Options::default());
    assert_eq!(error.kind(), StoreErrorKind::Permission);
    assert!(error.to_string().contains("chmod 700"), "{error}");
    assert_eq!(contents(&directory).len(), 1);
    assert_eq!(fs::metadata(&directory).expect("there").mode() & 0o777, 0o755);
}

#[test]
fn a_missing_or_wrong_master_key_is_said_and_nothing_is_written() {
    let directory = written();
    let master = directory.join("keys/master.key");
    let right = fs::read(&master).expect("a key");
    let before = contents(&directory);
    let wrong = Options { master_key: Some(Zeroizing::new([9; 32])), ..Options::default() };
    let error = refusal(&directory, wrong);
    assert_eq!(error.kind(), StoreErrorKind::Key);
    assert_eq!(contents(&directory), before);

    fs::write(&master, [7; 32]).expect("another key");
    assert_eq!(refusal(&directory, Options::default()).kind(), StoreErrorKind::Key);
    fs::write(&master, [7; 5]).expect("half a key");
    assert_eq!(refusal(&directory, Options::default()).kind(), StoreErrorKind::Key);
    fs::remove_file(&master).expect("no key");
    let error = refusal(&directory, Options::default());
    assert_eq!(error.kind(), StoreErrorKind::Key);
    assert!(error.to_string().contains("master.key"), "{error}");
    assert!(!master.exists(), "a new master key would hide the loss");

    let given = Options {
        master_key: Some(Zeroizing::new(right.try_into().expect("32 bytes"))),
        ..Options::default()
    };
    let store = SqliteStore::open(&directory, given).expect("opened with the key given");
    assert!(places::damage(&store, &scope("ana")).is_empty());
    assert!(!master.exists());
}

#[test]
fn a_key_given_is_never_written_down() {
    let directory = places::fresh();
    let options = Options { master_key: Some(Zeroizing::new([42; 32])), ..Options::default() };
    let store = SqliteStore::open(&directory, options.clone()).expect("a store");
    store.append(&scope("ana"), &Head::default(), &[keyed(1, first_story(1, 1))]).expect("appended");
    drop(store);
    assert!(!directory.join("keys/master.key").exists());
    for (path, bytes) in contents(&directory) {
        assert!(!bytes.windows(32).any(|window| window == [42; 32]), "{}", path.display());
    }
    assert_eq!(refusal(&directory, Options::default()).kind(), StoreErrorKind::Key);
    SqliteStore::open(&directory, options).expect("opened again");
}

#[test]
fn leftover_group_keys_are_destroyed_at_opening() {
    let directory = written();
    for name in ["77.key", "78.key.123.new"] {
        fs::write(directory.join("keys/groups").join(name), [1; 60]).expect("a leftover");
    }
    let store = places::open(&directory);
    let left: Vec<_> = fs::read_dir(directory.join("keys/groups")).expect("there").collect();
    assert_eq!(left.len(), 1);
    assert!(places::damage(&store, &scope("ana")).is_empty());
}

#[test]
fn a_newer_store_is_refused_and_untouched() {
    let directory = written();
    let connection = Connection::open(directory.join("ledger.db")).expect("a connection");
    connection.pragma_update(None, "user_version", 99).expect("a later version");
    drop(connection);
    let before = contents(&directory);
    let error = refusal(&directory, Options::default());
    assert_eq!(error.kind(), StoreErrorKind::Newer);
    assert_eq!(contents(&directory), before);
}

#[test]
fn what_is_no_ledger_is_refused_and_untouched() {
    type Damage = fn(&mut Vec<u8>);
    let damages: [(&str, Damage); 7] = [
        ("another file", |bytes| *bytes = b"Dear diary, ".repeat(400)),
        ("a short file", |bytes| bytes.truncate(50)),
        ("another program's database", |bytes| bytes[68..72].copy_from_slice(b"abcd")),
        ("a file cut in half", |bytes| bytes.truncate(bytes.len() / 2)),
        ("a file cut inside a page", |bytes| bytes.truncate(bytes.len() - 100)),
        ("an overwritten first page", |bytes| bytes[100..4096].fill(0xA5)),
        ("nothing left of the file", Vec::clear),
    ];
    for (what, damage) in damages {
        let directory = written();
        let path = directory.join("ledger.db");
        let mut bytes = fs::read(&path).expect("the database");
        damage(&mut bytes);
        fs::write(&path, &bytes).expect("damaged");
        let error = match SqliteStore::open(&directory, Options::default()) {
            Err(error) => error,
            // What shows only when it is read must show then.
            Ok(store) => store.changes_since(&scope("ana"), 0).map(drop).expect_err(what),
        };
        assert_eq!(error.kind(), StoreErrorKind::Damaged, "{what}: {error}");
        assert_eq!(fs::read(&path).expect("the database"), bytes, "{what}");
    }
}

/// SQLite makes its file with a first page that says nothing yet; torn it is begun again. A ledger's is not.
#[test]
fn a_first_page_that_was_torn_is_begun_again() {
    let directory = places::fresh();
    let path = directory.join("ledger.db");
    fs::create_dir_all(&directory).expect("a directory");
    let connection = Connection::open(&path).expect("a database");
    connection.pragma_update(None, "journal_mode", "wal").expect("a log");
    connection.close().expect("closed");
    let first_page = fs::read(&path).expect("a page");
    let tears: [fn(&mut Vec<u8>); 4] = [
        |bytes| bytes.truncate(3_584),
        |bytes| bytes.truncate(512),
        |bytes| bytes[..512].fill(0),
        |bytes| bytes.clear(),
    ];
    for tear in tears {
        let directory = places::fresh();
        fs::create_dir_all(&directory).expect("a directory");
        let mut bytes = first_page.clone();
        tear(&mut bytes);
        fs::write(directory.join("ledger.db"), bytes).expect("torn");
        let store = places::open(&directory);
        store.append(&scope("ana"), &Head::default(), &[keyed(1, first_story(1, 1))]).expect("appended");
    }
    for tear in tears {
        let directory = written();
        let path = directory.join("ledger.db");
        let mut bytes = fs::read(&path).expect("a ledger");
        tear(&mut bytes);
        fs::write(&path, bytes).expect("torn");
        let refusal = refusal(&directory, Options::default());
        assert_eq!(refusal.kind(), StoreErrorKind::Damaged, "{refusal}");
    }
}

#[test]
fn messages_hold_no_words() {
    let directory = places::fresh();
    let store = places::open(&directory);
    let secret = scope("Ana Horvat-Secret");
    let mut batch = first_story(1, 1);
    // A claim on a fact that is not there.
    batch.rows.remove(2);
    let error = store.append(&secret, &Head::default(), &[keyed(1, batch)]).expect_err("refused");
    assert_eq!(error.kind(), StoreErrorKind::Contract);
    let mut text = format!("{error} {error:?}");
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        text.push_str(&format!(" {inner} {inner:?}"));
        cause = inner.source();
    }
    for word in ["Horvat", "I like", "conversation 1", "tea"] {
        assert!(!text.contains(word), "{text}");
    }
    assert!(store.keys(&secret).expect("keys").is_none(), "a refused first append founds nobody");
}

const READ_ONLY: &str = "TESTIMONY_TEST_READ_ONLY_DIRECTORY";

#[test]
fn a_directory_that_cannot_be_written_can_be_read() {
    if let Some(directory) = std::env::var_os(READ_ONLY) {
        read_what_cannot_be_written(Path::new(&directory));
        return;
    }
    // Modes do not count for the superuser, so the store is given to somebody else, who runs this test once more, from
    // a place anybody can reach.
    let nobody = 65_534;
    let reachable = tempfile::tempdir().expect("a directory");
    fs::set_permissions(reachable.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
    let root = fs::metadata("/proc/self").expect("a process").uid() == 0;
    let directory = reachable.path().join("data");
    copy_read_only(&written(), &directory, root.then_some(nobody));
    let before = contents(&directory);
    let program = reachable.path().join("test");
    fs::copy(std::env::current_exe().expect("this program"), &program).expect("a copy of the test");
    let mut child = Command::new(&program);
    child.args(["--exact", "opening::a_directory_that_cannot_be_written_can_be_read", "--nocapture"]);
    if root {
        child.uid(nobody).gid(nobody);
    }
    let mut child = child
        .env(READ_ONLY, &directory)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a child");
    let mut told = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut so_far = String::new();
    while !so_far.contains(HAS_READ) && told.read_line(&mut so_far).expect("read") > 0 {}
    assert_eq!(contents(&directory), before, "{so_far}");
    write_as_somebody_who_may(&directory, root);
    drop(child.stdin.take());
    told.read_to_string(&mut so_far).expect("read");
    assert!(child.wait().expect("it ends").success(), "{so_far}");
    assert!(so_far.contains("1 passed"), "{so_far}");
    for (path, _) in modes(&directory) {
        let mode = if path.is_dir() { 0o700 } else { 0o600 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("opened, to be removed");
    }
}

/// What the child says when it has read and waits for others to write.
const HAS_READ: &str = "has read";

/// Appends once more, and leaves everything to be read by whom it belongs to.
fn write_as_somebody_who_may(directory: &Path, root: bool) {
    let close = |of_directories, of_files| {
        for (path, _) in modes(directory) {
            let mode = if path.is_dir() { of_directories } else { of_files };
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
        }
    };
    // Modes do not count for the superuser.
    if !root {
        close(0o700, 0o600);
    }
    let store = SqliteStore::open(directory, Options::default()).expect("opened for writing");
    let next = story(2, SourceId(Position::new(1, 0)), 2);
    assert_eq!(
        store.append(&scope("ana"), &store.upon(&scope("ana"), 1), &[keyed(2, next)]).expect("appended"),
        Appended::Done(2)
    );
    drop(store);
    if !root {
        close(0o500, 0o400);
    }
}

/// Copies a store, owned by `owner` and closed to writing.
fn copy_read_only(from: &Path, to: &Path, owner: Option<u32>) {
    fs::create_dir_all(to).expect("a directory");
    for item in fs::read_dir(from).expect("a directory") {
        let item = item.expect("an item");
        let target = to.join(item.file_name());
        if item.path().is_dir() {
            copy_read_only(&item.path(), &target, owner);
        } else {
            fs::copy(item.path(), &target).expect("copied");
            std::os::unix::fs::chown(&target, owner, owner).expect("given away");
            fs::set_permissions(&target, fs::Permissions::from_mode(0o400)).expect("a mode");
        }
    }
    std::os::unix::fs::chown(to, owner, owner).expect("given away");
    fs::set_permissions(to, fs::Permissions::from_mode(0o500)).expect("a mode");
}

fn read_what_cannot_be_written(directory: &Path) {
    let store = SqliteStore::open(directory, Options::default()).expect("opened for reading");
    let ana = scope("ana");
    let read = store.changes_since(&ana, 0).expect("changes");
    assert_eq!(read, Changes::Appended(vec![as_read(1, &first_story(1, 1))]));
    assert!(places::damage(&store, &ana).is_empty());
    let appended =
        store.append(&ana, &store.upon(&ana, 1), &[keyed(2, story(2, SourceId(Position::new(1, 0)), 2))]);
    let refusals = [
        appended.map(drop),
        store.found(&scope("ben")).map(drop),
        store.erase(&ana, &store.upon(&ana, 1), mark("erasure", 1), &Erasure::default()).map(drop),
        store.erase_subject(&ana, &leaving(&ana, &[])).map(drop),
        record_turn(&store, &ana, mark("turn", 1), &turn(1)).map(drop),
    ];
    for refused in refusals {
        assert_eq!(refused.expect_err("refused").kind(), StoreErrorKind::Permission);
    }
    // Nothing can change, says whoever cannot write; somebody else can.
    println!("\n{HAS_READ}");
    std::io::stdin().read_to_end(&mut Vec::new()).expect("others have written");
    assert_eq!(store.head(&ana).expect("the head").watermark, 2);
    assert!(places::damage(&store, &ana).is_empty());
}
