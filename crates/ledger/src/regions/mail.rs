//! Forwarded and answered mail: separators, "X wrote" lines, header blocks.
//!
//! The phrases are those mail programs write in English, Croatian (and its neighbours), German, French, Spanish and
//! Italian. They are facts of those programs, kept as tables.

use std::sync::LazyLock;

use regex::Regex;

use super::line::Lines;
use super::{Region, RegionKind, quoted_until};

/// Longer lines are no mail header; this bounds what a pattern sees of one line.
const HEADER_BYTES_MAX: usize = 500;

/// A block of headers is judged by its first lines; this keeps a text of nothing but headers linear.
const HEADER_LINES_MAX: usize = 24;

/// `---- Forwarded message ----`, with marks on at least one side.
static SEPARATOR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\s*(?:[-_*=]{2,}\s*(?:PHRASE)\s*:?\s*[-_*=]*|(?:PHRASE)\s*[-_*=]{2,})\s*(?:$|from\b|od\b|von\b|de\b|da\b)",
        "original message|originalna poruka|izvorna poruka|izvorna e-poruka|originalno sporočilo|urspr[üu]ngliche nachricht\
         |original-nachricht|message d'origine|message original|mensaje original|messaggio originale\
         |forwarded message|forwarded by .{0,60}|proslijeđena poruka|prosljeđena poruka|proslijeđeno|weitergeleitete nachricht\
         |message transféré|mensaje reenviado|messaggio inoltrato|begin forwarded message",
    )
});

/// A line of its own that says a forwarded mail begins.
static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\s*(?:PHRASE)\s*:?\s*$",
        "begin forwarded message\\s*:|početak proslijeđene poruke|proslijeđena poruka|prosljeđena poruka|započni proslijeđenu poruku\
         |anfang der weitergeleiteten (?:nachricht|e-mail)|début du message (?:transféré|réexpédié)|inicio del mensaje reenviado\
         |inizio (?:del )?messaggio inoltrato|forwarded message\\s*:|original message\\s*:|fwd\\s*:|fw\\s*:",
    )
});

/// `On Mon, 5 Jan 2026 at 10:00, Bob <bob@example.com> wrote:`
static WROTE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\s*(?:(?:on|dana|dne|u|am|le|el|il|il giorno|den)\s.{0,300}?\b|.{0,200}[\d@].{0,200}?\s|[\p{L} .,'<>@-]{2,80}\s)(?:PHRASE)\s*:",
        "wrote|je napisao|je napisala|je napisao/la|je napisao/napisala|napisao je|napisala je|napisao/la je|je pisao|je pisala\
         |piše|schrieb(?:en)?(?: .{0,60}?)?|hat geschrieben|a écrit|escribió|ha scritto",
    )
});

/// What proves that a "wrote" line was written by a program: a date, a time or an address.
static DATED: LazyLock<Regex> = LazyLock::new(|| pattern(r"@|\d{1,2}:\d{2}|\d{4}|\d{1,2}[./]\s?\d{1,2}", ""));

static OWN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:i|we)\s+(?:\p{L}+\s+)?wrote\s*:|\b(?:sam|smo)\s+napisa|\bnapisa(?:o|la|li)\s+(?:sam|smo)\b|\b(?:ich|j'ai)\b",
        "",
    )
});

static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\s*[*_]{0,2}(?:(?P<from>from|od|šalje|pošiljatelj|von|de|da|expéditeur|sender)|(?P<to>to|cc|bcc|za|kome|prima|primatelj|kopija|an|à|para|a|pour|destinataire|reply-to|delivered-to)|(?P<sent>sent|poslano|gesendet|envoyé|enviado(?: el)?|inviato)|(?P<date>date|datum|fecha|data)|(?P<subject>subject|predmet|naslov|betreff|objet|asunto|oggetto)|(?P<technical>message-id|return-path|received|mime-version|content-type|x-mailer|x-originating-ip|in-reply-to|dkim-signature))\s*[*_]{0,2}\s*:[*_]{0,2}(?:\s|$)",
        "",
    )
});

/// All headers run together in one line, as copying from some programs leaves them.
static SQUEEZED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:from|od|von|de|da)\s*:.{1,200}\b(?:to|za|prima|an|à|para|a|sent|poslano|gesendet|envoyé|enviado|inviato|date|datum)\s*:.{1,200}\b(?:subject|predmet|betreff|objet|asunto|oggetto)\s*:",
        "",
    )
});

static END: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\s*[-_*=]{2,}\s*(?:PHRASE)\s*[-_*=]*\s*$",
        "end (?:of )?(?:the )?(?:forwarded|original) message|kraj (?:proslijeđene|izvorne) poruke|ende der weitergeleiteten nachricht\
         |fin du message transféré|fin del mensaje reenviado|fine (?:del )?messaggio inoltrato",
    )
});

