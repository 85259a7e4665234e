//! Chats written as lines of text: `when - who: words`, continued on the lines below.
//!
//! WhatsApp writes the date as the phone's locale does, and the file does not say which locale that was. The order of
//! day and month is therefore decided from the whole file: a number over 12 settles it; else the order in which time
//! runs backwards less often; else it is assumed and the assumption said. Ids are made from the time *as written*, so
//! they do not change when a later export settles the order.
//!
//! Nothing in such a file tells a message from a pasted line that looks like one. Whoever wrote to the owner could have
//! written such a line, so the notices say it whenever an owner is named.

use std::{collections::BTreeSet, sync::LazyLock};

use jiff::{ZonedDateTime, civil, tz::TimeZone};
use regex::Regex;

use crate::{
    Attachment, Author, Fidelity, Reason,
    collect::{Collector, Id, Words},
    decode::File,
};

/// Which program wrote the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    Whatsapp,
    Signal,
}

/// `date, time - rest` or `[date, time] rest`, with the marks of writing direction some phones put in front.
/// `\s` includes the narrow no-break space that newer phones write before AM and PM.
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^[\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]*(?P<open>\[)?",
        r"(?P<date>(?P<a>\d{1,4})(?P<mark>[./-])\s?(?P<b>\d{1,2})[./-]\s?(?P<c>\d{1,4}))\.?,?\s+(?:\p{L}{1,3}\s)?",
        r"(?P<time>(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?",
        r"(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\.?)?)",
        r"(?:(?P<close>\])|\s[-–—])\s(?P<rest>.*)$",
    ))
    .unwrap_or_else(|error| unreachable!("a constant pattern: {error}"))
});

/// What stands in for a message that holds no words, and the reason that makes. Matched whole.
const PLACEHOLDERS: &[(&str, Reason)] = &[
    ("<Media omitted>", Reason::NoText),
    ("<Medien ausgeschlossen>", Reason::NoText),
    ("<Multimedia omitido>", Reason::NoText),
    ("<Médias omis>", Reason::NoText),
    ("<Media omessi>", Reason::NoText),
    ("<Medijski zapis izostavljen>", Reason::NoText),
    ("image omitted", Reason::NoText),
    ("video omitted", Reason::NoText),
    ("audio omitted", Reason::NoText),
    ("sticker omitted", Reason::NoText),
    ("GIF omitted", Reason::NoText),
    ("document omitted", Reason::NoText),
    ("Contact card omitted", Reason::NoText),
    ("This message was deleted", Reason::Deleted),
    ("This message was deleted.", Reason::Deleted),
    ("You deleted this message", Reason::Deleted),
    ("You deleted this message.", Reason::Deleted),
    ("null", Reason::NoText),
];

/// The order of the three numbers of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    DayMonthYear,
    MonthDayYear,
    YearMonthDay,
}

/// One message: its header line and the lines below.
struct Entry {
    line: usize,
    numbers: [u32; 3],
    written: String,
    clock: Clock,
    rest: String,
}

struct Clock {
    hour: u32,
    minute: u32,
    second: u32,
    afternoon: Option<bool>,
}

/// Recognises a chat by its first lines: one of the first five must be a header.
pub(crate) fn recognise(text: &str) -> Option<Program> {
    let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    let (line, entry) = lines
        .filter(|line| !line.trim().is_empty())
        .take(5)
        .find_map(|line| Some((line, header(line, 1)?)))?;
    // Signal's text has an ISO date in brackets and no seconds; WhatsApp's bracketed form has seconds or another date.
    let iso = entry.numbers[0] > 31 && entry.written.contains('-') && entry.written.matches(':').count() == 1;
    Some(if iso && line.trim_start().starts_with('[') { Program::Signal } else { Program::Whatsapp })
}

/// Reads one chat of either program.
pub(crate) fn read(file: &File<'_>, kind: &str, what: &str, out: &mut Collector<'_>) {
    let entries = entries(file, out);
    if entries.is_empty() {
        return;
    }
    let order = order(file, &entries, out);
    let source =
        out.conversation(kind, file.conversation_name(), Some(file.stem()), Fidelity::TranscriptSnapshot);
    let (mut names, mut owner_found) = (BTreeSet::new(), false);
    for entry in entries {
        let place = format!("line {}", entry.line);
        let Some(event_time) = entry.event_time(order, out.zone()) else {
            out.refuse(
                file,
                &place,
                Reason::BadTime,
                &format!("`{}` is no time in this chat's order", entry.written),
            );
            continue;
        };
        // A line of the program has no sender; a sender's name ends at the first colon with a space behind it.
        let Some((name, text)) = entry.rest.split_once(": ") else {
            out.refuse(
                file,
                &place,
                Reason::ServiceNotice,
                "no sender: a line of the program, or an empty message",
            );
            continue;
        };
        let name = name.trim_matches(is_direction_mark).trim();
        let text = text.trim_matches(is_direction_mark).trim_end();
        let author = out.member(name, None);
        owner_found |= author == Author::Owner;
        names.insert(name.to_owned());
        if let Some((_, reason)) = PLACEHOLDERS.iter().find(|(words, _)| *words == text) {
            out.refuse(file, &place, *reason, "a placeholder stands for the message");
            continue;
        }
        let (text, attachments) = attached(text);
        let id = Id::given_or(None, &[&entry.written, name, &text]);
        let mut words = Words::new(author, Some(event_time), text, id);
        words.author_name = Some(name.to_owned());
        words.attachments = attachments;
        out.store(file, source, &place, words);
    }
    if owner_found {
        out.notice(format!(
            "{what} `{}` is plain text: a pasted line that looks like a message of the owner's is read as one",
            file.name
        ));
    }
    out.members_seen(&format!("{what} `{}`", file.name), &names, owner_found);
}

