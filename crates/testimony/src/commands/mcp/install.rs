//! `testimony mcp install`.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use directories::BaseDirs;
use serde::Serialize;
use similar::TextDiff;

use super::client::Client;
use super::edit::with_entry;
use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure};

/// Write the one entry a client needs into its configuration
///
/// The change is shown first, and written when you agree. The file as it was is kept beside it. Nothing else in it is touched: comments,
/// order and other servers stay as they are. A file that cannot be read as what it should be is left alone.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony mcp install --client claude-code
  testimony --subject ana mcp install --client codex --yes
  testimony mcp install --client zed --print")]
pub(super) struct Arguments {
    /// The client
    #[arg(long, value_enum, value_name = "CLIENT")]
    client: Client,
    /// The configuration [default: where the client keeps that of its user]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The name of the entry
    #[arg(long, value_name = "NAME", default_value = "testimony", value_parser = entry_name)]
    name: String,
    /// Write without asking
    #[arg(long)]
    yes: bool,
    /// Only show the change
    #[arg(long, conflicts_with = "yes")]
    print: bool,
}

/// The longest configuration that is read, in bytes.
const CONFIGURATION_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// What is put behind the name of the file as it was.
const KEPT: &str = "before-testimony";

/// Copies that are kept beside one file, at most.
const COPIES_MAX: u32 = 1_000;

/// What became of a configuration.
#[derive(Debug, Serialize)]
struct Installed {
    client: String,
    file: PathBuf,
    /// The change, as a diff; empty when the entry is there already.
    change: String,
    written: bool,
    /// The file as it was; `null` where there was none, or nothing was written.
    kept: Option<PathBuf>,
}

pub(super) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let file = match &arguments.file {
        Some(file) => file.clone(),
        None => arguments.client.file(&BaseDirs::new().ok_or_else(|| {
            Failure::input("there is no home directory").hint("name the file with `--file`")
        })?),
    };
    // What stands behind a link is changed, and the link stays.
    let file = fs::canonicalize(&file).unwrap_or(file);
    let before = read(&file)?;
    let text = before.as_deref().unwrap_or_default();
    let fields = arguments.client.entry(&program()?, &started_with(context)?);
    let after = with_entry(text, arguments.client.format(), &arguments.name, &fields).map_err(|why| {
        Failure::input(format!("`{}` cannot be changed: {why}", file.display()))
            .hint("mend it by hand first; nothing was written")
    })?;
    let mut installed = Installed {
        client: arguments.client.name(),
        change: change(text, &after, &file),
        file,
        written: false,
        kept: None,
    };
    if installed.change.is_empty() {
        context.answer(&installed, |installed| {
            format!("`{}` has the entry already", installed.file.display())
        })?;
        return Ok(Exit::Done);
    }
    if arguments.print {
        context.answer(&installed, |installed| installed.change.clone())?;
        return Ok(Exit::Done);
    }
    if !arguments.yes && !agreed(context, &installed)? {
        return Ok(Exit::Refused);
    }
    installed.kept = write(&installed.file, before.as_deref(), &after)?;
    installed.written = true;
    context.answer(&installed, |installed| {
        let mut told = format!("wrote `{}`; start the client again", installed.file.display());
        if let Some(kept) = &installed.kept {
            told.push_str(&format!("\nthe file as it was: `{}`", kept.display()));
        }
        told
    })?;
    Ok(Exit::Done)
}

