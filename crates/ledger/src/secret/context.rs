//! Values with a name: `password is hunter2!`, `lozinka je …`, `API_KEY=…`, `PIN 1234`.

use super::shape::{Classes, Demand, random_named, wordy_share};
use super::triggers::{Name, NameClass};
use super::{SecretLike, behind, window};
use crate::quote::Span;

/// How far behind its name a value is looked for, in bytes.
const REACH_BYTES: usize = 140;

/// What stands behind the name at `at`, if it can be its value.
pub(super) fn named_value(text: &str, at: usize, name: Name) -> Option<SecretLike> {
    let end = at + name.length;
    match name.class {
        NameClass::Password => password(text, at, end, false).or_else(|| told_before(text, at, "password")),
        NameClass::Pass => stands_alone(text, at, end).then(|| password(text, at, end, true)).flatten(),
        NameClass::Key => key(text, end, false).or_else(|| told_before(text, at, "api_key")),
        NameClass::WeakKey => key(text, end, true),
        NameClass::Pin => pin(text, at, end),
        NameClass::DoorCode => door_code(text, at, end),
    }
}

/// `the door code is 4821#`, `šifra alarma je 4821`: three to ten digits, keys and letters among them.
fn door_code(text: &str, at: usize, end: usize) -> Option<SecretLike> {
    if text[..at].chars().next_back().is_some_and(char::is_alphanumeric) {
        return None;
    }
    let line = window(text, end, 60).split(['\n', '!', '?', ';', ',']).next().unwrap_or_default();
    let mut joined = false;
    let mut offset = 0;
    for (count, word) in line.split(' ').enumerate() {
        let start = offset;
        offset += word.len() + 1;
        let bare = word.trim_matches(|character: char| !character.is_alphanumeric());
        joined |= word.ends_with([':', '=']);
        if count > 6 {
            return None;
        }
        let digits = bare.bytes().filter(u8::is_ascii_digit).count();
        if digits == 0 {
            if matches!(
                bare,
                "from"
                    | "since"
                    | "until"
                    | "in"
                    | "at"
                    | "before"
                    | "after"
                    | "by"
                    | "every"
                    | "od"
                    | "do"
                    | "iz"
            ) && joined
            {
                return None;
            }
            joined |= matches!(bare, "is" | "je" | "glasi" | "was" | "to" | "now") || word == "-";
            continue;
        }
        let plain = bare.chars().all(|character| character.is_ascii_alphanumeric() || character == '-');
        // "is 4 digits long" counts the digits.
        let fits = digits >= 3 && bare.len() <= 10;
        let span = Span::new(end + start, end + start + word.trim_end_matches(['.', ')', '"']).len());
        return (joined && plain && fits).then_some(SecretLike { kind: "pin", span });
    }
    None
}

/// Words of a sentence about a password, which a phrase of chosen words hardly holds.
const ABOUT: &[&str] = &[
    "the",
    "a",
    "an",
    "is",
    "are",
    "was",
    "be",
    "not",
    "no",
    "on",
    "in",
    "at",
    "to",
    "of",
    "for",
    "from",
    "by",
    "with",
    "my",
    "your",
    "our",
    "his",
    "her",
    "their",
    "it",
    "its",
    "this",
    "that",
    "these",
    "i",
    "you",
    "we",
    "they",
    "he",
    "she",
    "and",
    "or",
    "but",
    "if",
    "so",
    "too",
    "very",
    "every",
    "each",
    "any",
    "all",
    "some",
    "still",
    "never",
    "always",
    "again",
    "than",
    "then",
    "as",
    "when",
    "where",
    "what",
    "how",
    "because",
    "can",
    "must",
    "should",
    "will",
    "would",
    "has",
    "have",
    "had",
    "do",
    "does",
    "only",
    "just",
    "more",
    "less",
    "much",
    "same",
    "one",
    "something",
    "anymore",
    "please",
    "long",
    "enough",
    "word",
    "words",
    "characters",
    "u",
    "na",
    "za",
    "je",
    "i",
    "se",
    "mi",
    "ne",
    "nije",
    "od",
    "do",
    "sam",
    "su",
    "da",
    "po",
    "iz",
    "s",
    "sa",
    "ili",
    "ali",
    "jer",
    "kad",
    "vrlo",
    "svaki",
    "isti",
    "ista",
    "predug",
    "prekratka",
    "password",
    "passphrase",
    "lozinka",
];

