//! Where a key comes from: a variable of the environment, a file, or a command that prints it. Never the configuration.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Clock, MachineClock};
use crate::error::{InferenceError, InferenceErrorKind};
use crate::limits::Cancel;
use crate::secret::Secret;

/// Where a key is found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeySource {
    /// A variable of the environment, by its name.
    Environment(String),
    /// A file that holds the key and nothing else.
    File(PathBuf),
    /// A program with its arguments that prints the key; no shell is between.
    Command(Vec<String>),
}

/// Answers for the environment: the value of a variable, if it is set. Only the binary reads the real one.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The longest key read, in bytes; service account tokens run to a few thousand.
pub const KEY_BYTES_MAX: usize = 64 * 1024;

/// How long a command may take to print a key; it may have to ask a person.
const COMMAND_WITHIN: Duration = Duration::from_secs(60);

impl KeySource {
    /// Whether reading it again may give another key: tokens that programs print often last an hour.
    #[must_use]
    pub fn may_change(&self) -> bool {
        !matches!(self, Self::Environment(_))
    }

    /// Reads the key.
    ///
    /// # Errors
    /// [`InferenceErrorKind::Configuration`] when there is none; it names the place, never what stood there.
    pub fn read(&self, environment: &Environment) -> Result<Secret, InferenceError> {
        let secret = match self {
            Self::Environment(name) => Secret::new(environment(name).unwrap_or_default()),
            Self::File(path) => {
                let file = std::fs::File::open(path).map_err(|error| {
                    let what = without_number(&error);
                    missing(format!("key file `{}` cannot be read: {what}", path.display()))
                })?;
                read_all(file)
                    .ok_or_else(|| missing(format!("key file `{}` holds no key", path.display())))?
            }
            Self::Command(words) => run(words)?,
        };
        if secret.is_empty() {
            return Err(missing(match self {
                Self::Environment(name) => format!("no key: `{name}` is not set; export it"),
                Self::File(path) => format!("no key: `{}` is empty", path.display()),
                Self::Command(words) => format!("no key: `{}` printed nothing", program(words)),
            }));
        }
        match secret.expose().chars().all(|letter| letter.is_ascii_graphic()) {
            true => Ok(secret),
            false => Err(missing(format!("the key from {self} holds more than visible ASCII characters"))),
        }
    }
}

impl std::fmt::Display for KeySource {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Environment(name) => write!(formatter, "`{name}`"),
            Self::File(path) => write!(formatter, "file `{}`", path.display()),
            Self::Command(words) => write!(formatter, "command `{}`", program(words)),
        }
    }
}

fn missing(message: String) -> InferenceError {
    InferenceError::new(InferenceErrorKind::Configuration, message)
}

fn program(words: &[String]) -> &str {
    words.first().map_or("", String::as_str)
}

fn without_number(error: &std::io::Error) -> String {
    let told = error.to_string();
    told.split(" (os error").next().unwrap_or(&told).to_lowercase()
}

/// All of a reader as a key; `None` when it is too long or no text.
fn read_all(reader: impl Read) -> Option<Secret> {
    let mut bytes = zeroize::Zeroizing::new(Vec::with_capacity(4096));
    reader.take(KEY_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() > KEY_BYTES_MAX {
        return None;
    }
    std::str::from_utf8(&bytes).ok().map(Secret::new)
}

fn run(words: &[String]) -> Result<Secret, InferenceError> {
    let name = program(words);
    let mut child = Command::new(name)
        .args(words.get(1..).unwrap_or_default())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        // What it says beside the key is for the person at the terminal, who may have to unlock something.
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(|error| {
            missing(format!("key command `{name}` cannot be run: {}", without_number(&error)))
        })?;
    let printed = child.stdout.take();
    let reading = std::thread::spawn(move || printed.and_then(read_all));
    let clock = MachineClock::default();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if clock.elapsed() < COMMAND_WITHIN => {
                clock.wait(Duration::from_millis(10), &Cancel::default());
            }
            Ok(None) | Err(_) => {
                _ = child.kill();
                _ = child.wait();
                let seconds = COMMAND_WITHIN.as_secs();
                return Err(missing(format!("key command `{name}` printed no key within {seconds} s")));
            }
        }
    };
    if !status.success() {
        return Err(missing(format!("key command `{name}` failed: {status}")));
    }
    reading
        .join()
        .ok()
        .flatten()
        .ok_or_else(|| missing(format!("key command `{name}` printed something that is no key")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment() -> Environment {
        Arc::new(|name| (name == "HERE").then(|| "sk-from-environment".to_owned()))
    }

    #[test]
    fn a_key_is_read_from_each_place_and_never_shown() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("key");
        std::io::Write::write_all(
            &mut tempfile::NamedTempFile::new_in(directory.path())
                .and_then(|file| file.persist(&path).map_err(|error| error.error))
                .expect("a file"),
            b"sk-from-file\n",
        )
        .expect("written");
        let echo = |text: &str| KeySource::Command(vec!["echo".to_owned(), text.to_owned()]);
        for (source, expected) in [
            (KeySource::Environment("HERE".to_owned()), Ok("sk-from-environment")),
            (KeySource::Environment("GONE".to_owned()), Err("no key: `GONE` is not set; export it")),
            (KeySource::File(path), Ok("sk-from-file")),
            (
                KeySource::File("/nowhere/key".into()),
                Err("key file `/nowhere/key` cannot be read: no such file"),
            ),
            (echo("sk-from-command"), Ok("sk-from-command")),
            (echo(""), Err("no key: `echo` printed nothing")),
            (echo("sk two words"), Err("the key from command `echo` holds more than visible ASCII")),
            (KeySource::Command(vec!["false".to_owned()]), Err("key command `false` failed")),
            (
                KeySource::Command(vec!["no-such-program".to_owned()]),
                Err("key command `no-such-program` cannot"),
            ),
        ] {
            match (source.read(&environment()), expected) {
                (Ok(secret), Ok(expected)) => assert_eq!(secret.expose(), expected),
                (Err(error), Err(expected)) => {
                    assert!(error.to_string().starts_with(expected), "{error}");
                    assert!(!format!("{error:?}").contains("sk"), "{error:?}");
                }
                (Ok(_), Err(expected)) => panic!("{source} gave a key instead of: {expected}"),
                (Err(error), Ok(_)) => panic!("{source}: {error}"),
            }
        }
    }
}
