//! The stories in `scenarios/`, played on every store.
//!
//! A story is a text file that anybody can read: what it is about, what people say and ask, and, in lines that begin with
//! `|`, what comes of it. This test plays each story and compares what comes of it with what the file says.
//! `UPDATE_SCENARIOS=1` writes the lines with `|` anew; a person then reads them.

use std::path::PathBuf;

use proofs::Keeper;
use proofs::story::{play, script};

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

fn stories() -> Vec<PathBuf> {
    let mut stories: Vec<PathBuf> = std::fs::read_dir(directory())
        .expect("the stories are read")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|name| name == "txt"))
        .collect();
    stories.sort();
    stories
}

#[test]
fn every_story_comes_out_as_it_is_told() {
    #[allow(
        clippy::disallowed_methods,
        reason = "the one switch of this test, for people who change a story"
    )]
    let update = std::env::var_os("UPDATE_SCENARIOS").is_some();
    let mut wrong = Vec::new();
    for path in stories() {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("read");
        let script = script::read(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let played: Vec<String> = Keeper::ALL.iter().map(|keeper| play(*keeper, &script, &name)).collect();
        assert_eq!(played[0], played[1], "{name}: the stores do not agree");
        if update {
            #[allow(
                clippy::disallowed_methods,
                reason = "a file of the repository, not of a data directory"
            )]
            std::fs::write(&path, &played[0]).expect("written");
        } else if played[0] != text {
            wrong.push(format!("{name}:\n{}", difference(&text, &played[0])));
        }
    }
    assert!(
        wrong.is_empty(),
        "stories that come out otherwise than they are told:\n\n{}",
        wrong.join("\n\n")
    );
}

/// The first line that differs, with its number.
fn difference(told: &str, played: &str) -> String {
    let (mut told, mut played) = (told.lines(), played.lines());
    for number in 1.. {
        match (told.next(), played.next()) {
            (None, None) => break,
            (left, right) if left == right => {}
            (left, right) => {
                let show = |line: Option<&str>| line.unwrap_or("(the story ends here)").to_owned();
                return format!("  line {number} says   {}\n  it comes out  {}", show(left), show(right));
            }
        }
    }
    "  only the line ends differ".to_owned()
}

/// There are enough stories, each says at its top what it is about, and none is without an outcome.
#[test]
fn the_stories_can_be_read() {
    let stories = stories();
    assert!(stories.len() >= 18, "{} stories", stories.len());
    for path in stories {
        let text = std::fs::read_to_string(&path).expect("read");
        let mut lines = text.lines();
        let title = lines.next().unwrap_or_default();
        assert!(title.len() > 5 && !title.starts_with('|'), "{}: no title", path.display());
        assert_eq!(lines.next(), Some(""), "{}: the title stands alone", path.display());
        assert!(lines.next().is_some_and(|line| line.len() > 20), "{}: no purpose", path.display());
        assert!(
            text.lines().any(|line| line.starts_with("the ledger now")),
            "{}: never shows the ledger",
            path.display()
        );
        assert!(
            text.lines().filter(|line| line.starts_with('|')).count() >= 5,
            "{}: no outcome",
            path.display()
        );
    }
}

#[test]
fn a_line_that_is_no_step_is_an_error() {
    for text in [
        "Title\n\nPurpose.\n\nat 2026-03-01 09:00\nAna whispers something\n",
        "Title\n\nPurpose.\n\nat noon\n",
    ] {
        assert!(script::read(text).is_err(), "{text}");
    }
}
