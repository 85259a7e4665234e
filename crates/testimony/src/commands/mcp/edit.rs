//! One entry written into a configuration, everything else left as it stands: order, comments, spaces.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value as Json;
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

use super::client::Format;

/// The fields of an entry.
type Fields = [(&'static str, Json)];

/// The configuration with the entry `name`, whose fields are `fields`; other fields of an entry that is there stay.
///
/// # Errors
/// Why the configuration is not one, in words that name the place; nothing is guessed.
pub(super) fn with_entry(text: &str, format: Format, name: &str, fields: &Fields) -> Result<String, String> {
    match format {
        Format::Json(under) => json(text, under, name, fields),
        Format::Toml(under) => toml(text, under, name, fields),
    }
}

/// What clients that allow comments read: JSON with comments and commas at the end, and nothing more.
const READ: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

fn json(text: &str, under: &str, name: &str, fields: &Fields) -> Result<String, String> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = CstRootNode::parse(text, &READ).map_err(|error| error.to_string())?;
    let object = root.object_value().ok_or("it is no JSON object")?;
    let entry = child(&child(&object, under)?, name)?;
    for (field, value) in fields {
        once(&entry, field)?;
        match entry.get(field) {
            // What is right already keeps the form it has.
            Some(there) if is(there.value().map(|value| value.to_string()), value) => {}
            Some(there) => there.set_value(input(value)),
            None => drop(entry.append(field, input(value))),
        }
    }
    Ok(root.to_string())
}

/// Whether a value is written that means the same.
fn is(written: Option<String>, value: &Json) -> bool {
    written.is_some_and(|written| serde_json::from_str::<Json>(&written).is_ok_and(|there| there == *value))
}

fn child(object: &CstObject, name: &str) -> Result<CstObject, String> {
    once(object, name)?;
    object.object_value_or_create(name).ok_or_else(|| format!("`{name}` is no object"))
}

/// Of two fields with one name, one is read and the other is not: which, only the client knows.
fn once(object: &CstObject, name: &str) -> Result<(), String> {
    let same = |one: &&jsonc_parser::cst::CstObjectProp| one.decoded_name().as_deref() == Some(name);
    match object.properties().iter().filter(same).count() {
        0 | 1 => Ok(()),
        _ => Err(format!("`{name}` stands there twice")),
    }
}

fn input(value: &Json) -> CstInputValue {
    match value {
        Json::Null => CstInputValue::Null,
        Json::Bool(is) => CstInputValue::Bool(*is),
        Json::Number(number) => CstInputValue::Number(number.to_string()),
        Json::String(text) => CstInputValue::String(text.clone()),
        Json::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Json::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

fn toml(text: &str, under: &str, name: &str, fields: &Fields) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let servers = document.entry(under).or_insert_with(|| {
        let mut servers = Table::new();
        // It needs no line of its own.
        servers.set_implicit(true);
        Item::Table(servers)
    });
    let servers = servers.as_table_like_mut().ok_or_else(|| format!("`{under}` is no table"))?;
    let entry = servers.entry(name).or_insert_with(|| Item::Table(Table::new()));
    let entry: &mut dyn TableLike =
        entry.as_table_like_mut().ok_or_else(|| format!("`{under}.{name}` is no table"))?;
    for (field, value) in fields {
        let value = toml_value(value).ok_or_else(|| format!("`{field}` has no form in TOML"))?;
        match entry.get_mut(field) {
            Some(there) if there.to_string().trim() == value.to_string().trim() => {}
            Some(there) => *there = Item::Value(value),
            None => drop(entry.insert(field, Item::Value(value))),
        }
    }
    Ok(document.to_string())
}

fn toml_value(value: &Json) -> Option<Value> {
    match value {
        Json::String(text) => Some(text.as_str().into()),
        Json::Array(items) => {
            items.iter().map(toml_value).collect::<Option<toml_edit::Array>>().map(Value::from)
        }
        _ => None,
    }
}