/// `correct horse battery staple`: four to twelve plain words up to the end of the clause, none of them the glue of
/// a sentence.
fn phrase(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', '\t', '"', '“', '\'']);
    let clause =
        rest.split(['.', ',', ';', '!', '?', ':', '(', '"', '”', '\n']).next().unwrap_or_default().trim_end();
    let mut count = 0;
    for word in clause.split_whitespace() {
        count += 1;
        let letters = word.chars().all(|character| character.is_alphabetic() || character == '-');
        let lower = word.to_lowercase();
        let glue = ABOUT.contains(&lower.as_str())
            || lower.ends_with("ly")
            || lower.ends_with("ed")
            || lower.ends_with("ing");
        if !letters || glue || word.chars().count() < 3 {
            return None;
        }
    }
    (4..=12).contains(&count).then_some(clause)
}

const MONTHS: &[&str] = &[
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "sije", "velj",
    "ožuj", "trav", "svib", "lip", "srp", "kolo", "ruj", "list", "stud", "pros",
];

/// `12 June`, `June 12`, `12. lipnja 1990.`, `12.6.1990`: a day as a password.
fn day(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', '\t', '"', '“', '\'']);
    let mut words = rest.split([' ', '\n', ',', '"', '”']);
    let (first, second) = (words.next()?, words.next().unwrap_or_default());
    let number = |word: &str| {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        (1..=4).contains(&digits)
            && matches!(&word[digits..], "" | "." | "st" | "nd" | "rd" | "th" | "!" | "?")
    };
    let month = |word: &str| {
        let lower = word.to_lowercase();
        MONTHS.iter().any(|name| lower.starts_with(name))
            && lower.chars().all(|character| character.is_alphabetic() || character == '.')
    };
    if number(first) && month(second) || month(first) && number(second) {
        return rest.get(..first.len() + 1 + second.trim_end_matches(['.', '!', '?']).len());
    }
    let parts: Vec<&str> = first.trim_end_matches('.').split(['.', '/', '-']).collect();
    let numeric = (2..=3).contains(&parts.len())
        && parts
            .iter()
            .all(|part| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()))
        && first.bytes().filter(u8::is_ascii_digit).count() >= 4
        && parts.len() == 3;
    numeric.then_some(first.trim_end_matches('.'))
}

/// `pass` in `DB_PASS`, `dbPass` or `pass:`, not in `passport`; inflected `šifru` counts.
fn stands_alone(text: &str, at: usize, end: usize) -> bool {
    let matched = text.get(at..end).unwrap_or_default();
    let before = text[..at].chars().next_back();
    let after = text[end..].chars().next();
    let inflected = matched.contains(['š', 'Š']);
    let begins = before.is_none_or(|character| !character.is_alphabetic())
        || (before.is_some_and(char::is_lowercase) && matched.starts_with(char::is_uppercase))
        || text[..at].ends_with("ftp")
        || text[..at].ends_with("db")
        || text[..at].ends_with("user");
    let ends = inflected
        || after.is_none_or(|character| {
            !character.is_alphabetic() || (character.is_uppercase() && matched.ends_with(char::is_lowercase))
        });
    begins && ends
}

/// How a value is joined to its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// `=`, `:=`, `=>`, `==`.
    Equals,
    /// `:`.
    Colon,
    /// `is`, `je`, `glasi`.
    Verb,
    /// Only space, or a comma between quoted arguments.
    Beside,
}

