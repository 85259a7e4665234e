//! SQL dumps of the tools that keep sessions in SQLite: Goose, Hermes, OpenCode, Zed.
//!
//! A dump is read, not run: `CREATE TABLE` for the names of columns, `INSERT` for rows of literals. Any other
//! expression in a row, and any statement that would change rows, is refused in its place, since guessing what a
//! database would have made of it could put wrong words into somebody's mouth. Linear in the text.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{Role, Turn, content, store};
use crate::{Fidelity, Reason, collect::Collector, decode::File, json};

struct Row {
    place: String,
    table: String,
    columns: Value,
}

pub(super) fn read(file: &File<'_>, out: &mut Collector<'_>) {
    let rows = rows(file, out);
    let has = |table: &str, column: &str| {
        rows.iter().any(|row| row.table == table && row.columns.get(column).is_some())
    };
    if has("messages", "content_json") {
        goose(file, &rows, out);
    } else if has("messages", "role") && has("messages", "content") {
        hermes(file, &rows, out);
    } else if has("message", "data") && has("part", "data") {
        opencode(file, &rows, out);
    } else if has("threads", "data_type") {
        zed(file, &rows, out);
    } else if rows.is_empty() {
        out.refuse(file, "file", Reason::SqlUnsupported, "no rows that can be read");
    } else {
        for row in &rows {
            out.refuse(
                file,
                &row.place,
                Reason::SqlUnsupported,
                &format!("table `{}` is not of a known tool", row.table),
            );
        }
    }
}

fn goose(file: &File<'_>, rows: &[Row], out: &mut Collector<'_>) {
    for row in rows {
        let Some(written) = json::text(&row.columns, "content_json").filter(|_| row.table == "messages")
        else {
            out.refuse(file, &row.place, Reason::Metadata, "describes the session");
            continue;
        };
        let Some(piece) = json::parse(file, row.place.clone(), written, out) else { continue };
        let (text, blocks_cut) = content(Some(&piece.value), &["text"]);
        message(file, row, "goose", (text, blocks_cut), "created_timestamp", "message_id", out);
    }
}

fn hermes(file: &File<'_>, rows: &[Row], out: &mut Collector<'_>) {
    for row in rows {
        if row.table != "messages" {
            out.refuse(file, &row.place, Reason::Metadata, "describes the session");
            continue;
        }
        let text = json::text(&row.columns, "content").unwrap_or("").to_owned();
        let calls = u64::from(json::text(&row.columns, "tool_calls").is_some());
        message(file, row, "hermes", (text, calls), "timestamp", "message_id", out);
    }
}

/// A row that is a message, with the names its table gives to time and id.
fn message(
    file: &File<'_>,
    row: &Row,
    kind: &str,
    (text, blocks_cut): (String, u64),
    time: &str,
    id: &str,
    out: &mut Collector<'_>,
) {
    let word = json::text(&row.columns, "role").unwrap_or("");
    let Some(role) = Role::from_word(word, false) else {
        return out.refuse(file, &row.place, Reason::ControlPlane, &format!("role `{word}`"));
    };
    let reference = json::id(&row.columns, "session_id").unwrap_or_else(|| file.conversation_name());
    let source = out.conversation(kind, reference.clone(), None, Fidelity::HybridRecord);
    let turn = Turn {
        role,
        text,
        blocks_cut,
        time: row.columns.get(time),
        id: json::id(&row.columns, id),
        session: Some(reference),
        model: None,
    };
    store(file, source, &row.place, turn, out);
}

