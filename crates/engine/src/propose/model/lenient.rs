//! JSON as models write it: inside fences and chatter, with trailing commas, single quotes, comments, Python's `True` and `None`,
//! one object a line, or cut off in the middle. What is whole is kept, what is not is counted.
//!
//! Work is linear in the text: a failed attempt gives up where it failed, never at where it began. Depth is bounded, so no
//! reply exhausts the stack.

use serde_json::{Map, Number, Value as Json};

/// Containers within containers that are followed.
const DEPTH_MAX: usize = 32;

/// What was found in a text.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Found {
    /// Whole values, objects and lists only, in the order of the text. Of a broken container the whole ones inside.
    pub values: Vec<Json>,
    /// Places at which a value began and broke.
    pub broken: u64,
    /// Whether the text ended within a value.
    pub cut: bool,
}

/// Finds the objects and lists in a text.
pub(super) fn find(text: &str) -> Found {
    let mut scan = Scan { text, at: 0, salvaged: Vec::new() };
    let mut found = Found::default();
    while let Some(next) = scan.rest().find(['{', '[']) {
        scan.at += next;
        let began = scan.at;
        match scan.value(0) {
            Ok(value) => found.values.push(value),
            Err(end) => {
                found.values.append(&mut scan.salvaged);
                match end {
                    End::OfText => {
                        found.cut = true;
                        break;
                    }
                    // A bracket in a sentence is no broken value.
                    End::Broken if scan.at <= began + 1 => scan.at = began + 1,
                    End::Broken => found.broken += 1,
                }
            }
        }
        scan.salvaged.clear();
    }
    found
}

/// Why a value is not whole.
enum End {
    Broken,
    OfText,
}

struct Scan<'text> {
    text: &'text str,
    at: usize,
    /// Whole objects and lists of containers that broke.
    salvaged: Vec<Json>,
}