fn password(text: &str, at: usize, end: usize, needs_joint: bool) -> Option<SecretLike> {
    let after = window(text, end, REACH_BYTES);
    let line = after.split(['\n', '\r']).next().unwrap_or_default();
    let tail = line
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        .take(24)
        .count();
    let tail = if line[tail..].starts_with(|next: char| !next.is_ascii() && next.is_alphabetic()) {
        line.find(|next: char| !next.is_alphanumeric()).unwrap_or(line.len())
    } else {
        tail
    };
    let (joint, offset, spaced) = joint(&line[tail..])?;
    // `password is 12 June`, `passphrase is correct horse battery staple`: values of several words.
    if tail <= 2
        && matches!(joint, Joint::Verb | Joint::Colon)
        && let Some(value) = phrase(&line[tail + offset..]).or_else(|| day(&line[tail + offset..]))
    {
        let start = end + (value.as_ptr() as usize - after.as_ptr() as usize);
        return Some(SecretLike { kind: "password", span: Span::new(start, start + value.len()) });
    }
    let (value, quoted) = read_value(&line[tail + offset..], joint)?;
    let start = end + tail + offset + (value.as_ptr() as usize - line[tail + offset..].as_ptr() as usize);
    let span = Span::new(start, start + value.len());
    let rest_of_line = window(text, span.end, REACH_BYTES).split('\n').next().unwrap_or_default();
    let coded = is_coded(text, at, line, tail);
    let believable = match joint {
        Joint::Equals => believable_code(value, quoted, rest_of_line, spaced),
        Joint::Colon if coded || quoted => believable_code(value, quoted, rest_of_line, spaced),
        Joint::Colon | Joint::Verb => believable_prose(text, at, value, quoted, rest_of_line),
        Joint::Beside => {
            // `login ana password swordfish`, as in a `.netrc`.
            let login = behind(text, at, REACH_BYTES).split_whitespace().rev().nth(1) == Some("login");
            !needs_joint
                && tail == 0
                && (quoted && believable_code(value, true, rest_of_line, spaced)
                    || login && value.len() >= 4
                    || strong(value) && value.len() >= 8)
        }
    };
    believable.then_some(SecretLike { kind: "password", span })
}

/// The joint at the head of `rest`, the offset of what follows it, and whether white space follows.
fn joint(rest: &str) -> Option<(Joint, usize, bool)> {
    let closing = rest.len() - rest.trim_start_matches(['"', '\'', '`', ')', ']', '*', '\\', '}']).len();
    let after_closing = &rest[closing..];
    let trimmed = after_closing.trim_start();
    let skipped = closing + (after_closing.len() - trimmed.len());
    for (mark, joint) in [
        ("=>", Joint::Equals),
        (":=", Joint::Equals),
        ("===", Joint::Equals),
        ("==", Joint::Equals),
        ("=", Joint::Equals),
        ("->", Joint::Equals),
        (":", Joint::Colon),
        ("：", Joint::Colon),
    ] {
        if let Some(after) = trimmed.strip_prefix(mark) {
            return Some((joint, skipped + mark.len(), after.starts_with(char::is_whitespace)));
        }
    }
    // `<Pass encoding="base64">c2VjcmV0</Pass>`
    if trimmed.starts_with('>') || trimmed.starts_with("encoding=") || trimmed.starts_with("type=") {
        let close = trimmed.find('>')?;
        return Some((Joint::Equals, skipped + close + 1, false));
    }
    // `define('DB_PASSWORD', 'secret')`
    if closing > 0 && trimmed.starts_with(',') && trimmed[1..].trim_start().starts_with(['"', '\'']) {
        return Some((Joint::Equals, skipped + 1, false));
    }
    for verb in [
        "is now", "is", "was", "je sada", "je", "glasi", "mi je", "nam je", "ist", "est", "es", "to", "-",
        "–",
    ] {
        if let Some(after) = trimmed.strip_prefix(verb)
            && after.starts_with([' ', ':', '\t'])
        {
            let colon = after.trim_start().strip_prefix(':');
            let extra = colon.map_or(0, |rest| after.len() - rest.len());
            return Some((Joint::Verb, skipped + verb.len() + extra, true));
        }
    }
    if let Some(offset) = distant_joint(trimmed) {
        return Some((Joint::Verb, skipped + offset, true));
    }
    (after_closing.starts_with([' ', '\t'])).then_some((Joint::Beside, skipped, true))
}

