//! What every verb needs: the data directory, the subject, the clock, and a way to answer.

use std::io::{self, BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use engine::embed::EmbedProgress;
use engine::tokens::Tokens;
use engine::{Call, Engine};
use inference::Cancel;
use inference::models::OpenModels;
use ledger::reference::ReferenceStore;
use ledger::scope::{Scope, Subject};
use ledger::time::{Instant, Moment, Zone};
use serde::Serialize;
use store_sqlite::SqliteStore;
use testimony::Config;
use testimony::embedding::embed;
use zeroize::Zeroizing;

use crate::arguments::Global;
use crate::failure::{Exit, Failure, Stop};
use crate::interrupt;

/// Memories that get their vectors before a verb that writes ends; the others wait.
const EMBEDDED_AT_ONCE: usize = 256;

/// What every verb needs.
pub(crate) struct Context {
    pub data: PathBuf,
    pub scope: Scope,
    pub json: bool,
    now: Option<Instant>,
    config: Config,
}

/// How a verb ends.
pub(crate) type Outcome = Result<Exit, Stop>;

impl Context {
    pub fn new(global: Global) -> Result<Self, Failure> {
        let data = global.data.filter(|given| !given.as_os_str().is_empty());
        let data = data.or_else(testimony::default_data_directory).ok_or_else(|| {
            Failure::usage("there is no home directory to keep data in")
                .hint("give a directory with `--data` or `TESTIMONY_DATA`")
        })?;
        // The nearest thing that is there must be a directory, or nothing can be made below it.
        if let Some(there) = data.ancestors().find(|path| path.exists()).filter(|path| !path.is_dir()) {
            return Err(Failure::input(format!("`{}` is no directory", there.display()))
                .hint("give a directory with `--data` or `TESTIMONY_DATA`"));
        }
        let subject = Subject::parse(&global.subject).map_err(|error| Failure::input(error.to_string()))?;
        let now = global.now.as_deref().map(|text| instant("--now", text)).transpose()?;
        let config = Config {
            policies: global.policies,
            models: global.models.filter(|given| !given.as_os_str().is_empty()),
            master_key: master_key()?,
            shadow: shadow()?,
            ..Config::at(data.clone())
        };
        Ok(Self { data, scope: Scope::of(subject), json: global.json, now, config })
    }

    /// What the clock says: the machine's, unless `--now` replaces it.
    pub fn now(&self) -> Instant {
        self.now.unwrap_or_else(testimony::now)
    }

    /// The clock of this run, to be asked again and again.
    pub fn clock(&self) -> server::Clock {
        let fixed = self.now;
        Arc::new(move || fixed.unwrap_or_else(testimony::now))
    }

    /// Where it stands who may ask the server.
    pub fn book(&self) -> PathBuf {
        self.data.join(testimony::ACCESS)
    }

    /// A call of now for the subject.
    pub fn call(&self) -> Call<'_> {
        Call { scope: &self.scope, now: self.now() }
    }

    /// Whether the environment lets the shadow lane run.
    pub fn shadow(&self) -> bool {
        self.config.shadow
    }

    /// Whether the data directory is there.
    pub fn exists(&self) -> bool {
        self.data.join(testimony::DATABASE).exists()
    }

    /// The configuration with the model that places texts. What is wrong with that one is told, and it is done without: no
    /// model is needed to keep words or to find them.
    fn config(&self) -> Config {
        let without = |why: &dyn std::fmt::Display| {
            self.say(&format!("note: {why}; memories are found by their words"));
            None
        };
        let embedder = match testimony::models(&self.config, &testimony::environment()) {
            Err(error) => without(&error),
            Ok(models) => testimony::models::embedder(models.as_ref().map(|(_, open)| open))
                .unwrap_or_else(|error| without(&error)),
        };
        Config { embedder, ..self.config.clone() }
    }

    /// The engine for writing: the data directory is made when it is not there.
    pub fn create(&self) -> Result<Engine, Stop> {
        Ok(testimony::open(self.config())?)
    }

    /// The store alone, for what is done to it as a whole.
    pub fn store(&self) -> Result<SqliteStore, Stop> {
        Ok(testimony::open_store(&self.config)?)
    }

    /// How the store of this run is opened, without a model.
    pub fn plain_config(&self) -> Config {
        self.config.clone()
    }

    /// The engine for reading. Where nothing was ever remembered it looks at an empty memory, and nothing is made.
    pub fn look(&self) -> Result<Engine, Stop> {
        if let Some(engine) = testimony::open_existing(self.config())? {
            return Ok(engine);
        }
        let directory = self.data.display();
        self.say(&format!("hint: `{directory}` holds nothing yet; `testimony remember TEXT` begins"));
        self.in_memory()
    }

    /// An engine over an empty memory that nothing is kept of, under the policies in force.
    pub fn in_memory(&self) -> Result<Engine, Stop> {
        let config = self.config();
        let policies = testimony::policies(&config)?;
        let engine = Engine::new(Arc::new(ReferenceStore::new()), policies, Arc::new(Tokens));
        Ok(match config.embedder {
            Some(embedder) => engine.with_embedder(embedder),
            None => engine,
        })
    }

    /// The same without a model, whatever is there.
    pub fn by_words(&self) -> Result<Engine, Stop> {
        let policies = testimony::policies(&self.config)?;
        Ok(Engine::new(Arc::new(ReferenceStore::new()), policies, Arc::new(Tokens)))
    }

    /// Gives what was just taken in its vectors, and some of what waits: enough for what people type, and no long wait. The
    /// answer is out already, so what goes wrong here is told and fails nothing.
    pub fn embed_some(&self, engine: &Engine, not_now: bool) {
        if not_now || engine.model().is_none() {
            return;
        }
        let cancel = Cancel::default();
        let stop = |_: &EmbedProgress| {
            if interrupt::asked() {
                cancel.cancel();
            }
        };
        match embed(engine, self.call(), EMBEDDED_AT_ONCE, &cancel, stop) {
            Ok(progress) => {
                self.notices(&progress.notices);
                if progress.missing > 0 {
                    self.notices(&[format!(
                        "{} of {} memories have no vector yet; `testimony reembed` makes them",
                        progress.missing, progress.total
                    )]);
                }
            }
            Err(error) => self.say(&format!("note: {error}; memories are found by their words meanwhile")),
        }
    }

    /// The models there are, and the file that says so.
    pub fn models(&self) -> Result<Option<(PathBuf, OpenModels)>, Stop> {
        Ok(testimony::models(&self.config, &testimony::environment())?)
    }

    /// Answers: as one JSON object, or in the words of `tell`.
    pub fn answer<T: Serialize>(&self, answer: &T, tell: impl FnOnce(&T) -> String) -> Result<(), Stop> {
        let mut out = BufWriter::new(io::stdout().lock());
        if self.json {
            serde_json::to_writer(&mut out, answer).map_err(io::Error::from)?;
            writeln!(out)?;
        } else {
            let told = tell(answer);
            out.write_all(told.as_bytes())?;
            if !told.is_empty() && !told.ends_with('\n') {
                writeln!(out)?;
            }
        }
        out.flush()?;
        Ok(())
    }

    /// A part of an answer in words, as soon as it is there.
    pub fn print(&self, words: &str) -> Result<(), Stop> {
        let mut out = io::stdout().lock();
        out.write_all(words.as_bytes())?;
        out.flush()?;
        Ok(())
    }

    /// Talk beside the answer, for people.
    pub fn say(&self, words: &str) {
        // Talk that nobody hears is no reason to fail.
        _ = writeln!(io::stderr(), "{words}");
    }

    /// Notices of an answer; programs find them in the answer itself.
    pub fn notices(&self, notices: &[String]) {
        if !self.json {
            notices.iter().for_each(|notice| self.say(&format!("note: {notice}")));
        }
    }
}