/// These patterns are constants of this file, and every one is compiled by the tests.
fn pattern(frame: &str, phrases: &str) -> Regex {
    Regex::new(&frame.replace("PHRASE", phrases)).expect("a constant pattern")
}

/// From each mail's first mark to its end.
pub(super) fn forwarded(lines: &Lines<'_>, found: &mut Vec<Region>) {
    let mut at = 0;
    while at < lines.len() {
        let Some(body) = mail_body(lines, at) else {
            at += 1;
            continue;
        };
        let end = block_end(lines, body);
        found.push(lines.region(at..end, RegionKind::ForwardedMail));
        at = end.max(at + 1);
    }
}

/// If a mail begins at line `at`: the first line of what it says.
fn mail_body(lines: &Lines<'_>, at: usize) -> Option<usize> {
    let line = head(lines, at)?;
    // Each pattern needs one of these, and most lines have none.
    let colon = line.contains(':');
    let marked = ["--", "__", "**", "=="].iter().any(|marks| line.contains(marks));
    if marked && SEPARATOR.is_match(&line) {
        return Some(at + 1);
    }
    if BEGINS.is_match(&line) && announces_mail(lines, at, &line) {
        return Some(at + 1);
    }
    if colon && is_wrote(&line) {
        return Some(at + 1);
    }
    if !colon {
        return wrapped_wrote(lines, at, &line);
    }
    if SQUEEZED.is_match(&line) {
        return Some(at + 1);
    }
    header_block(lines, at).or_else(|| wrapped_wrote(lines, at, &line))
}

fn head(lines: &Lines<'_>, at: usize) -> Option<String> {
    let line = lines.bare(at);
    let line = line.trim();
    (!line.is_empty() && line.len() <= HEADER_BYTES_MAX).then(|| line.to_owned())
}

/// `Proslijeđena poruka` without marks or colon is a mail only when something is under it.
fn announces_mail(lines: &Lines<'_>, at: usize, line: &str) -> bool {
    line.ends_with(':') || (at + 1 < lines.len() && !lines.is_blank(at + 1))
}

fn is_wrote(line: &str) -> bool {
    let Some(wrote) = WROTE.find(line) else { return false };
    let named = line.to_lowercase();
    let dated = DATED.is_match(wrote.as_str()) || named.starts_with("dana ");
    dated && !OWN.is_match(wrote.as_str())
}

/// A "wrote" line that its program broke in two.
fn wrapped_wrote(lines: &Lines<'_>, at: usize, line: &str) -> Option<usize> {
    let begins =
        ["On ", "Dana ", "Am ", "Le ", "El ", "Il ", "U ", "Dne "].iter().any(|word| line.starts_with(word));
    if !begins || !DATED.is_match(line) {
        return None;
    }
    let next = head(lines, at + 1)?;
    (next.contains(':') && is_wrote(&format!("{line} {next}"))).then_some(at + 2)
}

/// Two or more header lines together that name a sender: with an address, or with a subject, or with sent and to.
/// A travel plan (`From: Zagreb`, `To: Split`, `Date: 12 June`) is none.
fn header_block(lines: &Lines<'_>, first: usize) -> Option<usize> {
    let (mut from, mut to, mut sent, mut subject, mut technical, mut address) =
        (false, false, false, false, 0, false);
    let mut at = first;
    let mut count = 0;
    while at - first < HEADER_LINES_MAX {
        let Some(line) = head(lines, at) else { break };
        let Some(header) = HEADER.captures(&line) else { break };
        let has = |name| header.name(name).is_some();
        from |= has("from");
        to |= has("to");
        sent |= has("sent");
        subject |= has("subject");
        technical += usize::from(has("technical"));
        address |= (has("from") || has("to") || has("technical")) && line.contains('@');
        count += 1;
        at += 1;
    }
    let mail = count >= 2 && (address || (from && subject) || (from && sent && to) || technical >= 2);
    mail.then_some(at)
}

/// Where the mail that says its first words at line `body` ends.
fn block_end(lines: &Lines<'_>, body: usize) -> usize {
    let mut at = body;
    while at < lines.len()
        && (lines.is_blank(at) || head(lines, at).is_some_and(|line| HEADER.is_match(&line)))
    {
        at += 1;
    }
    if at < lines.len() && lines.is_quoted(at) {
        return quoted_block_end(lines, at);
    }
    while at < lines.len() {
        if head(lines, at).is_some_and(|line| line.contains("--") && END.is_match(&line)) {
            return at + 1;
        }
        at += 1;
    }
    lines.len()
}

/// Quoted lines, and the blank ones between them.
fn quoted_block_end(lines: &Lines<'_>, first: usize) -> usize {
    let mut end = quoted_until(lines, first);
    loop {
        let mut next = end;
        while next < lines.len() && lines.is_blank(next) {
            next += 1;
        }
        if next >= lines.len() || !lines.is_quoted(next) {
            return end;
        }
        end = quoted_until(lines, next);
    }
}
