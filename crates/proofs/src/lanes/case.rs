//! A case, read from its file and checked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::story::script;

/// Which lane a case stands in: the name of its folder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Lane {
    /// Must pass in every run.
    Regression,
    /// Is known to fail.
    Challenge,
}

impl Lane {
    /// Both, in the order reports show them.
    pub const ALL: [Self; 2] = [Self::Regression, Self::Challenge];

    /// The name of its folder.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Challenge => "challenge",
        }
    }

    /// The lane of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lane| lane.as_str() == name)
    }
}

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name, of which there is one in all lanes.
    pub id: String,
    /// Where it stands.
    pub lane: Lane,
    /// The name of its file.
    pub family: String,
    /// Why it is there.
    pub reason: String,
    /// Where it was first met, if elsewhere: `mem0#4573`, `data/attack-injection`.
    pub cite: Option<String>,
    /// The language of its words: an ISO 639-1 code, or several with `+`.
    pub language: String,
    /// What happens, in the language of [`crate::story`].
    pub story: String,
    /// What is asked afterwards, in order.
    pub questions: Vec<Question>,
}

/// One question, and what must come of it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// One or more steps; their answers are looked at together.
    pub ask: String,
    /// Each must stand in some line of the answer.
    #[serde(default)]
    pub shows: Vec<String>,
    /// None may stand in any.
    #[serde(default)]
    pub hides: Vec<String>,
    /// Must stand in the first line.
    pub first: Option<String>,
    /// So many memories, neither more nor fewer.
    pub count: Option<usize>,
    /// Which kind of "no" it must be.
    pub negative: Option<String>,
    /// Each must stand in the last packet.
    #[serde(default)]
    pub packet_shows: Vec<String>,
    /// None may stand in the last packet.
    #[serde(default)]
    pub packet_hides: Vec<String>,
}

/// Why the cases could not be read or moved.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct LanesError(pub String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    family: String,
    #[serde(default)]
    case: Vec<toml::Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseTable {
    id: String,
    reason: String,
    cite: Option<String>,
    language: String,
    story: String,
    question: Vec<Question>,
}

/// Reads every case below `directory`, lane by lane and file by file, in their order.
///
/// # Errors
/// [`LanesError`] that names file and case: a key that is not known, a family that is not its file's, an id there twice, a
/// step that is none, a question that expects nothing.
pub fn read_all(directory: &Path) -> Result<Vec<Case>, LanesError> {
    let mut cases = Vec::new();
    for lane in Lane::ALL {
        for path in files(&directory.join(lane.as_str()))? {
            let text = std::fs::read_to_string(&path)
                .map_err(|error| LanesError(format!("cannot read `{}`: {error}", path.display())))?;
            cases.extend(read(lane, &path, &text)?);
        }
    }
    let mut known: BTreeMap<&str, &Case> = BTreeMap::new();
    for case in &cases {
        if let Some(other) = known.insert(&case.id, case) {
            let (first, second) = (other.place(), case.place());
            return Err(LanesError(format!("case `{}` is there twice, in {first} and {second}", case.id)));
        }
    }
    Ok(cases)
}

/// The case files of a lane, by name; none where the folder is not there.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, LanesError> {
    let failed = |error: std::io::Error| LanesError(format!("cannot read `{}`: {error}", folder.display()));
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    files.retain(|path| path.extension().is_some_and(|name| name == "toml"));
    files.sort();
    Ok(files)
}

/// Reads the cases of one file.
pub(super) fn read(lane: Lane, path: &Path, text: &str) -> Result<Vec<Case>, LanesError> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let place = format!("{}/{name}.toml", lane.as_str());
    let wrong = |what: String| LanesError(format!("{place}: {what}"));
    let file: CaseFile = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
    if file.family != name {
        return Err(wrong(format!("family `{}` stands in a file of another name", file.family)));
    }
    let mut cases = Vec::with_capacity(file.case.len());
    for (number, table) in file.case.into_iter().enumerate() {
        let id = table.get("id").and_then(toml::Value::as_str).unwrap_or_default().to_owned();
        let called = if id.is_empty() { format!("number {}", number + 1) } else { format!("`{id}`") };
        let wrong = |what: String| wrong(format!("case {called}: {what}"));
        let read: CaseTable =
            table.try_into().map_err(|error: toml::de::Error| wrong(error.message().to_owned()))?;
        let plain = |text: &str| {
            !text.is_empty() && text.chars().all(|one| one.is_ascii_alphanumeric() || one == '-')
        };
        if !plain(&read.id) {
            return Err(wrong("the id is not letters, digits and `-`".to_owned()));
        }
        if read.reason.split_whitespace().count() < 4 {
            return Err(wrong("the reason is not said; write why the case matters".to_owned()));
        }
        script::read(&read.story).map_err(|error| wrong(format!("story: {error}")))?;
        if read.question.is_empty() {
            return Err(wrong("nothing is asked; add a `[[case.question]]`".to_owned()));
        }
        for question in &read.question {
            script::read_steps(&question.ask).map_err(|error| wrong(format!("ask: {error}")))?;
            if question.expects_nothing() {
                return Err(wrong(format!("`{}` expects nothing", question.ask.trim())));
            }
        }
        cases.push(Case {
            id: read.id,
            lane,
            family: name.clone(),
            reason: read.reason,
            cite: read.cite,
            language: read.language,
            story: read.story,
            questions: read.question,
        });
    }
    Ok(cases)
}

