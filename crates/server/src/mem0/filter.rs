//! Filters as mem0 writes them: fields with tests, and `AND`, `OR`, `NOT` between them, over the shape of a memory.

use std::collections::BTreeSet;

use ledger::time::{Moment, Zone};
use serde_json::{Map, Value as Json};

use crate::refusal::Refusal;

/// How deep filters may stand in each other.
const DEPTH_MAX: usize = 16;

/// Tests of one filter, at most.
const TESTS_MAX: usize = 256;

/// Fields of a memory; any other name is a field of its metadata.
const FIELDS: &[&str] = &[
    "id",
    "memory",
    "user_id",
    "agent_id",
    "app_id",
    "run_id",
    "created_at",
    "updated_at",
    "categories",
    "metadata",
];

/// What a memory must be.
#[derive(Clone, PartialEq, Debug)]
pub enum Filter {
    /// All of these.
    All(Vec<Filter>),
    /// At least one of these.
    Any(Vec<Filter>),
    /// None of these.
    None(Vec<Filter>),
    /// The field of this name, or path of names, passes.
    Field(Vec<String>, Test),
}

/// What a field must be.
#[derive(Clone, PartialEq, Debug)]
pub enum Test {
    /// There.
    There,
    /// One of these.
    Among(Vec<Json>),
    /// None of these.
    NotAmong(Vec<Json>),
    /// Before or after this, or just this where `same` says so.
    Beside {
        /// The bound.
        bound: Json,
        /// Whether what is greater passes; otherwise what is less.
        above: bool,
        /// Whether the bound itself passes.
        same: bool,
    },
    /// A text, or a list, that holds this.
    Contains {
        /// What is held.
        part: String,
        /// Whether capital and small letters are the same.
        folded: bool,
    },
}

impl Filter {
    /// Reads a filter.
    ///
    /// # Errors
    /// [`Refusal`] 422 that names what cannot be read.
    pub fn read(written: &Json) -> Result<Self, Refusal> {
        let mut tests = 0;
        read(written, &mut tests, 0)
    }

    /// Whether a memory passes.
    #[must_use]
    pub fn passes(&self, memory: &Map<String, Json>) -> bool {
        match self {
            Self::All(filters) => filters.iter().all(|filter| filter.passes(memory)),
            Self::Any(filters) => filters.iter().any(|filter| filter.passes(memory)),
            Self::None(filters) => !filters.iter().any(|filter| filter.passes(memory)),
            Self::Field(path, test) => test.passes(find(memory, path)),
        }
    }

    /// The values that a field must have or may have somewhere in the filter; `*` where it may have others than it names.
    #[must_use]
    pub fn named(&self, field: &str) -> BTreeSet<String> {
        let mut named = BTreeSet::new();
        self.collect(field, &mut named);
        named
    }

    fn collect(&self, field: &str, named: &mut BTreeSet<String>) {
        match self {
            Self::All(filters) | Self::Any(filters) => {
                filters.iter().for_each(|filter| filter.collect(field, named));
            }
            Self::Field(path, test) if matches!(path.as_slice(), [name] if name == field) => match test {
                Test::Among(values) => {
                    named.extend(values.iter().map(|value| value.as_str().unwrap_or("*").to_owned()));
                }
                Test::There | Test::Beside { .. } | Test::Contains { .. } => _ = named.insert("*".to_owned()),
                Test::NotAmong(_) => {}
            },
            // What must not be names nobody.
            Self::None(_) | Self::Field(..) => {}
        }
    }
}

fn bad(detail: impl Into<String>) -> Refusal {
    Refusal::bad_input(format!("`filters`: {}", detail.into()))
}

fn read(written: &Json, tests: &mut usize, depth: usize) -> Result<Filter, Refusal> {
    if depth > DEPTH_MAX {
        return Err(bad(format!("more than {DEPTH_MAX} stand in each other")));
    }
    let fields = written.as_object().ok_or_else(|| bad("an object is needed"))?;
    let mut all = Vec::with_capacity(fields.len());
    for (name, value) in fields {
        let list = |tests: &mut usize| match value {
            Json::Array(filters) => filters.iter().map(|one| read(one, tests, depth + 1)).collect(),
            one => read(one, tests, depth + 1).map(|one| vec![one]),
        };
        match name.trim_start_matches('$').to_ascii_uppercase().as_str() {
            "AND" => all.push(Filter::All(list(tests)?)),
            "OR" => all.push(Filter::Any(list(tests)?)),
            "NOT" => all.push(Filter::None(list(tests)?)),
            _ => read_field(vec![field(name)], value, tests, &mut all)?,
        }
    }
    Ok(match all.len() {
        1 => all.remove(0),
        _ => Filter::All(all),
    })
}

