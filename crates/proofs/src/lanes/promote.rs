//! Promotion: the lines of a case move from the lane of known failures to the lane that must pass.

use std::path::Path;

use super::case::{Lane, LanesError, read, read_all};
use super::run;
use crate::Keeper;

/// The line a case begins with.
const BEGINS: &str = "[[case]]";

/// Moves a challenge that passes to the regression lane, with its comments, to the end of the file of its family.
///
/// # Errors
/// [`LanesError`] for a case that is not there, stands in regression already, or fails; then no file is changed.
#[allow(clippy::disallowed_methods, reason = "files of the repository, not of a data directory")]
pub fn promote(directory: &Path, id: &str) -> Result<(), LanesError> {
    let cases = read_all(directory)?;
    let Some(case) = cases.iter().find(|case| case.id == id) else {
        return Err(LanesError(format!("case `{id}` is in no lane")));
    };
    if case.lane == Lane::Regression {
        return Err(LanesError(format!("case `{id}` is in regression already")));
    }
    let outcome = run(case, &Keeper::ALL);
    if !outcome.passes() {
        return Err(LanesError(format!(
            "case `{id}` fails, and stays a challenge: {}",
            outcome.wrong.join("; ")
        )));
    }
    let path = |lane: Lane| directory.join(lane.as_str()).join(format!("{}.toml", case.family));
    let (from, to) = (path(Lane::Challenge), path(Lane::Regression));
    let failed = |path: &Path, error: std::io::Error| LanesError(format!("`{}`: {error}", path.display()));
    let challenge = std::fs::read_to_string(&from).map_err(|error| failed(&from, error))?;
    let regression = match to.exists() {
        true => std::fs::read_to_string(&to).map_err(|error| failed(&to, error))?,
        false => format!("family = {:?}\n", case.family),
    };
    let (rest, moved) = take(&challenge, id)?;
    let longer = format!("{}\n\n{}\n", regression.trim_end(), moved.trim());
    // Both files are read again before either is written: exactly this case has moved.
    let ids = |lane, path: &Path, text: &str| {
        read(lane, path, text).map(|cases| cases.into_iter().map(|case| case.id).collect::<Vec<String>>())
    };
    let (mut before, after) = (ids(Lane::Challenge, &from, &challenge)?, ids(Lane::Challenge, &from, &rest)?);
    before.retain(|known| known != id);
    let mut there = ids(Lane::Regression, &to, &regression)?;
    there.push(id.to_owned());
    if before != after || there != ids(Lane::Regression, &to, &longer)? {
        return Err(LanesError(format!(
            "case `{id}` cannot be cut out of `{}`; move its lines by hand",
            from.display()
        )));
    }
    std::fs::write(&to, longer).map_err(|error| failed(&to, error))?;
    std::fs::write(&from, rest).map_err(|error| failed(&from, error))
}

/// The file without the case, and the lines of the case: from the comment right above it to the one above the next.
fn take(text: &str, id: &str) -> Result<(String, String), LanesError> {
    let lines: Vec<&str> = text.lines().collect();
    let mut starts: Vec<usize> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        if line.trim_end() == BEGINS {
            let mut start = number;
            while start > 0 && lines[start - 1].starts_with('#') {
                start -= 1;
            }
            starts.push(start);
        }
    }
    let named = format!("id = \"{id}\"");
    let place = starts.iter().enumerate().find_map(|(place, start)| {
        let end = starts.get(place + 1).copied().unwrap_or(lines.len());
        lines[*start..end].iter().any(|line| line.trim_end() == named).then_some((*start, end))
    });
    let (start, end) = place.ok_or_else(|| LanesError(format!("the line `{named}` is not found")))?;
    let joined = |parts: &[&[&str]]| {
        let text = parts.concat().join("\n");
        format!("{}\n", text.trim_end())
    };
    Ok((joined(&[&lines[..start], &lines[end..]]), joined(&[&lines[start..end]])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(id: &str, shows: &str) -> String {
        format!(
            "[[case]]\nid = \"{id}\"\nreason = \"It shows that this works.\"\nlanguage = \"en\"\nstory = '''\nat 2026-03-01 09:00\nremember: I live in Split.\n'''\n\n[[case.question]]\nask = \"ask: where do I live?\"\nshows = [\"{shows}\"]\n"
        )
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "files of a test")]
    fn a_challenge_that_passes_moves_with_its_comment_and_one_that_fails_stays() {
        let directory = tempfile::tempdir().expect("a directory");
        let (challenge, regression) =
            (directory.path().join("challenge/recall.toml"), directory.path().join("regression/recall.toml"));
        for path in [&challenge, &regression] {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        }
        let head = "# What is known.\n\nfamily = \"recall\"\n";
        let before = format!(
            "{head}\n{}\n# Says why.\n{}\n{}",
            case("a", "Zadar"),
            case("b", "Split"),
            case("c", "Zadar")
        );
        std::fs::write(&challenge, &before).expect("written");
        std::fs::write(&regression, format!("{head}\n{}", case("d", "Split"))).expect("written");

        let error = promote(directory.path(), "a").expect_err("it fails").to_string();
        assert!(error.contains("case `a` fails, and stays a challenge"), "{error}");
        assert!(promote(directory.path(), "d").is_err() && promote(directory.path(), "x").is_err());
        assert_eq!(std::fs::read_to_string(&challenge).expect("read"), before);

        promote(directory.path(), "b").expect("promoted");
        let read = |path: &Path| std::fs::read_to_string(path).expect("read");
        assert_eq!(read(&challenge), format!("{head}\n{}\n{}", case("a", "Zadar"), case("c", "Zadar")));
        assert_eq!(
            read(&regression),
            format!("{head}\n{}\n# Says why.\n{}", case("d", "Split"), case("b", "Split"))
        );
    }
}