impl Case {
    fn place(&self) -> String {
        format!("{}/{}.toml", self.lane.as_str(), self.family)
    }
}

impl Question {
    fn expects_nothing(&self) -> bool {
        self.shows.is_empty()
            && self.hides.is_empty()
            && self.first.is_none()
            && self.count.is_none()
            && self.negative.is_none()
            && self.packet_shows.is_empty()
            && self.packet_hides.is_empty()
    }

    /// What in an answer is not as it must be.
    pub(super) fn problems(&self, lines: &[String], packet: &str) -> Vec<String> {
        let stands = |words: &str| lines.iter().any(|line| line.contains(words));
        let mut problems = Vec::new();
        let missing = self.shows.iter().filter(|words| !stands(words));
        problems.extend(missing.map(|words| format!("`{words}` is missing")));
        let extra = self.hides.iter().filter(|words| stands(words));
        problems.extend(extra.map(|words| format!("`{words}` is shown")));
        if let Some(words) =
            self.first.as_ref().filter(|words| !lines.first().is_some_and(|line| line.contains(*words)))
        {
            problems.push(format!("`{words}` is not first"));
        }
        // A memory is told as `whom or what · predicate: value · …`.
        let memories = lines.iter().filter(|line| line.contains(" \u{b7} ")).count();
        if let Some(count) = self.count.filter(|count| *count != memories) {
            problems.push(format!("{memories} memories, not {count}"));
        }
        if let Some(negative) =
            self.negative.as_ref().filter(|kind| !lines.contains(&format!("nothing: {kind}")))
        {
            problems.push(format!("it is no `{negative}`"));
        }
        let missing = self.packet_shows.iter().filter(|words| !packet.contains(*words));
        problems.extend(missing.map(|words| format!("`{words}` is missing in the packet")));
        let extra = self.packet_hides.iter().filter(|words| packet.contains(*words));
        problems.extend(extra.map(|words| format!("`{words}` is in the packet")));
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "family = \"recall\"\n\n[[case]]\nid = \"one\"\nreason = \"It shows that this works.\"\nlanguage = \"en\"\nstory = '''\nat 2026-03-01 09:00\nremember: I live in Split.\n'''\n\n[[case.question]]\nask = \"ask: where do I live?\"\nshows = [\"Split\"]\n";

    fn read_text(text: &str) -> Result<Vec<Case>, LanesError> {
        read(Lane::Regression, Path::new("recall.toml"), text)
    }

    #[test]
    fn a_case_that_does_not_hold_together_names_file_and_case() {
        assert_eq!(read_text(GOOD).expect("read").len(), 1);
        for (was, is, problem) in [
            (
                "language = \"en\"",
                "language = \"en\"\nlanguages = \"hr\"",
                "regression/recall.toml: case `one`: unknown field `languages`",
            ),
            ("shows =", "show =", "case `one`: unknown field `show`"),
            (
                "family = \"recall\"",
                "family = \"expiry\"",
                "family `expiry` stands in a file of another name",
            ),
            ("id = \"one\"\n", "", "case number 1: missing field `id`"),
            ("It shows that this works.", "Because.", "case `one`: the reason is not said"),
            ("remember: I", "remembers: I", "case `one`: story: line 2"),
            ("ask: where", "asks: where", "case `one`: ask: line 1"),
            ("shows = [\"Split\"]\n", "", "expects nothing"),
            ("id = \"one\"", "id = \"o ne\"", "is not letters, digits and `-`"),
        ] {
            let error = read_text(&GOOD.replace(was, is)).expect_err(problem).to_string();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn a_question_tells_each_thing_that_is_wrong() {
        let lines = ["user \u{b7} home city: Split".to_owned(), "nothing: boundary".to_owned()];
        let question = Question {
            shows: vec!["Zadar".to_owned(), "Split".to_owned()],
            hides: vec!["Split".to_owned()],
            first: Some("nothing".to_owned()),
            count: Some(2),
            negative: Some("unknown_entity".to_owned()),
            packet_shows: vec!["M2".to_owned()],
            packet_hides: vec!["M1".to_owned()],
            ..Question::default()
        };
        let problems = question.problems(&lines, "[M1] Split");
        assert_eq!(
            problems,
            [
                "`Zadar` is missing",
                "`Split` is shown",
                "`nothing` is not first",
                "1 memories, not 2",
                "it is no `unknown_entity`",
                "`M2` is missing in the packet",
                "`M1` is in the packet",
            ]
        );
        let fine = Question {
            shows: vec!["Split".to_owned()],
            count: Some(1),
            negative: Some("boundary".to_owned()),
            ..Question::default()
        };
        assert_eq!(fine.problems(&lines, ""), Vec::<String>::new());
    }
}