/// A message's words stand in rows of their own, in their order.
fn opencode(file: &File<'_>, rows: &[Row], out: &mut Collector<'_>) {
    let messages = rows.iter().filter(|row| row.table == "message");
    let known: HashMap<String, ()> =
        messages.filter_map(|row| Some((json::id(&row.columns, "id")?, ()))).collect();
    let mut texts: HashMap<String, Vec<String>> = HashMap::new();
    for row in rows.iter().filter(|row| row.table == "part") {
        let message = json::id(&row.columns, "message_id").filter(|id| known.contains_key(id));
        let data = json::text(&row.columns, "data").unwrap_or("");
        let Some(piece) = json::parse(file, row.place.clone(), data, out) else { continue };
        let kind = json::text(&piece.value, "type").unwrap_or("");
        let synthetic = piece.value.get("synthetic") == Some(&Value::Bool(true));
        match (message, json::text(&piece.value, "text").filter(|_| kind == "text" && !synthetic)) {
            (Some(message), Some(text)) => {
                out.join(1);
                texts.entry(message).or_default().push(text.to_owned());
            }
            (None, _) => out.refuse(file, &row.place, Reason::WrongShape, "belongs to no message"),
            (Some(_), None) => out.refuse(file, &row.place, Reason::ControlPlane, &format!("part `{kind}`")),
        }
    }
    for row in rows.iter().filter(|row| row.table != "part") {
        if row.table != "message" {
            out.refuse(file, &row.place, Reason::Metadata, "describes the session");
            continue;
        }
        let data = json::text(&row.columns, "data").unwrap_or("");
        let Some(piece) = json::parse(file, row.place.clone(), data, out) else { continue };
        let word = json::text(&piece.value, "role").unwrap_or("");
        let Some(role) = Role::from_word(word, false) else {
            out.refuse(file, &row.place, Reason::ControlPlane, &format!("role `{word}`"));
            continue;
        };
        let id = json::id(&row.columns, "id");
        // Taken out, so that a second row of the same id cannot say the same words again.
        let text = id.as_ref().and_then(|id| texts.remove(id)).unwrap_or_default().join("\n\n");
        let reference = json::id(&row.columns, "session_id").unwrap_or_else(|| file.conversation_name());
        let source = out.conversation("opencode", reference.clone(), None, Fidelity::HybridRecord);
        let time = piece.value.pointer("/time/created").or_else(|| row.columns.get("time_created"));
        let turn = Turn { role, text, blocks_cut: 0, time, id, session: Some(reference), model: None };
        store(file, source, &row.place, turn, out);
    }
}

/// A thread is one value: JSON in old rows, compressed in new ones.
fn zed(file: &File<'_>, rows: &[Row], out: &mut Collector<'_>) {
    for row in rows {
        if row.table != "threads" {
            out.refuse(file, &row.place, Reason::Metadata, "describes the thread");
            continue;
        }
        let encoding = json::text(&row.columns, "data_type").unwrap_or("");
        let Some(data) = json::text(&row.columns, "data").filter(|_| encoding == "json") else {
            let detail =
                format!("the thread is stored as `{encoding}`; save it as Markdown or JSON from the editor");
            out.refuse(file, &row.place, Reason::CompressedValue, &detail);
            continue;
        };
        let Some(piece) = json::parse(file, row.place.clone(), data, out) else { continue };
        let reference = json::id(&row.columns, "id").unwrap_or_else(|| file.conversation_name());
        let title = json::text(&row.columns, "summary");
        let source = out.conversation("zed", reference.clone(), title, Fidelity::HybridRecord);
        for (index, entry) in json::list(&piece.value, "messages").iter().enumerate() {
            let place = format!("{}, messages[{index}]", row.place);
            // Old: `{role, segments}`. New: `{"User": {…}}`, with segments tagged likewise.
            let tagged = [("User", "user"), ("Agent", "assistant")];
            let tagged = tagged.iter().find_map(|(tag, word)| Some((*word, entry.get(*tag)?)));
            let (word, body) = tagged.unwrap_or((json::text(entry, "role").unwrap_or(""), entry));
            let Some(role) = Role::from_word(word, false) else {
                out.refuse(file, &place, Reason::ControlPlane, &format!("role `{word}`"));
                continue;
            };
            let (text, blocks_cut) = match body.get("segments") {
                Some(segments) => content(Some(segments), &["text"]),
                None => {
                    let blocks = json::list(body, "content");
                    let texts: Vec<&str> =
                        blocks.iter().filter_map(|block| json::text(block, "Text")).collect();
                    (texts.join("\n\n"), (blocks.len() - texts.len()) as u64)
                }
            };
            // Zed dates the thread and not its messages.
            let id = json::id(body, "id");
            let turn = Turn {
                role,
                text,
                blocks_cut,
                time: None,
                id,
                session: Some(reference.clone()),
                model: None,
            };
            store(file, source, &place, turn, out);
        }
    }
}