/// mem0 calls the words of a memory by several names.
fn field(name: &str) -> String {
    match name {
        "keywords" | "text" | "data" => "memory".to_owned(),
        "memory_id" | "memory_ids" | "ids" => "id".to_owned(),
        name => name.to_owned(),
    }
}

fn read_field(
    path: Vec<String>,
    value: &Json,
    tests: &mut usize,
    all: &mut Vec<Filter>,
) -> Result<(), Refusal> {
    *tests += 1;
    if *tests > TESTS_MAX {
        return Err(bad(format!("more than {TESTS_MAX} tests")));
    }
    match value {
        Json::Object(operators) if path == ["metadata"] => {
            for (name, value) in operators {
                read_field(vec!["metadata".to_owned(), name.clone()], value, tests, all)?;
            }
        }
        Json::Object(operators) => {
            for (operator, bound) in operators {
                let test = operation(&path, operator.trim_start_matches('$'), bound)?;
                all.push(Filter::Field(path.clone(), test));
            }
        }
        Json::Array(values) => all.push(Filter::Field(path, Test::Among(values.clone()))),
        Json::String(any) if any == "*" => all.push(Filter::Field(path, Test::There)),
        Json::Null => return Err(bad(format!("`{}` is null", path.join(".")))),
        value => all.push(Filter::Field(path, Test::Among(vec![value.clone()]))),
    }
    Ok(())
}

fn operation(path: &[String], operator: &str, bound: &Json) -> Result<Test, Refusal> {
    let name = path.join(".");
    let many = || bound.as_array().cloned().ok_or_else(|| bad(format!("`{name}.{operator}` needs a list")));
    let part = |folded| match bound {
        Json::String(part) => Ok(Test::Contains { part: part.clone(), folded }),
        _ => Err(bad(format!("`{name}.{operator}` needs a text"))),
    };
    let beside = |above, same| match bound {
        Json::Number(_) | Json::String(_) => Ok(Test::Beside { bound: bound.clone(), above, same }),
        _ => Err(bad(format!("`{name}.{operator}` needs a number or a text"))),
    };
    match operator {
        "eq" => Ok(Test::Among(vec![bound.clone()])),
        "ne" => Ok(Test::NotAmong(vec![bound.clone()])),
        "in" => Ok(Test::Among(many()?)),
        "nin" => Ok(Test::NotAmong(many()?)),
        "gt" => beside(true, false),
        "gte" => beside(true, true),
        "lt" => beside(false, false),
        "lte" => beside(false, true),
        "contains" => part(false),
        "icontains" => part(true),
        _ => Err(bad(format!("`{name}` has no test `{}`", operator.chars().take(40).collect::<String>()))
            .hint("there are eq, ne, in, nin, gt, gte, lt, lte, contains, icontains, and `*`")),
    }
}

/// A field of a memory; what is no field of its own is one of its metadata.
fn find<'memory>(memory: &'memory Map<String, Json>, path: &[String]) -> Option<&'memory Json> {
    let found = match path {
        [name] if FIELDS.contains(&name.as_str()) => memory.get(name),
        [name] => memory.get("metadata").and_then(|metadata| metadata.get(name)),
        [first, rest @ ..] => {
            rest.iter().try_fold(memory.get(first)?, |within, name| within.get(name.as_str()))
        }
        [] => None,
    };
    found.filter(|value| !value.is_null())
}

impl Test {
    fn passes(&self, value: Option<&Json>) -> bool {
        let is = |wanted: &Json| {
            value.is_some_and(|value| {
                value == wanted
                    || value.as_array().is_some_and(|values| values.contains(wanted))
                    || numbers(value, wanted).is_some_and(|(one, other)| one == other)
            })
        };
        match self {
            Self::There => value.is_some(),
            Self::Among(values) => values.iter().any(is),
            Self::NotAmong(values) => !values.iter().any(is),
            Self::Beside { bound, above, same } => {
                let order = value.and_then(|value| order(value, bound));
                order.is_some_and(|order| match order {
                    std::cmp::Ordering::Equal => *same,
                    std::cmp::Ordering::Greater => *above,
                    std::cmp::Ordering::Less => !*above,
                })
            }
            Self::Contains { part, folded } => {
                let holds = |text: &Json| {
                    text.as_str().is_some_and(|text| match folded {
                        true => text.to_lowercase().contains(&part.to_lowercase()),
                        false => text.contains(part.as_str()),
                    })
                };
                match value {
                    Some(Json::Array(values)) => values.iter().any(holds),
                    value => value.is_some_and(holds),
                }
            }
        }
    }
}

fn numbers(one: &Json, other: &Json) -> Option<(f64, f64)> {
    one.as_f64().zip(other.as_f64())
}

