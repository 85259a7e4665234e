//! Plays the commands a document shows and compares what they print, so that what a page promises is true.
//!
//! In a block fenced as `console`, a line `$ command` is run by `sh`, and the lines after it are what it prints. `…` in
//! an expected line stands for anything; a line that is only `…` stands for any lines. A command without expected lines
//! must only succeed. In a command, an id written `ve_…` stands for the first of its kind that was printed last: ids
//! differ from one memory to the next. Each document is played in an empty directory of its own, from top to bottom; `data/` leads to
//! the checkout's data. A block whose first line begins with `# not played` is left alone.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// One command a document shows.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    line: usize,
    command: String,
    prints: Vec<String>,
}

/// Plays each file; `binaries` is searched for commands first. Answers whether all printed what they should.
pub(crate) fn play(root: &Path, binaries: &Path, files: &[&Path]) -> Result<bool> {
    let mut all_well = true;
    for file in files {
        let page =
            std::fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))?;
        let shown = shown(&page);
        let stage = Stage::set(root, binaries)?;
        let mut failed = 0;
        let mut printed = String::new();
        for one in &shown {
            let command = with_ids(&one.command, &printed);
            let outcome = stage.run(&Shown { command, prints: one.prints.clone(), ..*one })?;
            if let Ok(told) = &outcome {
                printed.insert_str(0, told);
            }
            if let Err(difference) = outcome {
                failed += 1;
                eprintln!("{}:{}: `{}` {difference}", file.display(), one.line, one.command);
            }
        }
        println!("play: {}: {} commands, {failed} not as shown", file.display(), shown.len());
        all_well &= failed == 0;
    }
    Ok(all_well)
}

fn shown(page: &str) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    let (mut playing, mut first) = (false, false);
    for (number, text) in page.lines().enumerate() {
        if let Some(language) = text.strip_prefix("```") {
            (playing, first) = (language == "console", true);
            continue;
        }
        if std::mem::take(&mut first) && text.starts_with("# not played") {
            playing = false;
        }
        if !playing || text.starts_with('#') {
            continue;
        }
        match (text.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => {
                found.push(Shown { line: number + 1, command: command.to_owned(), prints: Vec::new() });
            }
            (None, Some(last)) if last.prints.is_empty() && goes_on(&last.command) => {
                last.command.push('\n');
                last.command.push_str(text);
            }
            (None, Some(last)) => last.prints.push(text.to_owned()),
            (None, None) => {}
        }
    }
    for one in &mut found {
        while one.prints.last().is_some_and(|line| line.trim().is_empty()) {
            one.prints.pop();
        }
    }
    found
}

/// Whether a command is not at its end: a backslash stands there, or a here-document `<<'WORD'` waits for its word.
fn goes_on(command: &str) -> bool {
    let word = command.split_once("<<'").and_then(|(_, rest)| rest.split_once('\''));
    match word {
        Some((word, rest)) => !rest.lines().skip(1).any(|line| line == word),
        None => command.ends_with('\\'),
    }
}

/// The command with each `xx_…` replaced by the first id of that kind in what was printed.
fn with_ids(command: &str, printed: &str) -> String {
    let mut pieces = command.split('…');
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let kind =
            whole.get(whole.len().saturating_sub(3)..).filter(|kind| kind.ends_with('_')).unwrap_or("…");
        let found = printed.match_indices(kind).find_map(|(at, _)| {
            let rest = &printed[at + kind.len()..];
            let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
            (length == 26).then_some(&rest[..length])
        });
        whole.push_str(found.unwrap_or("…"));
        whole.push_str(piece);
    }
    whole
}

/// An empty directory in which the commands of one document run.
struct Stage {
    directory: std::path::PathBuf,
    path: std::ffi::OsString,
}

impl Stage {
    fn set(root: &Path, binaries: &Path) -> Result<Self> {
        let binaries = binaries
            .canonicalize()
            .with_context(|| format!("`{}` holds no binaries; build them first", binaries.display()))?;
        let mut number = 0_u32;
        let directory = loop {
            let name = format!("testimony-play-{}-{number}", std::process::id());
            let directory = std::env::temp_dir().join(name);
            match std::fs::create_dir(&directory) {
                Ok(()) => break directory,
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => {
                    return Err(error).with_context(|| format!("cannot make `{}`", directory.display()));
                }
            }
        };
        std::os::unix::fs::symlink(root.join("data"), directory.join("data"))?;
        let mut path = binaries.into_os_string();
        path.push(":");
        path.push(outside_path());
        Ok(Self { directory, path })
    }