/// `password for the wifi at home is …`: a verb or colon within a few words and the same clause.
fn distant_joint(rest: &str) -> Option<usize> {
    let clause = window(rest, 0, 56);
    let clause = clause.split(['.', '!', '?', ';', '=', ',']).next().unwrap_or_default();
    let verbs = [" is: ", " is ", " je: ", " je ", " glasi ", ": "];
    let found = verbs.iter().filter_map(|verb| clause.find(verb).map(|offset| (offset, verb.len()))).min()?;
    let begins = ["for ", "of ", "to ", "on ", "at ", "za ", "od ", "na ", "u ", "(", "mi ", "nam "];
    begins.iter().any(|begin| rest.starts_with(begin)).then_some(found.0 + found.1)
}

fn read_value(rest: &str, joint: Joint) -> Option<(&str, bool)> {
    let trimmed = rest.trim_start_matches([' ', '\t', '\\', '(']);
    let prefix_free = trimmed.strip_prefix("@\"").map_or(trimmed, |_| &trimmed[1..]);
    let first = prefix_free.chars().next()?;
    let closers: &[char] = match first {
        '"' => &['"'],
        '\'' => &['\''],
        '`' => &['`'],
        '“' | '„' => &['”', '“'],
        _ => &[],
    };
    if !closers.is_empty() {
        let inside = &prefix_free[first.len_utf8()..];
        let close = inside.find(closers).unwrap_or(inside.len());
        let value = inside[..close].trim_end_matches('\\');
        return (!value.is_empty()).then_some((value, true));
    }
    let ends = |character: char| {
        character.is_whitespace() || matches!(character, '"' | '\'' | '`' | ',' | ';' | '<' | '“' | '”')
    };
    let close = prefix_free.find(ends).unwrap_or(prefix_free.len());
    let mut value = &prefix_free[..close];
    if matches!(joint, Joint::Verb | Joint::Colon | Joint::Beside) {
        value = value.trim_end_matches(['.', ',', '?', ')', ':']);
    }
    (!value.is_empty()).then_some((value, false))
}

/// Whether the name is part of code or configuration: quoted as a key, joined by underscores, in capitals, or at the
/// beginning of its line.
fn is_coded(text: &str, at: usize, line: &str, tail: usize) -> bool {
    let before = text[..at].chars().next_back();
    let name_end = line[tail..].starts_with(['"', '\'']);
    let identifier = before
        .is_some_and(|character| matches!(character, '_' | '-' | '.') || character.is_alphanumeric())
        || tail > 1;
    name_end || identifier
}

fn placeholder(value: &str) -> bool {
    let lower = value.to_lowercase();
    let first = value.chars().next().unwrap_or(' ');
    let same = value.chars().all(|character| character == first)
        || value.chars().all(|character| matches!(character, '*' | 'x' | 'X' | '•' | '.' | '#' | '-' | '_'));
    let opens = [
        "$",
        "{",
        "<",
        "%(",
        "%{",
        "#{",
        "&lt;",
        "[",
        "@{",
        "arn:",
        "/",
        "./",
        "http://",
        "https://",
        "#add",
        "env.",
        "process.",
        "os.",
        "config.",
        "self.",
        "this.",
        "var.",
        "settings.",
    ];
    same || opens.iter().any(|open| lower.starts_with(open))
        && !strong(value.trim_start_matches(['$', '#', '%', '@', '/', '[', '{', '<']))
        || lower.starts_with("${")
        || lower.starts_with("{{")
        || lower.starts_with("$(")
        || lower.starts_with("$_")
        || value.starts_with('$') && value[1..].bytes().take(4).filter(u8::is_ascii_uppercase).count() >= 4
        || lower.starts_with("<?")
        || lower.starts_with("process.env")
        || lower.starts_with("os.environ")
        || ["your", "placeholder", "not-set", "not_set", "redacted", "insert_", "enter_", "todo"]
            .iter()
            .any(|word| lower.contains(word))
        || STOP.contains(&lower.as_str())
}