/// Whether the person who was shown the change wants it.
fn agreed(context: &Context, installed: &Installed) -> Result<bool, Failure> {
    if context.json || !io::stdin().is_terminal() {
        return Err(Failure::usage("nobody can be asked here")
            .hint("`--yes` writes without asking, `--print` only shows the change"));
    }
    context.say(&installed.change);
    context.say(&format!("Write this into `{}`? [y/N]", installed.file.display()));
    let mut answer = String::new();
    _ = io::stdin().lock().read_line(&mut answer);
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// This program, as a client can start it.
fn program() -> Result<String, Failure> {
    let program =
        std::env::current_exe().map_err(|error| Failure::file("find", Path::new("this program"), &error))?;
    written(&program)
}

/// What it is started with: everything by name, because a client has another working directory and environment.
fn started_with(context: &Context) -> Result<Vec<String>, Failure> {
    let data =
        std::path::absolute(&context.data).map_err(|error| Failure::file("find", &context.data, &error))?;
    let subject = context.scope.subject().as_str().to_owned();
    Ok(vec!["--data".to_owned(), written(&data)?, "--subject".to_owned(), subject, "mcp".to_owned()])
}

fn written(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::input(format!("`{}` cannot be written in a configuration: it is no text", path.display()))
    })
}

/// The configuration; `None` where there is none yet.
fn read(file: &Path) -> Result<Option<String>, Failure> {
    match fs::metadata(file) {
        Ok(there) if there.len() > CONFIGURATION_BYTES_MAX => {
            return Err(Failure::input(format!("`{}` is no configuration: it is too long", file.display())));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = file.parent().unwrap_or(Path::new("."));
            return match folder.is_dir() {
                true => Ok(None),
                false => Err(Failure::file("find", folder, &error)
                    .hint("is the client installed? start it once, or name its configuration with `--file`")),
            };
        }
        Err(error) => return Err(Failure::file("read", file, &error)),
    }
    fs::read_to_string(file).map(Some).map_err(|error| Failure::file("read", file, &error))
}

fn change(before: &str, after: &str, file: &Path) -> String {
    let name = file.display().to_string();
    TextDiff::from_lines(before, after).unified_diff().context_radius(2).header(&name, &name).to_string()
}

/// Puts the new text in the place of the old, which is kept beside it. Whoever reads the file sees one or the other.
fn write(file: &Path, before: Option<&str>, after: &str) -> Result<Option<PathBuf>, Failure> {
    if read(file)?.as_deref() != before {
        return Err(Failure {
            exit: Exit::Conflict,
            code: "conflict",
            message: format!("`{}` was changed meanwhile", file.display()),
            hint: Some("end the client, and try again"),
        });
    }
    let failed = |error: io::Error| Failure::file("write", file, &error);
    let folder = file.parent().unwrap_or(Path::new("."));
    let kept = before.map(|before| keep(file, before)).transpose().map_err(failed)?;
    let mut new = tempfile::Builder::new().prefix(".testimony").tempfile_in(folder).map_err(failed)?;
    new.write_all(after.as_bytes()).map_err(failed)?;
    if before.is_some() {
        let permissions = fs::metadata(file).map_err(failed)?.permissions();
        new.as_file().set_permissions(permissions).map_err(failed)?;
    }
    new.as_file().sync_all().map_err(failed)?;
    new.persist(file).map_err(|error| failed(error.error))?;
    Ok(kept)
}

/// Writes the file as it was beside itself, under a name that was free.
fn keep(file: &Path, before: &str) -> io::Result<PathBuf> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for number in 1..=COPIES_MAX {
        let kept = match number {
            1 => file.with_file_name(format!("{name}.{KEPT}")),
            _ => file.with_file_name(format!("{name}.{KEPT}-{number}")),
        };
        let mut copy = match OpenOptions::new().write(true).create_new(true).open(&kept) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            other => other?,
        };
        // It may hold keys of other servers.
        copy.set_permissions(fs::metadata(file)?.permissions())?;
        copy.write_all(before.as_bytes())?;
        copy.sync_all()?;
        return Ok(kept);
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn entry_name(written: &str) -> Result<String, String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    match !written.is_empty() && written.len() <= 60 && written.chars().all(is_plain) {
        true => Ok(written.to_owned()),
        false => Err("a name has 1 to 60 letters, digits, `-` or `_`".to_owned()),
    }
}