fn rows(file: &File<'_>, out: &mut Collector<'_>) -> Vec<Row> {
    let mut columns_of: HashMap<String, Vec<String>> = HashMap::new();
    let mut rows = Vec::new();
    for (line, statement) in statements(&file.text) {
        let place = format!("line {line}");
        let mut reader = Reader { rest: statement };
        let first = reader.word().to_ascii_lowercase();
        match first.as_str() {
            "" | "pragma" | "begin" | "commit" | "end" | "analyze" => {}
            "create" => {
                if let Some((table, columns)) = table(&mut reader) {
                    columns_of.insert(table, columns);
                }
            }
            "insert" => match insert(&mut reader, &columns_of) {
                Ok((table, found)) => rows.extend(found.into_iter().enumerate().map(|(index, columns)| {
                    Row { place: format!("{place}, row {}", index + 1), table: table.clone(), columns }
                })),
                Err(detail) => out.refuse(file, &place, Reason::SqlUnsupported, detail),
            },
            _ => out.refuse(
                file,
                &place,
                Reason::SqlUnsupported,
                &format!("statement `{}`", shortened(&first)),
            ),
        }
    }
    rows
}

fn shortened(word: &str) -> String {
    word.chars().take(24).collect()
}

/// Statements with the line each begins at. A semicolon or a comment sign within quotes is text.
fn statements(text: &str) -> Vec<(usize, &str)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut start, mut line, mut start_line) = (0, None, 1, 1);
    while let Some(byte) = bytes.get(at) {
        let skipped = match byte {
            b'-' if bytes.get(at + 1) == Some(&b'-') => until(bytes, at, b"\n"),
            b'/' if bytes.get(at + 1) == Some(&b'*') => until(bytes, at + 2, b"*/"),
            b'\'' | b'"' | b'`' => until(bytes, at + 1, &[*byte]),
            _ => at + 1,
        };
        let comment = matches!(byte, b'-' | b'/') && skipped > at + 1;
        if *byte == b';' {
            if let Some(start) = start.take() {
                found.push((start_line, &text[start..at]));
            }
        } else if start.is_none() && !byte.is_ascii_whitespace() && !comment {
            start = Some(at);
            start_line = line;
        }
        line += bytes[at..skipped.min(bytes.len())].iter().filter(|byte| **byte == b'\n').count();
        at = skipped;
    }
    // A dump that is cut off ends in a statement without its semicolon; it fails to parse and is refused there.
    if let Some(start) = start {
        found.push((start_line, &text[start..]));
    }
    found
}

/// The position behind the next `end`, from `from`; the end of the text when there is none.
fn until(bytes: &[u8], from: usize, end: &[u8]) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    rest.windows(end.len())
        .position(|window| window == end)
        .map_or(bytes.len(), |found| from + found + end.len())
}

fn table(reader: &mut Reader<'_>) -> Option<(String, Vec<String>)> {
    const NOT_COLUMNS: &[&str] = &["primary", "foreign", "unique", "check", "constraint"];
    if !reader.word().eq_ignore_ascii_case("table") {
        return None;
    }
    let mut name = reader.name()?;
    if name.eq_ignore_ascii_case("if") {
        reader.word();
        reader.word();
        name = reader.name()?;
    }
    if !reader.take('(') {
        return None;
    }
    let mut columns = Vec::new();
    let mut at_start = true;
    let mut depth = 1_usize;
    while depth > 0 {
        reader.space();
        let next = reader.rest.chars().next()?;
        match next {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 1 => at_start = true,
            _ if at_start => {
                let column = reader.name()?;
                at_start = false;
                if !NOT_COLUMNS.contains(&column.to_ascii_lowercase().as_str()) {
                    columns.push(column);
                }
                continue;
            }
            '\'' => {
                reader.string()?;
                continue;
            }
            _ => {}
        }
        reader.rest = &reader.rest[next.len_utf8()..];
    }
    Some((name, columns))
}

type Inserted = (String, Vec<Value>);

