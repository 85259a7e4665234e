//! The program that the power is cut under: what `tools/power-pull` runs inside its machine.
//!
//! `power-writer DIR write PULL full|normal` says and forgets things for ever, four writers at once, and prints a line for
//! each step once it was acknowledged. `normal` lowers the store's setting from outside, as a control that must lose.
//!
//! `power-writer DIR verify` opens what is left, has it verified, and prints what is there; whoever kept the first program's
//! lines compares. Lines, in both directions of the comparison, name a message by pull, writer and number.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use engine::forget::Forget;
use engine::observe::Observing;
use engine::{Call, Engine};
use ledger::scope::Scope;
use proofs::world::scope;
use proofs::{at, engine_on, message};
use serde_json::json;
use store_sqlite::{Options, SqliteStore};

/// Threads that write, each to the memory of a subject of its own.
const WRITERS: usize = 4;
/// Every so many messages a writer forgets one.
const FORGET_EVERY: usize = 8;
/// The one it forgets is so many messages old.
const FORGET_BACK: usize = 3;
/// Messages read from the store at a time.
const PAGE: usize = 1_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [directory, "write", pull, "full"] => write(&open(directory), pull),
        [directory, "write", pull, "normal"] => {
            lowered::register();
            write(&open(directory), pull);
        }
        [directory, "verify"] => verify(&open(directory)),
        _ => panic!("DIR write PULL full|normal, or DIR verify"),
    }
}

fn open(directory: &str) -> Engine {
    let store = SqliteStore::open(Path::new(directory), Options::default()).expect("the store opens");
    engine_on(Arc::new(store))
}

fn subject(writer: usize) -> Scope {
    scope(&format!("writer {writer}"))
}

fn write(engine: &Engine, pull: &str) {
    std::thread::scope(|all| {
        for writer in 0..WRITERS {
            all.spawn(move || write_as(engine, pull, writer));
        }
    });
}

/// Says one thing after the other, and now and then forgets one, until the power goes.
fn write_as(engine: &Engine, pull: &str, writer: usize) {
    let scope = subject(writer);
    let call = Call { scope: &scope, now: at("2026-03-01") };
    let mut said: Vec<String> = Vec::new();
    for number in 0.. {
        let name = format!("{pull} {writer} {number}");
        let words = format!("I like puzzle {name}");
        let message = message(json!({
            "source": {"kind": "conversation", "ref": pull}, "author": "owner", "event_time": "2026-03-01",
            "text": format!("{words}."),
            "proposals": [{"entity": "self", "predicate": "likes", "value": format!("puzzle {name}"),
                           "quote": words, "confidence": 1.0}],
        }));
        let observed = engine.observe(call, vec![message], Observing::default()).expect("taken");
        assert_eq!(observed[0].counts.admitted, 1, "{observed:#?}");
        tell(&format!("ACK {name}"));
        said.push(observed[0].evidence.clone().expect("kept"));
        if number % FORGET_EVERY == FORGET_EVERY - 1 {
            let gone = number - FORGET_BACK;
            tell(&format!("FORGETTING {pull} {writer} {gone}"));
            let forgotten = engine.forget(call, &Forget::Ids(vec![said[gone].clone()]), false);
            assert_eq!(forgotten.expect("forgotten").erased.evidence, 1);
            tell(&format!("FORGOT {pull} {writer} {gone}"));
        }
    }
}

/// Prints whether the ledger verifies, and which messages are there, word for word.
fn verify(engine: &Engine) {
    let now = at("2026-06-01");
    let verified = engine.verify_all(now).expect("the store is read");
    for damage in &verified.damage {
        tell(&format!("DAMAGE {damage:?}"));
    }
    let mut held: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for writer in 0..WRITERS {
        let scope = subject(writer);
        let mut last = None;
        loop {
            let page = engine.store().evidence_after(&scope, last, PAGE).expect("the messages are read");
            let Some((id, _)) = page.last() else { break };
            last = Some(id.0);
            for (_, evidence) in &page {
                let text = evidence.words.text.as_deref().unwrap_or_default();
                match told(text) {
                    Some((name, number)) => held.entry(name.to_owned()).or_default().push(number),
                    None => tell(&format!("DAMAGE {text:?} was never said")),
                }
            }
        }
    }
    for (name, numbers) in held {
        tell(&format!("HELD {name} {}", ranges(numbers)));
    }
    tell(if verified.ok { "VERIFIED ok" } else { "VERIFIED damaged" });
}

/// Pull and writer, and the number, of a message as [`write_as`] writes it.
fn told(text: &str) -> Option<(&str, usize)> {
    let (name, number) = text.strip_prefix("I like puzzle ")?.strip_suffix('.')?.rsplit_once(' ')?;
    Some((name, number.parse().ok()?))
}

/// Numbers as `0-4,6,9-12`: the console of an emulated machine is slow.
fn ranges(mut numbers: Vec<usize>) -> String {
    numbers.sort_unstable();
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let one = |(first, last): &(usize, usize)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    ranges.iter().map(one).collect::<Vec<_>>().join(",")
}

/// Prints one line, whole, at once.
fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).expect("somebody listens");
}

/// The control: SQLite connections that are `synchronous=NORMAL`, whatever the store asks of them.
///
/// The store has no such switch, and should not; so this program reaches beneath it. Every connection SQLite opens is lowered
/// first, and then refuses to hear of the setting again.
#[allow(unsafe_code, reason = "SQLite calls back through C, and is called by it")]
mod lowered {
    use std::ffi::{CStr, c_char, c_int, c_void};

    use rusqlite::auto_extension::register_auto_extension;
    use rusqlite::ffi;

    /// Lowers every connection opened from now on in this process.
    pub fn register() {
        // SAFETY: `lower` opens and closes no database and leaves the list of extensions alone.
        unsafe { register_auto_extension(lower) }.expect("registered");
    }

    unsafe extern "C" fn lower(
        connection: *mut ffi::sqlite3,
        _message: *mut *mut c_char,
        _routines: *const ffi::sqlite3_api_routines,
    ) -> c_int {
        let lowered = c"PRAGMA synchronous = NORMAL;";
        let none = std::ptr::null_mut();
        // SAFETY: SQLite hands over an open connection, which outlives both calls; the authorizer needs no data.
        unsafe {
            ffi::sqlite3_busy_timeout(connection, 30_000);
            let done = ffi::sqlite3_exec(connection, lowered.as_ptr(), None, none, std::ptr::null_mut());
            match done {
                ffi::SQLITE_OK => ffi::sqlite3_set_authorizer(connection, Some(authorise), none),
                failed => failed,
            }
        }
    }

    /// Lets everything pass but the setting, which is passed over without an error.
    unsafe extern "C" fn authorise(
        _data: *mut c_void,
        action: c_int,
        name: *const c_char,
        _value: *const c_char,
        _database: *const c_char,
        _cause: *const c_char,
    ) -> c_int {
        // SAFETY: for a pragma SQLite gives its name, ended by a zero.
        let is_setting = action == ffi::SQLITE_PRAGMA
            && !name.is_null()
            && unsafe { CStr::from_ptr(name) }.to_bytes().eq_ignore_ascii_case(b"synchronous");
        if is_setting { ffi::SQLITE_IGNORE } else { ffi::SQLITE_OK }
    }
}
