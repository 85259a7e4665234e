//! A server whose file system fills up, may no longer be written, or gives up, while clients write; afterwards it is put right again.
//!
//! Everything is done as an operator would see it happen: with another file, with modes, with `mount`. Mounting needs the
//! superuser and is kept from the rest of the machine by a mount namespace: [`in_namespace`] runs a program again in one.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::examine::examine;
use super::life::{SUBJECTS, saying_as_written};
use super::served::{Door, End, Serving};
use super::told::{Deed, Told};

/// What befalls the file system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// Another file takes all the room of a file system in memory.
    FullMemory,
    /// Another file takes all the room of an ext4.
    FullDisk,
    /// The directory is mounted over itself for reading only. What is open for writing stays so; nothing else can be opened or made.
    ReadOnly,
    /// The modes of the directory and its files allow no writing, and the server is nobody for whom modes do not count.
    Closed,
    /// An ext4 takes no write any more, as after an error of its device, until it is mounted anew.
    GivenUp,
}

impl Trouble {
    /// Every one.
    pub const ALL: [Self; 5] =
        [Self::FullMemory, Self::FullDisk, Self::ReadOnly, Self::Closed, Self::GivenUp];

    /// Whether it befalls a block device, which only the superuser of the machine can make of a file.
    #[must_use]
    pub fn needs_device(self) -> bool {
        matches!(self, Self::FullDisk | Self::GivenUp)
    }

    fn is_full(self) -> bool {
        matches!(self, Self::FullMemory | Self::FullDisk)
    }

    /// By which word a write may be refused.
    fn codes(self) -> &'static [&'static str] {
        match self {
            Self::FullMemory | Self::FullDisk => &["full"],
            Self::ReadOnly | Self::Closed => &["data_permission"],
            Self::GivenUp => &["data_permission", "disk"],
        }
    }
}

/// What came of it.
#[derive(Clone, Default, Debug)]
pub struct Troubled {
    /// Deeds that were acknowledged, before, meanwhile and afterwards.
    pub acknowledged: u64,
    /// Refusals, by their code.
    pub refused: BTreeMap<String, u64>,
}

/// As large as the data directory with its ballast, some work, and little more.
const FILE_SYSTEM_BYTES: u64 = 64 << 20;

/// How long something may take that must happen.
const WITHIN: Duration = Duration::from_secs(120);

/// How long clients go on where not every write is refused.
const MEANWHILE: Duration = Duration::from_millis(700);

/// Runs this program again with `arguments` and `environment` in a mount namespace of its own; `None` where this user may make none,
/// or none in which `troubles` can be brought about.
///
/// # Errors
/// What keeps it from running, where a namespace can be made.
pub fn in_namespace(
    troubles: &[Trouble],
    arguments: &[&str],
    environment: (&str, &str),
) -> Result<Option<Output>, String> {
    // Whoever is not the superuser may be one in a namespace of users, for whom there are no devices.
    let needs_device = troubles.iter().any(|trouble| trouble.needs_device());
    let probe = match needs_device {
        true => "losetup --find && mkfs.ext4 -V",
        false => "mount -t tmpfs tmpfs /mnt",
    };
    let ways: &[&[&str]] = match needs_device {
        true => &[&["--mount", "--propagation", "private"]],
        false => &[
            &["--mount", "--propagation", "private"],
            &["--map-root-user", "--mount", "--propagation", "private"],
        ],
    };
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    for way in ways {
        let mut may = Command::new("unshare");
        may.args(*way).args(["sh", "-c", probe]).stdout(Stdio::null()).stderr(Stdio::null());
        if may.status().is_ok_and(|ended| ended.success()) {
            let mut again = Command::new("unshare");
            again.args(*way).arg(&program).args(arguments).env(environment.0, environment.1);
            return again.output().map(Some).map_err(|error| error.to_string());
        }
    }
    Ok(None)
}