/// An instant of an option; a plain date is its start in UTC.
pub(crate) fn instant(option: &str, text: &str) -> Result<Instant, Failure> {
    Moment::parse_in(text, &Zone::utc())
        .map(|moment| moment.instant)
        .map_err(|error| Failure::input(format!("`{option}`: {error}")))
}

/// A moment with its speaker's zone, of an option that may be left out; a plain date is its start in UTC.
pub(crate) fn maybe_moment(option: &str, text: Option<&str>) -> Result<Option<Moment>, Failure> {
    let read = |text| Moment::parse_in(text, &Zone::utc());
    text.map(read).transpose().map_err(|error| Failure::input(format!("`{option}`: {error}")))
}

/// An instant of an option that may be left out.
pub(crate) fn maybe_instant(option: &str, text: Option<&str>) -> Result<Option<Instant>, Failure> {
    text.map(|text| instant(option, text)).transpose()
}

/// The master key, where the environment or a command gives one: 64 hexadecimal digits.
fn master_key() -> Result<Option<Zeroizing<[u8; 32]>>, Failure> {
    given_key("TESTIMONY_MASTER_KEY", "TESTIMONY_MASTER_KEY_COMMAND")
}

/// The master key to change to, where one is given.
pub(crate) fn new_master_key() -> Result<Option<Zeroizing<[u8; 32]>>, Failure> {
    given_key("TESTIMONY_NEW_MASTER_KEY", "TESTIMONY_NEW_MASTER_KEY_COMMAND")
}

