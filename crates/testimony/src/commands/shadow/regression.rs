//! Results of the lanes of evaluation, as far as a report of the shadow lane tells them: how many cases, how many passed.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::Serialize;
use serde_json::Value as Json;

use crate::failure::Failure;

/// A file of results longer than this, in bytes, is not read.
const RESULTS_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The two lanes.
#[derive(Serialize)]
pub(super) struct Lanes {
    /// Cases that must pass in every run.
    pub regression: Option<Lane>,
    /// Cases known to fail.
    pub challenge: Option<Lane>,
}

/// How the cases of one lane went.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Lane {
    pub cases: u64,
    pub passed: u64,
}

impl Lanes {
    /// Reads the report of the lanes of evaluation, which tells `families` with their `lane`, `cases` and `passed`; or
    /// `{"regression": {…}, "challenge": {…}}`, or a list under `lanes` of objects that name their `lane`, where a lane
    /// tells `passed`, and `cases`, `total` or `failed`.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let failed = |error| Failure::file("read", path, &error);
        let mut text = String::new();
        File::open(path)
            .and_then(|file| file.take(RESULTS_BYTES_MAX).read_to_string(&mut text))
            .map_err(failed)?;
        let wrong = || {
            Failure::input(format!("`{}` holds no results of lanes", path.display()))
                .hint("give the JSON of the lanes of evaluation: `regression` with `passed` and `cases`")
        };
        let json: Json = serde_json::from_str(&text).map_err(|_| wrong())?;
        let lanes =
            Self { regression: Lane::find(&json, "regression"), challenge: Lane::find(&json, "challenge") };
        if lanes.regression.is_none() { Err(wrong()) } else { Ok(lanes) }
    }

    /// The lanes by name, those that were told.
    pub(super) fn each(&self) -> impl Iterator<Item = (&'static str, Lane)> {
        let named = [("regression", self.regression), ("challenge", self.challenge)];
        named.into_iter().filter_map(|(name, lane)| lane.map(|lane| (name, lane)))
    }

    pub(super) fn told(&self) -> String {
        self.each()
            .map(|(name, lane)| format!("{name} lane: {} of {} cases pass\n", lane.passed, lane.cases))
            .collect()
    }
}

impl Lane {
    /// The families of a lane added up; `None` where there are none.
    fn of_families(json: &Json, name: &str) -> Option<Self> {
        let families = json.get("families")?.as_array()?;
        let number = |family: &Json, field: &str| family.get(field).and_then(Json::as_u64);
        let own = families.iter().filter(|family| family["lane"] == name);
        let counts = own.map(|family| Some((number(family, "cases")?, number(family, "passed")?)));
        let counts: Vec<(u64, u64)> = counts.collect::<Option<_>>()?;
        let sum = |of: fn(&(u64, u64)) -> u64| counts.iter().map(of).fold(0, u64::saturating_add);
        let lane = Self { cases: sum(|(cases, _)| *cases), passed: sum(|(_, passed)| *passed) };
        (!counts.is_empty() && lane.passed <= lane.cases).then_some(lane)
    }

    fn find(json: &Json, name: &str) -> Option<Self> {
        if let Some(lane) = Self::of_families(json, name) {
            return Some(lane);
        }
        let listed = |list: &Json| {
            let named = |one: &&Json| ["lane", "name"].iter().any(|field| one[*field] == name);
            list.as_array()?.iter().find(named).cloned()
        };
        let lane = json.get(name).cloned().or_else(|| json.get("lanes").and_then(listed))?;
        let number = |field: &str| lane.get(field).and_then(Json::as_u64);
        let passed = number("passed")?;
        let cases = number("cases")
            .or_else(|| number("total"))
            .or_else(|| Some(passed.saturating_add(number("failed")?)))?;
        (passed <= cases).then_some(Self { cases, passed })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lanes_are_found_however_they_are_told() {
        for told in [
            json!({"regression": {"passed": 7, "cases": 9}}),
            json!({"regression": {"passed": 7, "failed": 2}}),
            json!({"families": [
                {"lane": "regression", "of": "recall", "cases": 4, "passed": 4},
                {"lane": "challenge", "of": "recall", "cases": 8, "passed": 1},
                {"lane": "regression", "of": "limits", "cases": 5, "passed": 3},
            ]}),
            json!({"lanes": [{"lane": "challenge", "passed": 1, "total": 2}, {"lane": "regression", "passed": 7, "total": 9}]}),
        ] {
            let lane = Lane::find(&told, "regression").expect("a lane");
            assert_eq!((lane.passed, lane.cases), (7, 9));
        }
        for wrong in
            [json!({}), json!([]), json!({"regression": 3}), json!({"regression": {"passed": 7, "cases": 3}})]
        {
            assert!(Lane::find(&wrong, "regression").is_none(), "{wrong}");
        }
    }
}
