//! Credentials that are known by their structure.

use super::shape::{Classes, Demand, Words, random_named};
use super::triggers::Structure;
use super::{SecretLike, window};
use crate::quote::Span;

/// The structure that begins at `at`, if it is whole.
pub(super) fn at(text: &str, at: usize, structure: Structure) -> Option<SecretLike> {
    match structure {
        Structure::Pem => private_key(text, at),
        Structure::Jwt => web_token(text, at),
        Structure::Address => address(text, at),
        Structure::Hash => password_hash(text, at),
        Structure::Webhook => webhook(text, at),
        Structure::Putty => putty(text, at),
        Structure::CommandLine => command_line(text, at),
        Structure::PasswordFile => password_file(text, at),
    }
}

fn private_key(text: &str, at: usize) -> Option<SecretLike> {
    let head = window(text, at, 80);
    let head = head.split('\n').next()?.to_ascii_lowercase();
    head.contains("private").then(|| {
        // The words of the key up to its end mark, or as much as a line of it.
        let block = window(text, at, 8_192);
        let end = block.to_ascii_lowercase().find("-----end").map_or(head.len(), |offset| offset);
        SecretLike { kind: "private_key", span: Span::new(at, at + end.max(1).min(block.len())) }
    })
}

fn putty(text: &str, at: usize) -> Option<SecretLike> {
    let line = window(text, at, 120);
    let line = line.split('\n').next()?;
    let value = line.split(':').nth(1)?.trim();
    let number = value.bytes().next().is_some_and(|byte| byte.is_ascii_hexdigit());
    number.then_some(SecretLike { kind: "private_key", span: Span::new(at, at + line.trim_end().len()) })
}

fn web_token(text: &str, at: usize) -> Option<SecretLike> {
    let rest = window(text, at, 8_192);
    let inside = |before: char| before.is_alphanumeric() || matches!(before, '_' | '-' | '.');
    if !rest.starts_with("eyJ") || text[..at].ends_with(inside) {
        return None;
    }
    let length = rest
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        .count();
    let mut parts = rest[..length].split('.');
    let header = parts.next()?;
    let payload = parts.next()?;
    let signature = parts.next().unwrap_or_default();
    // An unsigned token (empty third part) opens as much where it is accepted.
    let whole =
        header.len() >= 12 && payload.len() >= 10 && (payload.starts_with("eyJ") || signature.len() >= 10);
    whole.then_some(SecretLike { kind: "jwt", span: Span::new(at, at + length) })
}

/// `scheme://user:password@host`, and a token in place of the user.
fn address(text: &str, at: usize) -> Option<SecretLike> {
    let start = at + 3;
    let rest = window(text, start, 400);
    let ends = |character: char| {
        character.is_whitespace() || matches!(character, '"' | '\'' | '`' | '<' | '>' | '/' | '?' | ',' | ')')
    };
    let authority = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let login = &authority[..authority.rfind('@')?];
    let host = &authority[login.len() + 1..];
    if host.is_empty() {
        return None;
    }
    match login.split_once(':') {
        Some((_, password)) => {
            let plain = password.trim_matches(['*', 'x', '.']);
            let template = password.starts_with(['$', '{', '<', '%', '['])
                && password.ends_with(['}', '>', ')', ']', '%'])
                || password.starts_with("${")
                || password.starts_with('$')
                    && password.bytes().skip(1).all(|byte| byte.is_ascii_uppercase() || byte == b'_');
            let password_start = start + login.len() - password.len();
            (!plain.is_empty() && !template).then_some(SecretLike {
                kind: "url_credentials",
                span: Span::new(password_start, password_start + password.len()),
            })
        }
        None => random_named(login, Demand::Assigned)
            .then_some(SecretLike { kind: "url_credentials", span: Span::new(start, start + login.len()) }),
    }
}

fn password_hash(text: &str, at: usize) -> Option<SecretLike> {
    let rest = window(text, at, 1_024);
    let ends = |character: char| {
        character.is_whitespace()
            || matches!(character, '"' | '\'' | '`' | ',' | ';' | '<' | '|')
            || !character.is_ascii()
    };
    let token = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let token = token
        .split_once(':')
        .filter(|(head, _)| head.len() >= 25 && !head.starts_with("$krb5"))
        .map_or(token, |(head, _)| head);
    let dollars = token.matches('$').count();
    let shaped = token.starts_with('{') && token.len() >= 30
        || dollars >= 3 && token.len() >= 24
        || (token.starts_with("$P$B") || token.starts_with("$H$9") || token.starts_with("$S$D"))
            && token.len() >= 30;
    let classes = Classes::of(token);
    (shaped && classes.alphanumeric() >= 18)
        .then_some(SecretLike { kind: "password_hash", span: Span::new(at, at + token.len()) })
}