fn entries(file: &File<'_>, out: &mut Collector<'_>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for (index, line) in file.text.split('\n').enumerate() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        match (header(line, index + 1), entries.last_mut()) {
            (Some(entry), _) => entries.push(entry),
            (None, Some(last)) => {
                last.rest.push('\n');
                last.rest.push_str(line);
            }
            (None, None) if line.trim().is_empty() => {}
            (None, None) => {
                out.refuse(
                    file,
                    &format!("line {}", index + 1),
                    Reason::UnparsedLine,
                    "stands before the first message",
                );
            }
        }
    }
    entries
}

fn header(line: &str, number: usize) -> Option<Entry> {
    // A header is short; the pattern need not look at a line that does not begin like one.
    if !line
        .trim_start_matches(is_direction_mark)
        .starts_with(|first: char| first == '[' || first.is_ascii_digit())
    {
        return None;
    }
    let found = HEADER.captures(line)?;
    if found.name("open").is_some() != found.name("close").is_some() {
        return None;
    }
    let read = |name: &str| found.name(name).and_then(|text| text.as_str().parse::<u32>().ok());
    Some(Entry {
        line: number,
        numbers: [read("a")?, read("b")?, read("c")?],
        written: format!("{} {}", &found["date"], &found["time"]),
        clock: Clock {
            hour: read("hour")?,
            minute: read("minute")?,
            second: read("second").unwrap_or(0),
            afternoon: found.name("half").map(|half| half.as_str().eq_ignore_ascii_case("p")),
        },
        rest: found["rest"].to_owned(),
    })
}

fn order(file: &File<'_>, entries: &[Entry], out: &mut Collector<'_>) -> Order {
    if entries.iter().filter(|entry| entry.numbers[0] > 31).count() * 2 > entries.len() {
        return Order::YearMonthDay;
    }
    let first_is_day = entries.iter().filter(|entry| entry.numbers[0] > 12).count();
    let second_is_day = entries.iter().filter(|entry| entry.numbers[1] > 12).count();
    if first_is_day != second_is_day {
        return if first_is_day > second_is_day { Order::DayMonthYear } else { Order::MonthDayYear };
    }
    let backwards = |order| {
        let times: Vec<civil::DateTime> =
            entries.iter().filter_map(|entry| entry.local_time(order)).collect();
        times.windows(2).filter(|pair| pair[1] < pair[0]).count()
    };
    let (day_first, month_first) = (backwards(Order::DayMonthYear), backwards(Order::MonthDayYear));
    if day_first != month_first {
        return if day_first < month_first { Order::DayMonthYear } else { Order::MonthDayYear };
    }
    if entries.iter().all(|entry| entry.numbers[0] == entry.numbers[1]) {
        return Order::DayMonthYear;
    }
    // A twelve-hour clock with slashes is how phones in the United States write; most other locales put the day first.
    let american = entries.iter().any(|entry| entry.clock.afternoon.is_some() && entry.written.contains('/'));
    let (order, said) = match american {
        true => (Order::MonthDayYear, "month before day"),
        false => (Order::DayMonthYear, "day before month"),
    };
    out.notice(format!("`{}` does not show whether day or month comes first; {said} was assumed", file.name));
    order
}

impl Entry {
    fn event_time(&self, order: Order, zone: &TimeZone) -> Option<ZonedDateTime> {
        self.local_time(order)?.to_zoned_datetime(zone.clone()).ok()
    }

    fn local_time(&self, order: Order) -> Option<civil::DateTime> {
        let [a, b, c] = self.numbers;
        let (year, month, day) = match order {
            Order::DayMonthYear => (c, b, a),
            Order::MonthDayYear => (c, a, b),
            Order::YearMonthDay => (a, b, c),
        };
        // These programs are younger than the century.
        let year = if year < 100 { year + 2000 } else { year };
        let hour = match self.clock.afternoon {
            None => self.clock.hour,
            Some(_) if self.clock.hour > 12 => return None,
            Some(afternoon) => self.clock.hour % 12 + if afternoon { 12 } else { 0 },
        };
        let small = |number: u32| i8::try_from(number).ok();
        let date = civil::Date::new(i16::try_from(year).ok()?, small(month)?, small(day)?).ok()?;
        let time =
            civil::Time::new(small(hour)?, small(self.clock.minute)?, small(self.clock.second)?, 0).ok()?;
        Some(date.to_datetime(time))
    }
}

/// Takes the name of an attached file off the first line: `IMG-1.jpg (file attached)` or `<attached: IMG-1.jpg>`.
fn attached(text: &str) -> (String, Vec<Attachment>) {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    let line = line.trim_matches(is_direction_mark);
    let name = line
        .strip_suffix(" (file attached)")
        .or_else(|| line.strip_prefix("<attached: ").and_then(|inner| inner.strip_suffix('>')));
    match name {
        Some(name) => {
            let attachment = Attachment { name: name.to_owned(), media_type: None, size: None };
            (rest.to_owned(), vec![attachment])
        }
        None => (text.to_owned(), Vec::new()),
    }
}

fn is_direction_mark(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