/// Serves a memory from a file system of its own while `clients` write and forget, brings the trouble over it, sees that reads go on
/// and that writes are refused with a reason, puts it right, sees that writes go on, and examines what is left.
/// To be called in a mount namespace of one's own.
///
/// # Errors
/// The first thing that is wrong.
pub fn troubled_server(program: &Path, trouble: Trouble, clients: usize) -> Result<Troubled, String> {
    let mut disk = Mounted::new(trouble)?;
    let data = disk.data();
    let server = Serving::begin(without_privileges(program), &data)?;
    let round = Arc::new(Round::default());
    let threads: Vec<_> = (0..clients)
        .map(|client| {
            let (round, door) = (round.clone(), server.door());
            std::thread::spawn(move || write(&door, client, &round))
        })
        .collect();
    wait("clients write", || round.acknowledged() >= 15 * clients as u64)?;
    let apart = Apart::said(&server.door(), &round)?;

    // Each erasure cuts the log, and so makes room again.
    round.only_say.store(trouble.is_full(), Ordering::Relaxed);
    {
        // A sync that is under way when an ext4 gives up is called a success by Linux, and is none: of files that are appended to and
        // synced by nothing else, every twentieth lacks its last record afterwards. So no call is under way at that instant.
        let _none_under_way = (trouble == Trouble::GivenUp).then(|| round.calls.write());
        disk.begin()?;
    }
    let since = now();
    wait("writes are refused", || {
        round.refused() >= 3 * clients as u64 || !trouble.is_full() && since.elapsed() > MEANWHILE
    })?;
    reads_go_on(&server.door())?;
    commands_are_told(program, &data, trouble)?;
    apart.forget(&server.door(), &round, trouble)?;
    if trouble == Trouble::GivenUp && round.refused() == 0 {
        return Err("a disk that gave up took what was written".to_owned());
    }

    let server = if trouble == Trouble::GivenUp {
        // What gave up must be mounted anew, and whoever holds its files must let them go.
        round.stop.store(true, Ordering::Relaxed);
        server.end(End::Asked)?;
        disk.end()?;
        round.stop.store(false, Ordering::Relaxed);
        let server = Serving::begin(without_privileges(program), &data)?;
        let (again, door) = (round.clone(), server.door());
        let before = round.acknowledged();
        let thread = std::thread::spawn(move || write(&door, clients, &again));
        wait("writes go on", || round.acknowledged() > before + 6)?;
        round.stop.store(true, Ordering::Relaxed);
        thread.join().map_err(|_| "a client failed")?;
        server
    } else {
        disk.end()?;
        round.only_say.store(false, Ordering::Relaxed);
        let before = round.acknowledged();
        wait("writes go on without a restart", || round.acknowledged() > before + 6 * clients as u64)?;
        if !trouble.is_full() {
            apart.forget_at_last(&server.door(), &round)?;
        }
        round.stop.store(true, Ordering::Relaxed);
        server
    };
    for thread in threads {
        thread.join().map_err(|_| "a client failed")?;
    }
    if !server.end(End::Asked)?.success() {
        return Err("it did not end well".to_owned());
    }
    let state = std::mem::take(&mut *round.state.lock());
    if let Some(strange) = state.strange.first() {
        return Err(format!("{strange} ({} such answers)", state.strange.len()));
    }
    if let Some((code, times)) =
        state.refused.iter().find(|(code, _)| !trouble.codes().contains(&code.as_str()))
    {
        return Err(format!("refused {times} times as `{code}`: {:?}", state.refused));
    }
    examine(&data, &state.told)?;
    Ok(Troubled { acknowledged: state.acknowledged, refused: state.refused })
}

/// The program without the superuser's right to pass over modes.
fn without_privileges(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--bounding-set", "-dac_override,-dac_read_search", "--"]).arg(program);
    command
}

/// What clients know together.
#[derive(Default)]
struct Round {
    state: Mutex<State>,
    /// Held by each call that is under way.
    calls: RwLock<()>,
    /// Nothing is to be forgotten for the time being.
    only_say: AtomicBool,
    stop: AtomicBool,
}

#[derive(Default)]
struct State {
    told: Told,
    acknowledged: u64,
    refused: BTreeMap<String, u64>,
    /// Answers that are none a client could act on.
    strange: Vec<String>,
}

impl Round {
    fn acknowledged(&self) -> u64 {
        self.state.lock().acknowledged
    }

    fn refused(&self) -> u64 {
        self.state.lock().refused.values().sum()
    }

    /// Asks for a deed once.
    fn once(
        &self,
        door: &Door,
        path: &str,
        subject: usize,
        body: &Json,
        deed: Deed,
    ) -> Result<(u16, Json), String> {
        let place = self.state.lock().told.begin(deed);
        let (status, answer) =
            door.post(path, &format!("person{subject}"), body).ok_or("the server is gone")?;
        if status == 200 {
            self.state.lock().told.acknowledge(place);
        }
        Ok((status, answer))
    }