fn webhook(text: &str, at: usize) -> Option<SecretLike> {
    let rest = window(text, at, 300);
    let ends = |character: char| {
        character.is_whitespace() || matches!(character, '"' | '\'' | '`' | '<' | '>' | ')' | '\\')
    };
    let address = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let classes = Classes::of(address);
    let secret = address.len() >= 34 && classes.digits >= 4;
    secret.then_some(SecretLike { kind: "url_credentials", span: Span::new(at, at + address.len()) })
}

/// Passwords given to a program: `psexec … -p secret`, `curl -u name:secret`, `new NetworkCredential("name", "secret")`.
fn command_line(text: &str, at: usize) -> Option<SecretLike> {
    let line = window(text, at, 300);
    let called = line.to_ascii_lowercase();
    if called.starts_with("login(") {
        return login_call(text, at);
    }
    if called.starts_with("directoryentry(")
        || called.starts_with("networkcredential(")
        || called.starts_with("convertto")
    {
        let last = line[..line.find(");").or_else(|| line.find(" -AsPlain")).unwrap_or(line.len())]
            .rfind(['"', '\''])?;
        let value = line[..last]
            .rsplit(['"', '\''])
            .next()
            .filter(|value| value.len() >= 4 && !value.contains(' '))?;
        let start = at + last - value.len();
        return Some(SecretLike { kind: "password", span: Span::new(start, start + value.len()) });
    }
    let line = line.split('\n').next()?;
    let (flags, pair): (&[&str], bool) = if called.starts_with("curl") {
        (&[" -u ", " --user ", " -u\t"], true)
    } else {
        (&[" -p ", " -p", " --password=", " --password "], false)
    };
    let (start, value) = flags.iter().find_map(|flag| {
        let found = line.find(flag)? + flag.len();
        let rest = line[found..].trim_start_matches(['"', '\'', ' ']);
        let start = found + (line[found..].len() - rest.len());
        let value = rest
            .split(|character: char| character.is_whitespace() || matches!(character, '"' | '\''))
            .next()?;
        Some((start, value))
    })?;
    let secret = if pair { value.split_once(':').map(|(_, secret)| secret)? } else { value };
    let real =
        secret.len() >= 4 && !secret.starts_with(['$', '<', '{', '-', '%']) && !secret.starts_with("http");
    real.then_some(SecretLike { kind: "password", span: Span::new(at + start, at + start + value.len()) })
}

/// `host:5432:database:user:password`, a line of PostgreSQL's password file.
fn password_file(text: &str, at: usize) -> Option<SecretLike> {
    let rest = window(text, at + ":5432:".len(), 200);
    let line = rest.split(char::is_whitespace).next()?;
    let mut parts = line.splitn(3, ':');
    let (database, user, password) = (parts.next()?, parts.next()?, parts.next()?);
    let start = at + ":5432:".len() + line.len() - password.len();
    let whole = !database.is_empty() && !user.is_empty() && password.len() >= 4;
    whole.then(|| SecretLike { kind: "password", span: Span::new(start, start + password.len()) })
}

/// `login('name', 'secret'`: the second of two quoted arguments.
fn login_call(text: &str, at: usize) -> Option<SecretLike> {
    let start = at + "login(".len();
    let rest = window(text, start, 200);
    let mark = rest.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
    let name_end = 1 + rest[1..].find(mark)?;
    let between = &rest[name_end + 1..];
    let second = between.trim_start().strip_prefix(',')?.trim_start().strip_prefix(mark)?;
    let value = second.split(mark).next().filter(|value| value.len() >= 4)?;
    let value_start = start + rest.len() - second.len();
    Some(SecretLike { kind: "password", span: Span::new(value_start, value_start + value.len()) })
}

/// 13 to 19 digits, in one piece or in groups of a card, with an issuer's beginning and a true Luhn sum.
pub(super) fn card_number(text: &str, words: &Words) -> Option<SecretLike> {
    if words.digits < 13 {
        return None;
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        let mut digits: Vec<u8> = Vec::new();
        let mut groups: Vec<usize> = vec![0];
        let mut end = at;
        while at < bytes.len() {
            if bytes[at].is_ascii_digit() {
                digits.push(bytes[at] - b'0');
                if let Some(group) = groups.last_mut() {
                    *group += 1;
                }
                at += 1;
                end = at;
            } else if matches!(bytes[at], b' ' | b'-') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
                groups.push(0);
                at += 1;
            } else {
                break;
            }
        }
        let neighbour = |byte: Option<&u8>| {
            byte.is_some_and(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'/' | b'#' | b'-')
            })
        };
        let free = !neighbour(start.checked_sub(1).and_then(|before| bytes.get(before)))
            && !bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let grouped = groups.len() == 1
            || matches!(
                groups.as_slice(),
                [4, 4, 4, 4] | [4, 6, 5] | [4, 4, 4, 4, 3] | [4, 6, 4] | [4, 4, 4, 1]
            );
        if free && grouped && is_card(&digits) {
            return Some(SecretLike { kind: "card_number", span: Span::new(start, end) });
        }
        at = at.max(start + 1);
    }
    None
}