impl<'text> Scan<'text> {
    fn rest(&self) -> &'text str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next letter, after white space and comments.
    fn peek(&mut self) -> Result<char, End> {
        loop {
            let rest = self.rest();
            let trimmed =
                rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            let comment_end = match trimmed.get(..2) {
                Some("//") => trimmed.find('\n').unwrap_or(trimmed.len()),
                Some("/*") => trimmed.find("*/").map_or(trimmed.len(), |end| end + 2),
                _ => return trimmed.chars().next().ok_or(End::OfText),
            };
            self.at += comment_end;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, End> {
        match self.peek()? {
            '{' => self.object(depth),
            '[' => self.list(depth),
            '"' | '\'' | '“' | '”' | '‘' | '’' => self.text().map(Json::String),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, End> {
        let opened = self.open(depth)?;
        let mut fields = Map::new();
        loop {
            let outcome = self.field(depth);
            match outcome {
                // A name given twice: the first stands, so that what comes later cannot take its place unseen.
                Ok(Some((name, value))) => _ = fields.entry(name).or_insert(value),
                Ok(None) => return Ok(Json::Object(fields)),
                Err(end) => {
                    self.keep(opened, fields.into_iter().map(|(_, value)| value));
                    return Err(end);
                }
            }
        }
    }

    fn field(&mut self, depth: usize) -> Result<Option<(String, Json)>, End> {
        if self.closes('}')? {
            return Ok(None);
        }
        let name = match self.peek()? {
            '"' | '\'' | '“' | '”' | '‘' | '’' => self.text()?,
            letter if letter.is_alphabetic() || letter == '_' => self.bare(),
            _ => return Err(End::Broken),
        };
        if self.peek()? != ':' {
            return Err(End::Broken);
        }
        self.at += 1;
        let value = self.value(depth + 1)?;
        self.separates('}')?;
        Ok(Some((name, value)))
    }

    fn list(&mut self, depth: usize) -> Result<Json, End> {
        let opened = self.open(depth)?;
        let mut items = Vec::new();
        loop {
            let outcome = match self.closes(']') {
                Ok(true) => return Ok(Json::Array(items)),
                Ok(false) => self.value(depth + 1),
                Err(end) => Err(end),
            };
            let outcome = match outcome {
                Ok(item) => {
                    items.push(item);
                    self.separates(']')
                }
                Err(end) => Err(end),
            };
            if let Err(end) = outcome {
                self.keep(opened, items.into_iter());
                return Err(end);
            }
        }
    }

    /// Goes behind an opening bracket; answers how much was salvaged before it.
    fn open(&mut self, depth: usize) -> Result<usize, End> {
        self.at += 1;
        match depth < DEPTH_MAX {
            true => Ok(self.salvaged.len()),
            false => Err(End::Broken),
        }
    }

    /// Keeps the whole containers of one that broke, before what was kept from within it.
    fn keep(&mut self, opened: usize, items: impl Iterator<Item = Json>) {
        let within = self.salvaged.split_off(opened.min(self.salvaged.len()));
        self.salvaged.extend(items.filter(|item| item.is_object() || item.is_array()));
        self.salvaged.extend(within);
    }

    /// Whether the container ends here, stray commas passed over.
    fn closes(&mut self, bracket: char) -> Result<bool, End> {
        loop {
            match self.peek()? {
                ',' => self.at += 1,
                letter if letter == bracket => {
                    self.at += 1;
                    return Ok(true);
                }
                _ => return Ok(false),
            }
        }
    }

    /// What follows an item: a comma, or the end of the container; a comma that was forgotten before the next is forgiven.
    fn separates(&mut self, bracket: char) -> Result<(), End> {
        match self.peek()? {
            ',' => {
                self.at += 1;
                Ok(())
            }
            letter if letter == bracket || "{[\"'".contains(letter) => Ok(()),
            _ => Err(End::Broken),
        }
    }

    /// A text in quotation marks of any kind. Line breaks inside are kept as they are.
    fn text(&mut self) -> Result<String, End> {
        let opening = self.peek()?;
        self.at += opening.len_utf8();
        let closing: &[char] = match opening {
            '"' => &['"'],
            '\'' => &['\''],
            '‘' | '’' => &['’'],
            _ => &['”', '“'],
        };
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let next =
                rest.find(|letter: char| letter == '\\' || closing.contains(&letter)).ok_or(End::OfText)?;
            text.push_str(&rest[..next]);
            self.at += next;
            let letter = self.rest().chars().next().ok_or(End::OfText)?;
            self.at += letter.len_utf8();
            if letter != '\\' {
                return Ok(text);
            }
            let escaped = self.rest().chars().next().ok_or(End::OfText)?;
            self.at += escaped.len_utf8();
            match escaped {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                'b' => text.push('\u{8}'),
                'f' => text.push('\u{c}'),
                'u' => text.push(self.code_point()?),
                // An escape JSON does not have means the letter itself.
                other => text.push(other),
            }
        }
    }

    fn code_point(&mut self) -> Result<char, End> {
        let unit = self.unit()?;
        if (0xd800..0xdc00).contains(&unit) && self.rest().starts_with("\\u") {
            let back = self.at;
            self.at += 2;
            let low = self.unit()?;
            if (0xdc00..0xe000).contains(&low) {
                let code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = back;
        }
        Ok(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn unit(&mut self) -> Result<u32, End> {
        let rest = self.rest();
        let Some(digits) = rest.get(..4) else {
            return Err(if rest.len() < 4 { End::OfText } else { End::Broken });
        };
        let unit = u32::from_str_radix(digits, 16).map_err(|_| End::Broken)?;
        self.at += 4;
        Ok(unit)
    }

    /// A number, or one of the words that stand for themselves.
    fn word(&mut self) -> Result<Json, End> {
        let word = self.bare();
        if word.is_empty() {
            return Err(End::Broken);
        }
        Ok(match word.to_ascii_lowercase().as_str() {
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            "null" | "none" | "nil" | "undefined" | "nan" => Json::Null,
            _ => {
                let digits = word.trim_start_matches('+');
                let number = serde_json::from_str::<Number>(digits).ok();
                // A model that writes `09:30` or `Zagreb` without quotation marks means a text.
                number.map_or(Json::String(word), Json::Number)
            }
        })
    }

    fn bare(&mut self) -> String {
        let rest = self.rest();
        let end = rest
            .find(|letter: char| letter.is_whitespace() || ",:{}[]\"'".contains(letter))
            // A time is one word.
            .map(|end| match rest.get(end..end + 1) {
                Some(":") if rest[..end].ends_with(|last: char| last.is_ascii_digit()) => rest[end + 1..]
                    .find(|letter: char| !letter.is_ascii_digit() && letter != ':')
                    .map_or(rest.len(), |more| end + 1 + more),
                _ => end,
            })
            .unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_as_models_write_it() {
        let cases: Vec<(&str, Vec<Json>, u64, bool)> = vec![
            ("", vec![], 0, false),
            ("no JSON here", vec![], 0, false),
            (r#"{"a": 1}"#, vec![json!({"a": 1})], 0, false),
            (
                "Sure! Here it is:\n```json\n[{\"a\": \"b\"}]\n```\nAnything else?",
                vec![json!([{"a": "b"}])],
                0,
                false,
            ),
            ("a {brace} in [prose] and {\"a\": 1}", vec![json!(["prose"]), json!({"a": 1})], 1, false),
            ("{\"a\": 1}\n{\"a\": 2}\n", vec![json!({"a": 1}), json!({"a": 2})], 0, false),
            ("{\"a\": [1, 2,],}", vec![json!({"a": [1, 2]})], 0, false),
            (
                "{'a': 'it\\'s', b: True, \"c\": None}",
                vec![json!({"a": "it's", "b": true, "c": null})],
                0,
                false,
            ),
            ("{\"a\": 1 /* why */, // so\n \"b\": 2}", vec![json!({"a": 1, "b": 2})], 0, false),
            ("{“a”: “b”}", vec![json!({"a": "b"})], 0, false),
            ("{\"a\": 09:30, \"b\": Zagreb}", vec![json!({"a": "09:30", "b": "Zagreb"})], 0, false),
            (
                "{\"a\": \"x\ny\", \"b\": \"\\u010c\\ud83d\\ude42\\q\"}",
                vec![json!({"a": "x\ny", "b": "Č🙂q"})],
                0,
                false,
            ),
            ("{\"a\": 1, \"a\": 2}", vec![json!({"a": 1})], 0, false),
            ("[{\"a\": 1}, {\"a\": 2}, {\"a\": ", vec![json!({"a": 1}), json!({"a": 2})], 0, true),
            ("{\"p\": [{\"a\": 1}, {\"a\": \"cut", vec![json!({"a": 1})], 0, true),
            (
                "{\"p\": [{\"a\": 1}, {\"a\" 2}, {\"a\": 3}]}",
                vec![json!({"a": 1}), json!({"a": 3})],
                1,
                false,
            ),
            ("[{\"a\": 1} {\"a\": 2}]", vec![json!([{"a": 1}, {"a": 2}])], 0, false),
            ("{\"a\": \"\\u12", vec![], 0, true),
            ("{\"a\": \"\\ud800\"}", vec![json!({"a": "\u{fffd}"})], 0, false),
        ];
        for (text, values, broken, cut) in cases {
            assert_eq!(find(text), Found { values, broken, cut }, "{text}");
        }
    }

    #[test]
    fn no_text_takes_long_or_deep() {
        for piece in
            ["[", "{\"a\":", "{\"", "[{\"a\":1},", "{'", "\"{", "[[[[]", "{\"a\":\"\\", "/*", "{\"a\" // "]
        {
            let text = piece.repeat(200_000);
            let found = find(&text);
            assert!(found.values.len() <= 200_000, "{piece}");
        }
    }
}
