//! `testimony doctor`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use engine::{Engine, EngineError};
use ledger::limits::Limit;
use ledger::scope::Scope;
use ledger::shadow::Day;
use ledger::time::Moment;
use ledger::vectors::ModelIdentity;
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;
use testimony::drill::Record;
use testimony::shadow::telemetry;

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure, Stop};

/// Look after the data directory: modes, keys, versions, room
///
/// Modes, keys and sizes are looked at first; then the store is opened as any verb opens it, which closes files that were open to
/// others and lays missing ballast. The exit code is that of the worst finding: 5 for a damaged, newer or keyless store, 6 for modes and room.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony doctor\n  testimony --json doctor")]
pub(crate) struct Arguments {}

/// Less room than this is told.
const ROOM_BYTES_MIN: u64 = 64 * 1024 * 1024;

/// A log waiting to be folded into the database that is longer than this is told: a reader holds it, or died.
const WAL_BYTES_MAX: u64 = 64 * 1024 * 1024;

#[derive(Serialize)]
struct Findings {
    ok: bool,
    data: PathBuf,
    checks: Vec<Check>,
}

#[derive(Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    found: String,
    hint: Option<String>,
    #[serde(skip)]
    exit: Exit,
}

impl Findings {
    fn add(&mut self, name: &'static str, found: impl Into<String>) {
        self.checks.push(Check { name, ok: true, found: found.into(), hint: None, exit: Exit::Done });
    }

    fn complain(
        &mut self,
        name: &'static str,
        exit: Exit,
        found: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let hint = Some(hint.into());
        self.checks.push(Check { name, ok: false, found: found.into(), hint, exit });
        self.ok = false;
    }
}

pub(crate) fn run(context: &Context, _: Arguments) -> Outcome {
    let mut findings = Findings { ok: true, data: context.data.clone(), checks: Vec::new() };
    findings.add("program", format!("testimony {}", env!("CARGO_PKG_VERSION")));
    findings.add("sqlite", rusqlite::version());
    // Keys without a database are a store that lost it, not a place where nothing is yet.
    if context.exists() || context.data.join("keys").exists() {
        look_at_modes(&context.data, &mut findings);
        look_at_keys(&context.data, &mut findings);
        look_at_sizes(&context.data, &mut findings);
        look_into(context, &mut findings);
        look_at_drill(context, &mut findings);
        look_at_limits(context, &mut findings);
    } else {
        findings.add("data", "nothing is there yet");
    }
    look_at_room(&context.data, &mut findings);
    context.answer(&findings, told)?;
    let worst = findings.checks.iter().map(|check| check.exit);
    Ok(worst.max_by_key(|exit| (*exit == Exit::Damaged, exit.code())).unwrap_or(Exit::Done))
}

fn told(findings: &Findings) -> String {
    let mut told = format!("{}\n", findings.data.display());
    for check in &findings.checks {
        let mark = if check.ok { "ok   " } else { "WRONG" };
        _ = writeln!(told, "{mark} {}: {}", check.name, check.found);
        if let Some(hint) = &check.hint {
            _ = writeln!(told, "      hint: {hint}");
        }
    }
    told
}

/// Everything below the directory is the owner's alone.
fn look_at_modes(data: &Path, findings: &mut Findings) {
    let mut wrong = Vec::new();
    let mut seen = 0_u64;
    let mut open = vec![data.to_owned()];
    while let Some(path) = open.pop() {
        let Ok(about) = fs::symlink_metadata(&path) else {
            wrong.push(path);
            continue;
        };
        seen += 1;
        if !about.is_symlink() && about.permissions().mode() & 0o077 != 0 {
            wrong.push(path.clone());
        }
        if about.is_dir() {
            match fs::read_dir(&path) {
                Ok(listing) => open.extend(listing.flatten().map(|entry| entry.path())),
                Err(_) => wrong.push(path),
            }
        }
    }
    match wrong.first() {
        None => findings.add("modes", format!("{seen} files and directories are their owner's alone")),
        Some(first) => findings.complain(
            "modes",
            Exit::NotPermitted,
            format!(
                "{} of {seen} are open to others or unreadable, such as `{}`",
                wrong.len(),
                first.display()
            ),
            format!("chmod -R go= '{}'", data.display()),
        ),
    }
}

fn look_at_keys(data: &Path, findings: &mut Findings) {
    let keys = data.join("keys");
    let master = keys.join("master.key");
    let groups = fs::read_dir(keys.join("groups")).map(Iterator::count).unwrap_or_default();
    if keys.join("rotation").exists() {
        findings.complain(
            "rotation",
            Exit::Conflict,
            "a change of the master key was cut off; old and new key both open the store",
            "`testimony keys rotate --master` goes on",
        );
    }
    if master.is_file() {
        findings.add("keys", format!("master key on disk, {groups} group key file(s)"));
    } else {
        findings.add("keys", format!("no master key on disk, {groups} group key file(s)"));
    }
}

fn look_at_sizes(data: &Path, findings: &mut Findings) {
    let size = |name: &str| fs::metadata(data.join(name)).map(|about| about.len()).ok();
    let database = size(testimony::DATABASE).unwrap_or_default();
    findings.add("database", format!("{database} bytes"));
    let waiting = size(&format!("{}-wal", testimony::DATABASE)).unwrap_or_default();
    match waiting > WAL_BYTES_MAX {
        false => findings.add("wal", format!("{waiting} bytes")),
        true => findings.complain(
            "wal",
            Exit::NotPermitted,
            format!("{waiting} bytes wait to be folded in"),
            "a program holds an old read; end it",
        ),
    }
    match size("ballast") {
        Some(bytes) if bytes > 0 => findings.add("ballast", format!("{bytes} bytes keep room to forget")),
        _ => findings.complain(
            "ballast",
            Exit::NotPermitted,
            "missing: on a full disk there would be no room to forget",
            "make room; the next write lays it again",
        ),
    }
}