/// The longest answer of a command for a key that is read, in bytes.
const KEY_ANSWER_BYTES_MAX: u64 = 4 * 1024;

/// A key from the variable `name`, else from what the command in the variable `command` prints.
#[allow(clippy::disallowed_methods, reason = "configuration is read once, here")]
fn given_key(name: &'static str, command: &'static str) -> Result<Option<Zeroizing<[u8; 32]>>, Failure> {
    let set = |name: &str| std::env::var(name).ok().filter(|written| !written.is_empty());
    let (from, written) = match (set(name).map(Zeroizing::new), set(command)) {
        (Some(written), _) => (name, written),
        (None, Some(order)) => (command, key_of_command(command, &order)?),
        (None, None) => return Ok(None),
    };
    let digits: Option<Vec<u8>> =
        written.chars().map(|digit| digit.to_digit(16).and_then(|value| u8::try_from(value).ok())).collect();
    let digits = digits.map(Zeroizing::new).filter(|digits| digits.len() == 64).ok_or_else(|| {
        Failure::input(format!("`{from}` is not 64 hexadecimal digits"))
            .hint("`openssl rand -hex 32` makes one for a new data directory")
    })?;
    let mut key = Zeroizing::new([0_u8; 32]);
    for (byte, pair) in key.iter_mut().zip(digits.chunks(2)) {
        *byte = pair.iter().fold(0, |sum, digit| sum * 16 + digit);
    }
    Ok(Some(key))
}

/// What a command prints, without white space around it. Its standard error is the person's to see.
fn key_of_command(name: &'static str, order: &str) -> Result<Zeroizing<String>, Failure> {
    let failed = |why: String| {
        Failure {
            exit: Exit::Damaged,
            code: "key",
            message: format!("`{name}` gave no key: {why}"),
            hint: None,
        }
        .hint("run the command by hand; it prints 64 hexadecimal digits")
    };
    let mut child = Command::new("sh")
        .args(["-c", order])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    let mut written = Zeroizing::new(String::new());
    let answer = child.stdout.take().map(|out| out.take(KEY_ANSWER_BYTES_MAX).read_to_string(&mut written));
    let status = child.wait().map_err(|error| failed(error.to_string()))?;
    match answer {
        _ if !status.success() => Err(failed(format!("it ended with {status}"))),
        Some(Ok(_)) => Ok(Zeroizing::new(written.trim().to_owned())),
        _ => Err(failed("its answer is no text".to_owned())),
    }
}

/// Whether the environment lets the shadow lane run: `TESTIMONY_SHADOW` is `on` or `off`, on when left out.
#[allow(clippy::disallowed_methods, reason = "configuration is read once, here")]
fn shadow() -> Result<bool, Failure> {
    match std::env::var("TESTIMONY_SHADOW").unwrap_or_default().as_str() {
        "" | "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(Failure::input("`TESTIMONY_SHADOW` is neither `on` nor `off`")),
    }
}