/// Words that follow the name of a password without being one.
const STOP: &[&str] = &[
    "null",
    "none",
    "nil",
    "true",
    "false",
    "undefined",
    "string",
    "str",
    "text",
    "varchar",
    "char",
    "required",
    "optional",
    "empty",
    "unknown",
    "hidden",
    "masked",
    "login",
    "username",
    "user",
    "weak",
    "strong",
    "wrong",
    "right",
    "correct",
    "incorrect",
    "invalid",
    "valid",
    "expired",
    "too",
    "not",
    "the",
    "a",
    "an",
    "my",
    "your",
    "in",
    "on",
    "at",
    "same",
    "still",
    "stored",
    "hashed",
    "encrypted",
    "saved",
    "set",
    "reset",
    "changed",
    "needed",
    "safe",
    "secure",
    "default",
    "simple",
    "complex",
    "long",
    "short",
    "easy",
    "hard",
    "only",
    "always",
    "never",
    "also",
    "now",
    "very",
    "so",
    "no",
    "yes",
    "ok",
    "and",
    "or",
    "that",
    "this",
    "what",
    "when",
    "how",
    "why",
    "if",
    "for",
    "with",
    "it",
    "is",
    "to",
    "be",
    "being",
    "minimum",
    "maximum",
    "at least",
    "manager",
    "field",
    "forgotten",
    "unique",
    "different",
    "protected",
    "compromised",
    "leaked",
    "shared",
    "written",
    "sent",
    "used",
    "known",
    "lost",
    "important",
    "dobra",
    "slaba",
    "jaka",
    "kriva",
    "točna",
    "netočna",
    "ista",
    "zaboravljena",
    "preslaba",
    "prekratka",
    "istekla",
    "promijenjena",
    "obavezna",
    "potrebna",
    "bila",
    "jako",
    "vrlo",
    "ona",
    "ono",
    "nije",
    "da",
    "na",
    "u",
    "za",
    "moja",
    "već",
    "jednostavna",
    "sigurna",
    "ovdje",
    "input",
    "value",
    "int",
    "bool",
    "boolean",
    "object",
    "array",
    "number",
    "bytes",
    "function",
    "async",
    "await",
    "new",
    "return",
    "mandatory",
    "hash",
    "authentication",
    "auth",
    "based",
    "reuse",
    "policy",
    "policies",
    "reset.",
    "admin_password",
    "one",
    "two",
    "three",
    "something",
    "anything",
    "stronger",
    "weaker",
    "longer",
    "visible",
    "case-sensitive",
    "stolen",
    "old",
    "cracked",
    "accepted",
    "rejected",
    "displayed",
    "self",
    "req",
    "res",
    "data",
    "char*",
];