fn is_card(digits: &[u8]) -> bool {
    let number =
        |count: usize| digits.iter().take(count).fold(0_u32, |value, digit| value * 10 + u32::from(*digit));
    let issuer = match digits.len() {
        13 | 19 => number(1) == 4,
        14 => matches!(number(2), 36 | 38) || (300..=305).contains(&number(3)),
        15 => matches!(number(2), 34 | 37),
        16 => {
            number(1) == 4
                || (51..=55).contains(&number(2))
                || (2221..=2720).contains(&number(4))
                || number(4) == 6011
                || number(2) == 65
                || (3528..=3589).contains(&number(4))
                || matches!(number(4), 5018 | 5020 | 5038 | 6304 | 6759 | 6761 | 6763)
        }
        _ => false,
    };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let value = u32::from(*digit) * if place % 2 == 1 { 2 } else { 1 };
            if value > 9 { value - 9 } else { value }
        })
        .sum();
    issuer && sum.is_multiple_of(10) && digits.windows(2).any(|pair| pair[0] != pair[1])
}

/// 12, 15, 18, 21 or 24 words of a recovery phrase: plain lower-case words of three to eight letters, none of the
/// little words a sentence cannot do without.
pub(super) fn seed_phrase(text: &str, words: &Words) -> Option<SecretLike> {
    // Numbered phrases ("1. apple 2. river …") have no row of words, but their digits.
    if words.lower_row_max < 12 && words.digits < 12 {
        return None;
    }
    let mut row: Vec<Span> = Vec::new();
    let mut offset = 0;
    for line_piece in text.split_inclusive(char::is_whitespace) {
        let start = offset;
        offset += line_piece.len();
        let piece = line_piece.trim_end();
        let word = piece.trim_matches([',', '.', ')', '"', '\'', '`', ':', ';']);
        let number = !piece.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        if piece.is_empty() || number {
            continue;
        }
        let labelled = piece.ends_with(':');
        let lower = word.bytes().all(|byte| byte.is_ascii_lowercase()) && (3..=8).contains(&word.len());
        if lower && !LITTLE.contains(&word) && !labelled {
            row.push(Span::new(start, start + piece.len()));
            continue;
        }
        if let Some(found) = phrase(text, &row) {
            return Some(found);
        }
        row.clear();
    }
    phrase(text, &row)
}

fn phrase(text: &str, row: &[Span]) -> Option<SecretLike> {
    if !matches!(row.len(), 12 | 15 | 18 | 21 | 24) {
        return None;
    }
    let words: Vec<&str> = row.iter().filter_map(|span| span.slice(text)).collect();
    let ends =
        |word: &&&str, list: &[&str]| list.iter().any(|end| word.trim_end_matches([',', '.']).ends_with(end));
    // The word lists hold stems: few endings of grammar, and no Croatian vowel ends.
    let inflected =
        words.iter().filter(|word| ends(word, &["ed", "ing", "ly", "s", "a", "i", "o", "u"])).count();
    let mut distinct = words.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let real = inflected * 3 <= words.len() && distinct.len() * 4 >= words.len() * 3;
    let span = Span::new(row.first()?.start, row.last()?.end);
    real.then_some(SecretLike { kind: "seed_phrase", span })
}

/// Words of three letters or more that sentences need and recovery phrases do not have.
const LITTLE: &[&str] = &[
    "the", "and", "for", "are", "was", "were", "with", "from", "not", "his", "her", "had", "but", "been",
    "them", "she", "its", "our", "their", "your", "has", "him", "than", "these", "those", "would", "could",
    "which", "because", "into", "also", "very", "some", "more", "most", "like", "want", "need", "make",
    "made", "get", "got", "how", "who", "why", "did", "does", "let", "too", "way", "out", "see", "now",
    "new", "please", "while", "after", "before", "should", "being", "having", "going", "each", "nije", "sam",
    "kao", "ali", "ili", "kad", "koji", "koja", "koje", "što", "sve", "već", "još", "jer", "moj", "ima",
    "bih", "smo", "ste", "biti",
];