fn insert(
    reader: &mut Reader<'_>,
    columns_of: &HashMap<String, Vec<String>>,
) -> Result<Inserted, &'static str> {
    const SHAPE: &str = "an `INSERT` that is not `INTO table (…) VALUES (…)`";
    if !reader.word().eq_ignore_ascii_case("into") {
        return Err(SHAPE);
    }
    let table = reader.name().ok_or(SHAPE)?;
    let mut columns = columns_of.get(&table).cloned().unwrap_or_default();
    if reader.take('(') {
        columns.clear();
        loop {
            columns.push(reader.name().ok_or(SHAPE)?);
            if reader.take(')') {
                break;
            }
            if !reader.take(',') {
                return Err(SHAPE);
            }
        }
    }
    if columns.is_empty() {
        return Err("the table's columns are not known");
    }
    if !reader.word().eq_ignore_ascii_case("values") {
        return Err(SHAPE);
    }
    let mut rows = Vec::new();
    loop {
        if !reader.take('(') {
            return Err(SHAPE);
        }
        let mut row = Map::new();
        for (index, column) in columns.iter().enumerate() {
            if index > 0 && !reader.take(',') {
                return Err("a row has fewer values than columns, or an expression");
            }
            row.insert(column.clone(), reader.literal().ok_or("a value is not a literal")?);
        }
        if !reader.take(')') {
            return Err("a row has more values than columns, or an expression");
        }
        rows.push(Value::Object(row));
        if !reader.take(',') {
            break;
        }
    }
    reader.space();
    if reader.rest.is_empty() { Ok((table, rows)) } else { Err("something stands behind the rows") }
}

/// Reads tokens from the front of a statement.
struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    /// White space and comments.
    fn space(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let end = match self.rest.as_bytes() {
                [b'-', b'-', ..] => until(self.rest.as_bytes(), 0, b"\n"),
                [b'/', b'*', ..] => until(self.rest.as_bytes(), 2, b"*/"),
                _ => return,
            };
            self.rest = &self.rest[end..];
        }
    }

    fn take(&mut self, sign: char) -> bool {
        self.space();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Letters, digits and `_`; empty at anything else.
    fn word(&mut self) -> &'t str {
        self.space();
        let end =
            self.rest.find(|next: char| !(next.is_alphanumeric() || next == '_')).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// A name, in quotes or not.
    fn name(&mut self) -> Option<String> {
        self.space();
        for (open, close) in [('"', '"'), ('`', '`'), ('[', ']')] {
            if let Some(inner) = self.rest.strip_prefix(open) {
                let (name, rest) = inner.split_once(close)?;
                self.rest = rest;
                return Some(name.to_owned());
            }
        }
        Some(self.word().to_owned()).filter(|name| !name.is_empty())
    }

    /// `'text'`, with `''` for a quote within.
    fn string(&mut self) -> Option<String> {
        let mut text = String::new();
        let mut rest = self.rest.strip_prefix('\'')?;
        loop {
            let (part, after) = rest.split_once('\'')?;
            text.push_str(part);
            match after.strip_prefix('\'') {
                Some(more) => {
                    text.push('\'');
                    rest = more;
                }
                None => {
                    self.rest = after;
                    return Some(text);
                }
            }
        }
    }

    /// Text, number, `NULL`, `TRUE`, `FALSE` or a blob. A blob is `null` here: none is read as text.
    fn literal(&mut self) -> Option<Value> {
        self.space();
        if self.rest.starts_with('\'') {
            return self.string().map(Value::String);
        }
        if self.rest.starts_with(['x', 'X']) && self.rest[1..].starts_with('\'') {
            self.rest = &self.rest[1..];
            return self.string().map(|_| Value::Null);
        }
        let end = self
            .rest
            .find(|next: char| matches!(next, ',' | ')') || next.is_whitespace())
            .unwrap_or(self.rest.len());
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest;
        match token.to_ascii_lowercase().as_str() {
            "null" => Some(Value::Null),
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            number => match number.parse::<i64>() {
                Ok(whole) => Some(Value::from(whole)),
                Err(_) => number.parse::<f64>().ok().filter(|float| float.is_finite()).map(Value::from),
            },
        }
    }
}