/// Opens the store as any verb would, and asks it for its versions.
fn look_into(context: &Context, findings: &mut Findings) {
    match context.look() {
        Err(Stop::Failed(Failure { exit, message, hint, .. })) => {
            findings.complain("store", exit, message, hint.unwrap_or_default());
        }
        Err(Stop::PipeClosed) => {}
        Ok(engine) => {
            match engine.store().subjects() {
                Ok(subjects) => {
                    findings.add("store", format!("opens; {} subject(s)", subjects.len()));
                    look_at_lost_keys(&engine, findings);
                }
                Err(error) => {
                    let Failure { exit, message, hint, .. } = Failure::from(EngineError::Store(error));
                    findings.complain("store", exit, message, hint.unwrap_or_default());
                }
            }
            look_at_vectors(context, &engine, findings);
            findings.add("predicates", engine.registry().version());
            findings.add("admission", engine.policies().admission.version.as_str());
        }
    }
    let path = context.data.join(testimony::DATABASE);
    let version = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .and_then(|connection| connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0)));
    if let Ok(version) = version {
        findings.add("schema", version.to_string());
    }
}

/// What cannot be read for want of a key, by counts and ids.
fn look_at_lost_keys(engine: &Engine, findings: &mut Findings) {
    for damage in engine.store().unreadable().unwrap_or_default() {
        findings.complain(
            "lost keys",
            Exit::Damaged,
            format!("{} {}", damage.place, damage.what),
            "bring the file back from a backup of this store; the rest is read as ever",
        );
    }
}

/// How far backups of this store are proved, and how long ago that was.
fn look_at_drill(context: &Context, findings: &mut Findings) {
    const HOUR_MICROS: i64 = 3_600 * 1_000_000;
    let record = match Record::read(&context.data) {
        Ok(Some(record)) => record,
        Ok(None) => {
            findings.add("drill", "no backup of this store was ever tried; `testimony drill` does");
            return;
        }
        Err(error) => {
            findings.add(
                "drill",
                format!("what was last proved cannot be read: {error}; `testimony drill` proves it again"),
            );
            return;
        }
    };
    let age = match record.at.parse::<Moment>() {
        Ok(at) => context.now().micros().saturating_sub(at.instant.micros()).max(0) / HOUR_MICROS,
        Err(_) => 0,
    };
    let appends: u64 = record.subjects.iter().map(|end| end.watermark).sum();
    findings.add(
        "drill",
        format!(
            "verified as of {}: {appends} append(s) of {} subject(s), {} fact(s), {} turn(s), {} day(s) and {} hour(s) ago by {}",
            record.taken_at,
            record.subjects.len(),
            record.facts,
            record.turns,
            age / 24,
            age % 24,
            record.program
        ),
    );
}

/// Which limits were met in the last thirty days, and how often.
fn look_at_limits(context: &Context, findings: &mut Findings) {
    const DAYS: i32 = 30;
    let since = Day::of(context.now()).before(DAYS);
    let mut times: BTreeMap<u32, u64> = BTreeMap::new();
    for (day, limit, hits) in telemetry(&context.data).limit_hits().unwrap_or_default() {
        if day >= since {
            *times.entry(limit).or_insert(0) += hits;
        }
    }
    // A newer program's limit has no name here.
    let named = |(limit, times): (u32, u64)| {
        Limit::ALL.get(limit as usize).map(|limit| format!("{} {times} time(s)", limit.code))
    };
    let met: Vec<String> = times.into_iter().filter_map(named).collect();
    findings.add(
        "limits",
        match met.is_empty() {
            true => format!("none was met in {DAYS} days"),
            false => format!("in {DAYS} days: {}", met.join(", ")),
        },
    );
}

/// How many vectors there are, of which models. Whatever is wrong with them, they are made anew, so nothing is complained of.
fn look_at_vectors(context: &Context, engine: &Engine, findings: &mut Findings) {
    let kept = engine.store().vector_store();
    let mut models: BTreeMap<[u8; 32], (ModelIdentity, u64)> = BTreeMap::new();
    for subject in engine.store().subjects().unwrap_or_default() {
        for (model, count) in kept.vector_models(&Scope::of(subject)).unwrap_or_default() {
            models.entry(model.mark).or_insert((model, 0)).1 += count;
        }
    }
    let bytes = fs::metadata(context.data.join("derived").join("vectors.db")).map_or(0, |about| about.len());
    let listed: Vec<String> = models
        .values()
        .map(|(model, count)| format!("{count} of `{}` ({} dimensions)", model.name, model.dims))
        .collect();
    let mut found = if listed.is_empty() { "none kept".to_owned() } else { listed.join(", ") };
    if bytes > 0 {
        _ = write!(found, ", {bytes} bytes");
    }
    for notice in kept.vector_notices() {
        _ = write!(found, "; {notice}");
    }
    findings.add("vectors", found);
}

/// Room on the disk of the directory, or of the nearest one above that is there.
fn look_at_room(data: &Path, findings: &mut Findings) {
    let there = data.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new("."));
    let there = if there.as_os_str().is_empty() { Path::new(".") } else { there };
    let Ok(disk) = rustix::fs::statvfs(there) else { return };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    match free < ROOM_BYTES_MIN {
        false => findings.add("room", format!("{free} bytes free")),
        true => findings.complain(
            "room",
            Exit::NotPermitted,
            format!("{free} bytes free"),
            "make room on the disk; forgetting still works",
        ),
    }
}