    /// Runs one command and answers what it printed; the inner error says how that differs.
    fn run(&self, shown: &Shown) -> Result<Result<String, String>> {
        let output = Command::new("sh")
            .args(["-c", &shown.command])
            .current_dir(&self.directory)
            .env("PATH", &self.path)
            .env("HOME", &self.directory)
            .env("TESTIMONY_DATA", self.directory.join("memory"))
            .env("TZ", "UTC")
            .output()
            .with_context(|| format!("cannot run `{}`", shown.command))?;
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let printed: Vec<&str> = told.lines().collect();
        if shown.prints.is_empty() {
            return Ok(match output.status.success() {
                true => Ok(told),
                false => Err(format!("failed:\n{}", String::from_utf8_lossy(&output.stderr))),
            });
        }
        let expected: Vec<&str> = shown.prints.iter().map(String::as_str).collect();
        Ok(match lines_match(&expected, &printed) {
            true => Ok(told),
            false => Err(format!(
                "prints\n{}\n{}instead of\n{}",
                printed.join("\n"),
                String::from_utf8_lossy(&output.stderr),
                expected.join("\n")
            )),
        })
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // What is left behind in the directory for temporary files is cleaned up by the system.
        _ = std::fs::remove_dir_all(&self.directory);
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "the commands of a document are looked for as a person's would be"
)]
fn outside_path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// Whether what is printed is what is expected, line by line.
fn lines_match(expected: &[&str], printed: &[&str]) -> bool {
    let Some((first, rest)) = expected.split_first() else { return printed.is_empty() };
    if first.trim() == "…" {
        return (0..=printed.len()).any(|skip| lines_match(rest, &printed[skip..]));
    }
    let Some((line, others)) = printed.split_first() else { return false };
    line_matches(first.trim_end(), line.trim_end()) && lines_match(rest, others)
}

/// Whether the pieces between `…` stand in the line in order, the first at its beginning and the last at its end.
fn line_matches(expected: &str, line: &str) -> bool {
    let mut pieces: Vec<&str> = expected.split('…').collect();
    let (Some(last), false) = (pieces.pop(), pieces.is_empty()) else { return expected == line };
    let Some(mut rest) = line.strip_prefix(pieces[0]) else { return false };
    for piece in &pieces[1..] {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_what_they_print_are_read() {
        let page = "```console\n# a note\n$ echo a \\\n  b\na b\n\n$ true\n```\n```\n$ no\n```\n```console\n# not played here\n$ no\n```\n";
        let document = "```console\n$ cat <<'END'\nEND of a\nEND\nEND of a\n```\n";
        let cat = Shown {
            line: 2,
            command: "cat <<'END'\nEND of a\nEND".to_owned(),
            prints: vec!["END of a".to_owned()],
        };
        assert_eq!(shown(document), [cat]);
        let expected = [
            Shown { line: 3, command: "echo a \\\n  b".to_owned(), prints: vec!["a b".to_owned()] },
            Shown { line: 7, command: "true".to_owned(), prints: vec![] },
        ];
        assert_eq!(shown(page), expected);
    }

    #[test]
    fn lines_match_around_what_is_left_out() {
        let cases: [(&[&str], &[&str], bool); 9] = [
            (&["a"], &["a"], true),
            (&["a"], &["b"], false),
            (&["ve_… is"], &["ve_123 is"], true),
            (&["a … c"], &["a b d"], false),
            (&["a…a"], &["a"], false),
            (&["a", "…", "d"], &["a", "b", "c", "d"], true),
            (&["…"], &[], true),
            (&["a"], &["a", "b"], false),
            (&["…", "b"], &["a", "b", "c"], false),
        ];
        for (expected, printed, same) in cases {
            assert_eq!(lines_match(expected, printed), same, "{expected:?} {printed:?}");
        }
    }

    #[test]
    fn ids_are_those_printed_last() {
        let printed = "fa_0123456789abcdefghjkmnpqrs ve_short ve_zyxwvtsrqpnmkjhgfedcba9876\nve_0123456789abcdefghjkmnpqrs";
        let cases = [
            ("why ve_… now", "why ve_zyxwvtsrqpnmkjhgfedcba9876 now"),
            ("a fa_… ve_…", "a fa_0123456789abcdefghjkmnpqrs ve_zyxwvtsrqpnmkjhgfedcba9876"),
            ("why cl_… echo …", "why cl_… echo …"),
        ];
        for (command, whole) in cases {
            assert_eq!(with_ids(command, printed), whole);
        }
    }

    #[test]
    fn a_document_is_played() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let stage = Stage::set(root, &root.join("src")).expect("a stage");
        let run = |command: &str, prints: &[&str]| {
            let prints = prints.iter().map(|line| (*line).to_owned()).collect();
            stage.run(&Shown { line: 1, command: command.to_owned(), prints }).expect("sh")
        };
        assert_eq!(run("echo one > file", &[]), Ok(String::new()));
        assert_eq!(run("cat file; echo two", &["one", "t…"]), Ok("one\ntwo\n".to_owned()));
        assert!(run("cat file", &["two"]).is_err_and(|told| told.contains("instead of")));
        assert!(run("exit 3", &[]).is_err());
    }
}