fn believable_code(value: &str, quoted: bool, rest: &str, spaced: bool) -> bool {
    if value.len() < 4 || value.len() > 200 || placeholder(value) {
        return false;
    }
    if quoted {
        // A label, a path, a CSS selector or a sentence in the user interface is quoted too.
        let label = value.ends_with([':', '?', '!']) && wordy_share(value) > 0.5
            || value.split_whitespace().count() > 3 && !strong(value)
            || value.starts_with(['#', '.', '/']) && wordy_share(value) > 0.6;
        let selector = value.contains("assword") && value.contains(['-', '/', ' ', '[']);
        let expression = value.starts_with('+') || value.contains('(') && !value.contains(')');
        return !label && !selector && !expression && !value.contains("://") && !concatenated(value, rest);
    }
    let called = value.contains('(')
        || value.ends_with(['{', '['])
        || rest.starts_with('(')
        || value.contains("[\"")
        || value.contains("['")
        || value.starts_with('(')
        || value.contains("::");
    let member = value.contains('.')
        && value.split('.').all(|part| part.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_'));
    let identifier = value.to_lowercase().contains("password")
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && spaced;
    let sentence = rest.split_whitespace().next().is_some_and(|next| next.starts_with(char::is_alphabetic))
        && !strong(value)
        && spaced;
    let plain_variable = spaced
        && !strong(value)
        && (rest.starts_with([',', ')', ';']) || value.bytes().any(|byte| byte.is_ascii_uppercase()));
    let named = repeats_name(value) && spaced;
    !(called || member || identifier || sentence || plain_variable || named)
}

/// `"user:" + name + "…"`: the literal is only a piece of an expression.
fn concatenated(value: &str, rest: &str) -> bool {
    let rest = rest.trim_start_matches(['"', '\'']).trim_start();
    rest.starts_with('+') && wordy_share(value) > 0.4 || value.contains(" + ")
}

/// A name or type repeated in prose or a declaration is no value; in quotes, or after a bare `=`, it is a bad one.
fn repeats_name(value: &str) -> bool {
    matches!(value.to_lowercase().as_str(), "password" | "passwords" | "passwd" | "pwd" | "secret" | "pass")
}

fn believable_prose(text: &str, at: usize, value: &str, quoted: bool, rest: &str) -> bool {
    if value.len() < 4
        || value.len() > 100
        || placeholder(value)
        || repeats_name(value)
        || value.contains("://")
    {
        return false;
    }
    if quoted {
        return value.split_whitespace().count() <= 6 && !value.ends_with(':');
    }
    if strong(value) {
        return true;
    }
    // "my password is swordfish": a plain word counts if somebody's password is said to be just that word.
    let before = behind(text, at, 40).trim_end().to_lowercase();
    let owned = ["my", "our", "the wifi", "wi-fi", "wifi", "moja", "mi", "naša"]
        .iter()
        .any(|word| before.ends_with(word));
    let verbal = window(text, at, 2 * REACH_BYTES).find(value).is_some_and(|offset| {
        let between = &text[at..at + offset];
        between.contains(" is ")
            || between.contains(" je ")
            || between.contains(" glasi ")
            || between.contains(':')
    });
    let rest = rest.trim_start_matches([' ', '.', '!', ')', '"']);
    let alone = rest.is_empty()
        || rest.starts_with(|next: char| next.is_uppercase())
        || rest.starts_with("and ")
        || rest.starts_with("i ")
        || rest.starts_with(',');
    let adjective = ["ed", "ing", "able", "ible", "ful", "ous", "ive", "less", "ly"]
        .iter()
        .any(|end| value.ends_with(end));
    let mi_je = window(text, at, 60).to_lowercase().contains(" mi je ");
    (owned || mi_je)
        && verbal
        && alone
        && !adjective
        && value.len() >= 5
        && value.chars().all(char::is_alphanumeric)
}

/// No ordinary word: letters with digits or inner marks, or capitals inside.
fn strong(value: &str) -> bool {
    let classes = Classes::of(value);
    let inner_mark =
        value.trim_matches(|character: char| !character.is_alphanumeric()).chars().any(|character| {
            !character.is_alphanumeric()
                && !matches!(character, '-' | '\'' | '’' | '.' | '/' | ',' | '_' | ':' | '(' | ')')
        });
    let end_mark =
        value.ends_with(['!', '$', '#', '@', '%', '^', '&', '*']) && value.len() >= 6 && classes.digits > 0;
    let mixed = classes.letters() >= 2 && classes.digits >= 1 && value.len() >= 5;
    // `8-12`, `2FA`, `SHA256`, `16-character`
    let measure = value.bytes().take_while(u8::is_ascii_digit).count() > 0
        && value[value.bytes().take_while(u8::is_ascii_digit).count()..].starts_with('-');
    let named = matches!(
        value.to_lowercase().as_str(),
        "sha256"
            | "sha-256"
            | "sha512"
            | "sha-512"
            | "md5"
            | "bcrypt2"
            | "oauth2"
            | "oauth2.0"
            | "base64"
            | "utf8"
            | "utf-8"
            | "argon2"
            | "argon2id"
            | "pbkdf2"
            | "iso27001"
            | "1password"
    );
    (mixed
        || inner_mark && value.len() >= 5
        || end_mark
        || classes.digits >= 6 && classes.letters() == 0 && classes.marks == 0)
        && !measure
        && !named
}

/// Names of things that are random and open, when they stand right before a token.
const OPEN: &[&str] = &[
    "commit",
    "sha",
    "sha1",
    "sha256",
    "sha512",
    "hash",
    "md5",
    "revision",
    "rev",
    "checksum",
    "digest",
    "etag",
    "uuid",
    "guid",
    "isbn",
    "order",
    "tracking",
    "invoice",
    "serial",
    "version",
    "tag",
    "branch",
    "build",
    "integrity",
    "issn",
    "imei",
    "vin",
    "iban",
    "public",
    "publickey",
    "pubkey",
    "fingerprint",
    "thumbprint",
    "file",
    "image",
];

fn key(text: &str, end: usize, weak: bool) -> Option<SecretLike> {
    let after = window(text, end, REACH_BYTES);
    let after = after.split("\n\n").next().unwrap_or_default();
    let separates = |character: char| {
        character.is_whitespace()
            || matches!(
                character,
                '"' | '\''
                    | '`'
                    | ','
                    | ';'
                    | '('
                    | ')'
                    | '<'
                    | '>'
                    | '{'
                    | '}'
                    | '['
                    | ']'
                    | '='
                    | ':'
                    | '&'
                    | '|'
                    | '“'
                    | '”'
                    | '„'
                    | '\\'
            )
    };
    if let Some(found) = quoted_noise(text, end, after) {
        return Some(found);
    }
    let mut assigned = false;
    let mut previous = "";
    let mut tokens = 0;
    let mut at = 0;
    while at < after.len() {
        let rest = &after[at..];
        let gap = rest.find(|character: char| !separates(character)).unwrap_or(rest.len());
        assigned |= rest[..gap].contains(['=', ':', '>'])
            || rest[..gap].contains("',")
            || rest[..gap].contains("\",");
        let token_start = at + gap;
        let body = &after[token_start..];
        let length = body.find(separates).unwrap_or(body.len());
        if length == 0 {
            break;
        }
        let token = &body[..length];
        at = token_start + length;
        tokens += 1;
        let whole = end + at < text.len() && at == after.len() && after.len() >= REACH_BYTES - 3;
        // A token that the window cut is judged by what is there.
        let token_end = if whole { grow(text, end + at, separates) } else { end + at };
        let verb = matches!(token, "is" | "je" | "glasi" | "to");
        assigned |= verb && tokens <= 2;
        let open = OPEN
            .contains(&previous.to_lowercase().trim_matches(|character: char| !character.is_alphanumeric()));
        let linked = token.contains("//")
            || behind(text, end + token_start, REACH_BYTES)
                .rsplit(char::is_whitespace)
                .next()
                .is_some_and(|glued| glued.contains("://") && !glued.ends_with(['=', ':']));
        let joined = assigned && tokens <= 3;
        let demand = match (weak, joined, tokens) {
            (false, true, _) | (false, false, 1) => Demand::Assigned,
            // `atlassian_key = …`: part of an identifier and assigned at once.
            (true, true, 1) => Demand::Assigned,
            (false, false, _) => Demand::Near,
            (true, _, _) => Demand::Weak,
        };
        let candidate = text.get(end + token_start..token_end).unwrap_or(token);
        let uuid = candidate.len() == 36 && candidate.matches('-').count() == 4;
        let too_open = open || linked || (uuid && weak && !assigned && tokens > 2);
        if !too_open && random_named(candidate, demand) && !placeholder(candidate) {
            return Some(SecretLike { kind: "api_key", span: Span::new(end + token_start, token_end) });
        }
        if tokens >= 6 || at > 90 {
            break;
        }
        previous = token;
    }
    None
}

/// `'AUTH_KEY', 'MW1pxM>%0Vl 2(#o…'`: a long quoted value of all kinds of characters, spaces among them.
fn quoted_noise(text: &str, end: usize, after: &str) -> Option<SecretLike> {
    let line = after.split('\n').next()?;
    let name = line.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let open = line[name..].trim_start_matches(['"', '\'']);
    let joint = open.trim_start_matches([' ', ',', '=', ':', '>', '\t', '(']);
    let mark = joint.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
    let start = end + (line.len() - joint.len()) + 1;
    let value = window(text, start, 200).split([mark, '\n']).next()?;
    let classes = Classes::of(value);
    let noise = value.len() >= 24
        && classes.marks >= 5
        && classes.lower >= 3
        && classes.upper >= 3
        && classes.digits >= 2
        && classes.changes * 2 >= value.len()
        && wordy_share(value) < 0.3;
    (noise && open.len() > joint.len())
        .then(|| SecretLike { kind: "api_key", span: Span::new(start, start + value.len()) })
}

fn grow(text: &str, from: usize, separates: impl Fn(char) -> bool) -> usize {
    let rest = window(text, from, 600);
    from + rest.find(separates).unwrap_or(rest.len())
}

/// "hunter2! is my password": the value before its name.
fn told_before(text: &str, at: usize, kind: &'static str) -> Option<SecretLike> {
    let before = behind(text, at, 90);
    let from = at - before.len();
    let lower = before.to_ascii_lowercase();
    let joints = [
        " is my ",
        " is our ",
        " is the ",
        " je moja ",
        " je moj ",
        " je naša ",
        " as my ",
        " as the ",
        " as ",
    ];
    let (offset, joint) =
        joints.iter().filter_map(|joint| lower.rfind(joint).map(|offset| (offset, *joint))).max()?;
    // No more than a few words between: "is my new wifi password".
    if before[offset + joint.len()..].split_whitespace().count() > 3
        || before[offset..].contains(['.', '\n', '?'])
    {
        return None;
    }
    let value = before[..offset]
        .rsplit(|character: char| {
            character.is_whitespace() || matches!(character, '"' | '\'' | '`' | '“' | '„')
        })
        .find(|part| !part.is_empty())?;
    let start = from + (value.as_ptr() as usize - before.as_ptr() as usize);
    let value = value.trim_end_matches([',', '.', ':']);
    let secret = if kind == "password" {
        strong(value) && value.len() >= 6 && !placeholder(value)
    } else {
        random_named(value, Demand::Assigned)
    };
    secret.then_some(SecretLike { kind, span: Span::new(start, start + value.len()) })
}

/// `PIN 1234`, `PIN za karticu je 1234`, `CVV: 123`.
fn pin(text: &str, at: usize, end: usize) -> Option<SecretLike> {
    let matched = text.get(at..end)?;
    let before = text[..at].chars().next_back();
    if before.is_some_and(char::is_alphanumeric) {
        return None;
    }
    let rest = window(text, end, 60);
    let tail = rest.find(|character: char| !character.is_alphabetic()).unwrap_or(rest.len());
    // `pina`, `PIN-u`; not `pinned` or `pink`.
    if tail > 1 {
        return None;
    }
    let line = rest[tail..].split(['\n', '.', '!', '?', ';']).next().unwrap_or_default();
    let digits_at = line.find(|character: char| character.is_ascii_digit())?;
    let between = line[..digits_at].trim();
    let words = between.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut count = 0;
    let mut joined = between.is_empty() || between.ends_with([':', '=', '#']) || between == "-";
    for word in words {
        count += 1;
        joined |= matches!(word, "is" | "je" | "kod" | "code" | "glasi" | "broj" | "number" | "was" | "to");
    }
    let digits = &line[digits_at..];
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let after = digits[length..].chars().next();
    let card = !matched.eq_ignore_ascii_case("pin") && !matched.eq_ignore_ascii_case("otp");
    let fits = if card { (3..=4).contains(&length) } else { (4..=8).contains(&length) };
    // `pin 2.0`, `pin 1234-5` and `pin 1000 nails` are something else.
    let ends = after.is_none_or(|next| !next.is_alphanumeric() && !matches!(next, '-' | '/' | ':' | '%'));
    let counted = digits[length..].trim_start().starts_with(|next: char| next.is_lowercase())
        && between.is_empty()
        && !matched.contains("PIN");
    let postal = between.starts_with("code") && length == 6;
    let start = end + tail + digits_at;
    (fits && ends && joined && count <= 6 && !counted && !postal)
        .then_some(SecretLike { kind: "pin", span: Span::new(start, start + length) })
}