    /// Does a deed, again and again until it is done or nobody wants it any more.
    fn insist(&self, door: &Door, path: &str, subject: usize, body: &Json, deed: &Deed) -> Option<Json> {
        while !self.stop.load(Ordering::Relaxed) {
            let under_way = self.calls.read();
            let place = self.state.lock().told.begin(deed.clone());
            let (status, answer) = door.post(path, &format!("person{subject}"), body)?;
            drop(under_way);
            let mut state = self.state.lock();
            if status == 200 {
                state.told.acknowledge(place);
                state.acknowledged += 1;
                return Some(answer);
            }
            // Gone by an attempt whose answer said that nobody knows.
            if status == 404 && matches!(deed, Deed::Forget { .. }) {
                return Some(answer);
            }
            match (answer["code"].as_str(), answer["hint"].as_str()) {
                (Some(code), Some(_)) if status >= 500 => {
                    *state.refused.entry(code.to_owned()).or_default() += 1
                }
                _ => state.strange.push(format!("{path} answered {status}: {answer}")),
            }
            drop(state);
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

/// Says things, and forgets every fourth.
fn write(door: &Door, client: usize, round: &Round) {
    let subject = client % SUBJECTS;
    for step in 0.. {
        let number = client as u64 * 100_000 + step;
        let said = json!({"messages": [saying_as_written(&format!("talk {client}"), number)]});
        let Some(answer) = round.insist(door, "/v1/evidence", subject, &said, &Deed::Say { subject, number })
        else {
            return;
        };
        let Some(id) = answer["observed"][0]["evidence"].as_str() else { return };
        if step % 4 != 3 || round.only_say.load(Ordering::Relaxed) {
            continue;
        }
        let forgotten = json!({"ids": [id]});
        if round.insist(door, "/v1/erasures", subject, &forgotten, &Deed::Forget { number }).is_none() {
            return;
        }
    }
}

/// Whoever asks what is held is told.
fn reads_go_on(door: &Door) -> Result<(), String> {
    for subject in 0..SUBJECTS {
        let (status, answer) =
            door.get("/v1/facts", &format!("person{subject}")).ok_or("the server is gone")?;
        if status != 200 || answer["items"].as_array().is_none_or(Vec::is_empty) {
            return Err(format!("reading is answered {status}: {answer}"));
        }
    }
    Ok(())
}

/// Another process of the program reads; its writes are refused with what to do.
fn commands_are_told(program: &Path, data: &Path, trouble: Trouble) -> Result<(), String> {
    let run = |arguments: &[&str]| {
        let mut command = without_privileges(program);
        command.arg("--data").arg(data).args(["--subject", "person0", "--json"]).args(arguments);
        command.env("TESTIMONY_MODELS_DIR", "no models here").output().map_err(|error| error.to_string())
    };
    let read = run(&["state"])?;
    if !read.status.success() {
        return Err(format!("a command cannot read: {read:?}"));
    }
    let text = "I like to be told why, at length and in so many words that they need room.".repeat(200);
    let written = run(&["remember", &text])?;
    let told: Json =
        serde_json::from_slice(&written.stdout).map_err(|error| format!("{error}: {written:?}"))?;
    let (code, hint) = (told["error"]["code"].as_str(), told["error"]["hint"].as_str());
    if written.status.success() || hint.is_none() || !code.is_some_and(|code| trouble.codes().contains(&code))
    {
        return Err(format!("a command that writes is told {told}, and ends with {}", written.status));
    }
    Ok(())
}

/// A message with a source of its own. To forget that is to destroy its key, for which a new file of keys is written.
struct Apart {
    number: u64,
    subject: usize,
}

impl Apart {
    const SOURCE: &str = "talk apart";

    fn said(door: &Door, round: &Round) -> Result<Self, String> {
        let apart = Self { number: 90_000_000, subject: 0 };
        let said = json!({"messages": [saying_as_written(Self::SOURCE, apart.number)]});
        let deed = Deed::Say { subject: apart.subject, number: apart.number };
        match round.once(door, "/v1/evidence", apart.subject, &said, deed)? {
            (200, _) => Ok(apart),
            (status, answer) => Err(format!("answered {status}: {answer}")),
        }
    }

    fn ask(&self, door: &Door, round: &Round) -> Result<(u16, Json), String> {
        let source = json!({"source": format!("conversation:{}", Self::SOURCE)});
        let deed = Deed::Forget { number: self.number };
        round.once(door, "/v1/erasures", self.subject, &source, deed)
    }

    /// Is forgotten though there is no room, while others want to write; or stays, and it is said why.
    fn forget(&self, door: &Door, round: &Round, trouble: Trouble) -> Result<(), String> {
        let (status, answer) = self.ask(door, round)?;
        let is_as_expected = match trouble.is_full() {
            true => status == 200 && answer["residue"] == 0,
            false => {
                let code = answer["code"].as_str().unwrap_or_default();
                status >= 500 && trouble.codes().contains(&code) && answer["hint"].is_string()
            }
        };
        if is_as_expected { Ok(()) } else { Err(format!("forgetting is answered {status}: {answer}")) }
    }

    /// Is forgotten once everything is right again.
    fn forget_at_last(&self, door: &Door, round: &Round) -> Result<(), String> {
        let (status, answer) = self.ask(door, round)?;
        let is_gone = status == 200 && answer["residue"] == 0;
        if is_gone { Ok(()) } else { Err(format!("forgetting at last is answered {status}: {answer}")) }
    }
}

/// A file system of its own, and what is done to it.
struct Mounted {
    trouble: Trouble,
    directory: TempDir,
}

impl Mounted {
    fn new(trouble: Trouble) -> Result<Self, String> {
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mounted = Self { trouble, directory };
        fs::create_dir(mounted.point()).map_err(|error| error.to_string())?;
        if trouble.needs_device() {
            let image = mounted.image();
            let made = OpenOptions::new().write(true).create_new(true).open(&image);
            made.and_then(|file| file.set_len(FILE_SYSTEM_BYTES)).map_err(|error| error.to_string())?;
            run(Command::new("mkfs.ext4").args(["-q", "-F", "-m", "0"]).arg(&image))?;
        }
        mounted.mount()?;
        Ok(mounted)
    }

    fn image(&self) -> PathBuf {
        self.directory.path().join("image")
    }

    fn point(&self) -> PathBuf {
        self.directory.path().join("point")
    }

    fn data(&self) -> PathBuf {
        self.point().join("data")
    }

    fn filler(&self) -> PathBuf {
        self.point().join("filler")
    }

    fn mount(&self) -> Result<(), String> {
        let mut mount = Command::new("mount");
        match self.trouble.needs_device() {
            true => mount.args(["-o", "loop"]).arg(self.image()),
            false => {
                mount.args(["-t", "tmpfs", "-o", &format!("size={FILE_SYSTEM_BYTES},mode=700"), "tmpfs"])
            }
        };
        run(mount.arg(self.point()))
    }

    fn begin(&mut self) -> Result<(), String> {
        match self.trouble {
            Trouble::FullMemory | Trouble::FullDisk => {
                fill(&self.filler()).map_err(|error| error.to_string())
            }
            Trouble::ReadOnly => {
                run(Command::new("mount").arg("--bind").arg(self.point()).arg(self.point()))?;
                run(Command::new("mount").args(["-o", "remount,bind,ro"]).arg(self.point()))
            }
            Trouble::Closed => change_modes(&self.data(), 0o500, 0o400).map_err(|error| error.to_string()),
            Trouble::GivenUp => run(Command::new("mount").args(["-o", "remount,abort"]).arg(self.point())),
        }
    }

    fn end(&mut self) -> Result<(), String> {
        match self.trouble {
            Trouble::FullMemory | Trouble::FullDisk => {
                fs::remove_file(self.filler()).map_err(|error| error.to_string())
            }
            Trouble::ReadOnly => run(Command::new("mount").args(["-o", "remount,bind,rw"]).arg(self.point())),
            Trouble::Closed => change_modes(&self.data(), 0o700, 0o600).map_err(|error| error.to_string()),
            Trouble::GivenUp => {
                run(Command::new("umount").arg(self.point()))?;
                self.mount()
            }
        }
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Twice, where it was mounted over itself; with the namespace all of it goes anyway.
        while run(Command::new("umount").arg("--lazy").arg(self.point())).is_ok() {}
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// Writes until there is not a byte of room left.
fn fill(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    for piece in [1 << 20, 1 << 16, 1 << 12, 1 << 9] {
        let piece = vec![0xA5; piece];
        loop {
            match file.write_all(&piece) {
                Ok(()) => {}
                Err(full) if full.kind() == io::ErrorKind::StorageFull => break,
                Err(other) => return Err(other),
            }
        }
    }
    match file.sync_all() {
        Err(full) if full.kind() != io::ErrorKind::StorageFull => Err(full),
        _ => Ok(()),
    }
}

/// Gives a directory and all in it these modes, what is innermost first.
fn change_modes(directory: &Path, of_directories: u32, of_files: u32) -> io::Result<()> {
    for item in fs::read_dir(directory)? {
        let path = item?.path();
        match path.is_dir() {
            true => change_modes(&path, of_directories, of_files)?,
            false => match fs::set_permissions(&path, Permissions::from_mode(of_files)) {
                // A file that goes meanwhile needs no mode.
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => {}
                other => other?,
            },
        }
    }
    fs::set_permissions(directory, Permissions::from_mode(of_directories))
}

fn wait(what: &str, mut is_so: impl FnMut() -> bool) -> Result<(), String> {
    let since = now();
    while !is_so() {
        if since.elapsed() > WITHIN {
            return Err(format!("after {} s it is not so: {what}", WITHIN.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

#[allow(clippy::disallowed_methods, reason = "what must happen must happen within some time")]
fn now() -> Instant {
    Instant::now()
}