/// Numbers by their size, times by when they are, other texts by their letters; nothing else stands before or after another.
fn order(value: &Json, bound: &Json) -> Option<std::cmp::Ordering> {
    if let Some((value, bound)) = numbers(value, bound) {
        return value.partial_cmp(&bound);
    }
    let (value, bound) = value.as_str().zip(bound.as_str())?;
    let instant = |text| Moment::parse_in(text, &Zone::utc()).ok().map(|moment| moment.instant);
    match instant(value).zip(instant(bound)) {
        Some((value, bound)) => Some(value.cmp(&bound)),
        None => Some(value.cmp(bound)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn passes(filter: Json) -> bool {
        let memory = json!({
            "id": "ve_1", "memory": "Likes green Tea", "user_id": "ana", "agent_id": "travel", "run_id": null,
            "created_at": "2026-03-01T09:00:00Z", "metadata": {"category": "drinks", "weight": 2, "tags": ["a", "b"]},
        });
        Filter::read(&filter).expect("a filter").passes(memory.as_object().expect("an object"))
    }

    #[test]
    fn every_operator_tests_what_it_says() {
        for (filter, passes_it) in [
            (json!({}), true),
            (json!({"user_id": "ana"}), true),
            (json!({"user_id": "bo"}), false),
            (json!({"user_id": {"eq": "ana"}}), true),
            (json!({"user_id": {"ne": "ana"}}), false),
            (json!({"user_id": {"in": ["bo", "ana"]}}), true),
            (json!({"user_id": {"nin": ["bo", "ana"]}}), false),
            (json!({"user_id": ["bo", "ana"]}), true),
            (json!({"agent_id": "*"}), true),
            (json!({"run_id": "*"}), false),
            (json!({"run_id": {"ne": "x"}}), true),
            (json!({"created_at": {"gte": "2026-03-01", "lt": "2026-03-02"}}), true),
            (json!({"created_at": {"gt": "2026-03-01T10:00:00+01:00"}}), false),
            (json!({"created_at": {"gte": "2026-03-01T10:00:00+01:00"}}), true),
            (json!({"weight": {"gt": 1.5}}), true),
            (json!({"weight": 2.0}), true),
            (json!({"weight": {"lte": 1}}), false),
            (json!({"metadata": {"category": "drinks"}}), true),
            (json!({"metadata": {"category": {"icontains": "DRINK"}}}), true),
            (json!({"metadata": {"tags": {"contains": "b"}}}), true),
            (json!({"tags": "a"}), true),
            (json!({"keywords": {"contains": "tea"}}), false),
            (json!({"keywords": {"icontains": "tea"}}), true),
            (json!({"AND": [{"user_id": "ana"}, {"category": "food"}]}), false),
            (json!({"OR": [{"user_id": "ana"}, {"category": "food"}]}), true),
            (json!({"NOT": {"category": "food"}}), true),
            (json!({"NOT": [{"category": "food"}, {"user_id": "ana"}]}), false),
            (json!({"$or": [{"$not": [{"user_id": "ana"}]}, {"weight": {"$eq": 2}}]}), true),
        ] {
            assert_eq!(passes(filter.clone()), passes_it, "{filter}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let deep = (0..20).fold(json!({"user_id": "ana"}), |inner, _| json!({"AND": [inner]}));
        let wide: Vec<Json> = (0..300).map(|number| json!({"weight": number})).collect();
        for filter in [
            json!([]),
            json!({"user_id": null}),
            json!({"user_id": {"like": "a"}}),
            json!({"user_id": {"in": "ana"}}),
            json!({"memory": {"contains": 3}}),
            json!({"weight": {"gt": [1]}}),
            json!({"OR": wide}),
            deep,
        ] {
            assert_eq!(Filter::read(&filter).map_err(|refusal| refusal.status), Err(422), "{filter}");
        }
    }

    #[test]
    fn the_users_a_filter_names_are_told() {
        let named = |filter: Json| {
            Filter::read(&filter).expect("a filter").named("user_id").into_iter().collect::<Vec<_>>()
        };
        assert_eq!(named(json!({"AND": [{"user_id": "ana"}, {"NOT": {"agent_id": "x"}}]})), ["ana"]);
        assert_eq!(named(json!({"OR": [{"user_id": "ana"}, {"user_id": {"in": ["bo"]}}]})), ["ana", "bo"]);
        assert_eq!(named(json!({"user_id": "*"})), ["*"]);
        assert_eq!(named(json!({"metadata": {"user_id": "bo"}})), [""; 0]);
        assert_eq!(named(json!({"NOT": {"user_id": "bo"}, "user_id": {"ne": "eva"}})), [""; 0]);
    }
}
