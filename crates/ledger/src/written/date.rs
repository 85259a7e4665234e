//! Dates as people write and say them, whole, partial and relative.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ZonedDateTime};

use crate::value::{InvalidDate, PartialDate, ValueError, ValueType};

use super::number;
use super::token::{Kind, Tokens};

/// One date in a text, over the tokens `from..to`. A form with two meanings is two mentions over one range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DateMention {
    pub(crate) meant: Meant,
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Whether the digits in it can be nothing but a date, so that they are no numbers besides.
    pub(crate) hard: bool,
}

/// What the words say, before anyone asks when they were said. Equal in every language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meant {
    /// A date of the calendar, perhaps partial.
    Fixed(PartialDate),
    /// The first (`false`) or last (`true`) day of a date: `end of June 2026`.
    Edge(PartialDate, bool),
    /// So many units from the day it was said: `tomorrow`, `in two weeks`, `prije tri mjeseca`.
    Shift(Unit, i32),
    /// A whole unit, counted from the present one: `next month`, `prošle godine`.
    Period(Unit, i32),
    /// A weekday; `None` when nothing says which week.
    Weekday(Weekday, Option<i32>),
    /// A month by name, counted from the one named last or next: `next June`.
    Month(u32, i32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Day,
    Week,
    Month,
    Year,
}

/// Every date of a text.
pub(crate) fn scan(tokens: &Tokens<'_>) -> Vec<DateMention> {
    let mut found = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        let before = found.len();
        match at(tokens, index, &mut found) {
            Some(next) if found.len() > before => index = next.max(index + 1),
            _ => index += 1,
        }
    }
    found
}

/// What a mention may mean. Relative ones need the moment at which they were said; a date without a year is
/// also the nearest such date before and after that moment.
pub(crate) fn resolve(meant: Meant, anchor: Option<&ZonedDateTime>) -> Vec<PartialDate> {
    let today = anchor.map(|anchor| anchor.date());
    let mut dates = match meant {
        Meant::Fixed(date) => vec![date],
        Meant::Edge(date, last) => return edges(date, last, today),
        _ => Vec::new(),
    };
    let Some(today) = today else { return dates };
    let whole = |date: Option<Date>| date.and_then(PartialDate::from_civil);
    match meant {
        Meant::Fixed(date) if date.year().is_none() => dates.extend(nearest(date, today)),
        Meant::Fixed(_) | Meant::Edge(..) => {}
        Meant::Shift(unit, count) => dates.extend(whole(shifted(today, unit, count))),
        Meant::Period(Unit::Day, count) => dates.extend(whole(shifted(today, Unit::Day, count))),
        Meant::Period(Unit::Week, count) => {
            // A week has no partial date; it stands for its Monday.
            let monday = shifted(today, Unit::Day, -i32::from(today.weekday().to_monday_zero_offset()));
            dates.extend(whole(monday.and_then(|monday| shifted(monday, Unit::Week, count))));
        }
        Meant::Period(unit, count) => {
            if let Some(date) = whole(shifted(today.first_of_month(), unit, count)) {
                let month = date.month().filter(|_| unit == Unit::Month).map(u32::from);
                dates.extend(PartialDate::new(date.year().map(i64::from), month, None).ok());
            }
        }
        Meant::Weekday(weekday, step) => {
            let days = i32::from(weekday.to_monday_zero_offset())
                - i32::from(today.weekday().to_monday_zero_offset());
            let next = if days > 0 { days } else { days + 7 };
            let last = if days < 0 { days } else { days - 7 };
            // `next Friday` is the coming one to some and next week's to others; both stand.
            let days = match step {
                None if days == 0 => vec![0, 7, -7],
                None => vec![next, last],
                Some(0) => vec![days, next],
                Some(1) => vec![next, days + 7],
                Some(-1) => vec![last, days - 7],
                Some(other) => vec![days + 7 * other],
            };
            for days in days {
                let date = whole(shifted(today, Unit::Day, days));
                dates.extend(date.filter(|date| !dates.contains(date)));
            }
        }
        Meant::Month(month, step) => {
            let year = i64::from(today.year());
            let this = u32::from(today.month().unsigned_abs());
            let years = match step {
                0 => vec![year],
                1 if month > this => vec![year, year + 1],
                1 => vec![year + 1],
                -1 if month < this => vec![year, year - 1],
                _ => vec![year + i64::from(step)],
            };
            dates.extend(
                years.into_iter().filter_map(|year| PartialDate::new(Some(year), Some(month), None).ok()),
            );
        }
    }
    dates
}

/// The first and the last day of each stretch a mention may mean. Unlike a date, a week is seven days here.
pub(crate) fn days(meant: Meant, anchor: &ZonedDateTime) -> Vec<(Date, Date)> {
    let days = resolve(meant, Some(anchor)).into_iter().filter_map(|date| date.span());
    match meant {
        Meant::Period(Unit::Week, _) => {
            days.filter_map(|(monday, _)| Some((monday, shifted(monday, Unit::Day, 6)?))).collect()
        }
        _ => days.collect(),
    }
}

/// Reads a whole string as one date of the calendar.
pub(crate) fn read(written: &str) -> Result<PartialDate, ValueError> {
    let unreadable = || ValueError::Unreadable { value_type: ValueType::Date, written: written.to_owned() };
    let tokens = Tokens::of(written);
    let mut found = scan(&tokens);
    let is_filler = |index: usize| {
        let word = tokens.word(index);
        word.is_some_and(|word| {
            matches!(word, "on" | "the" | "in" | "u" | "dana" | "godine" | "god" | "of" | "na")
        }) || word.is_some_and(|word| weekday(word).is_some())
            || tokens.mark(index, ',')
            || tokens.mark(index, '.')
    };
    found.retain(|mention| (0..mention.from).chain(mention.to..tokens.len()).all(is_filler));
    // `Friday, 12 June 2026` is the date; the weekday alone is relative.
    if found.iter().any(|mention| !matches!(mention.meant, Meant::Weekday(..))) {
        found.retain(|mention| !matches!(mention.meant, Meant::Weekday(..)));
    }
    let mut dates: Vec<PartialDate> = found.iter().flat_map(|mention| resolve(mention.meant, None)).collect();
    dates.dedup();
    match dates[..] {
        [date] => Ok(date),
        [first, second, ..] => Err(ValueError::Ambiguous {
            written: written.to_owned(),
            first: first.to_string(),
            second: second.to_string(),
        }),
        [] if !found.is_empty() => Err(ValueError::RelativeDate(written.to_owned())),
        [] => Err(impossible(&tokens).map_or_else(unreadable, ValueError::from)),
    }
}

/// Why three numbers in the shape of a date are none, for the error's sake.
fn impossible(tokens: &Tokens<'_>) -> Option<InvalidDate> {
    let parts: Vec<&str> = (0..tokens.len()).filter_map(|index| tokens.digits(index)).collect();
    let number = |part: &str| part.parse::<u32>().ok();
    let named = (0..tokens.len()).find_map(|index| tokens.word(index).and_then(month));
    match (parts[..].as_ref(), named) {
        ([day, year], Some(month)) if year.len() == 4 => {
            PartialDate::new(Some(number(year)?.into()), Some(month.0), number(day)).err()
        }
        ([year, month, day], None) if year.len() == 4 => {
            PartialDate::new(Some(number(year)?.into()), number(month), number(day)).err()
        }
        ([day, month, year], None) if year.len() == 4 => {
            PartialDate::new(Some(number(year)?.into()), number(month), number(day)).err()
        }
        _ => None,
    }
}

fn edges(date: PartialDate, last: bool, today: Option<Date>) -> Vec<PartialDate> {
    let dates = match (date.year(), today) {
        (None, Some(today)) => nearest(date, today),
        _ => vec![date],
    };
    let day = |date: PartialDate| date.span().map(|(first, end)| if last { end } else { first });
    dates.into_iter().filter_map(|date| PartialDate::from_civil(day(date)?)).collect()
}

/// A date without a year, in the years that bring it within a year of today.
fn nearest(date: PartialDate, today: Date) -> Vec<PartialDate> {
    let year = i64::from(today.year());
    let (month, day) = (date.month().map(u32::from), date.day().map(u32::from));
    let dates = [year, year + 1, year - 1]
        .into_iter()
        .filter_map(|year| PartialDate::new(Some(year), month, day).ok());
    let near = |date: &PartialDate| {
        date.span().is_some_and(|(first, last)| {
            let from = shifted(today, Unit::Day, -366).unwrap_or(Date::MIN);
            let to = shifted(today, Unit::Day, 366).unwrap_or(Date::MAX);
            first <= to && last >= from
        })
    };
    dates.filter(near).collect()
}

fn shifted(date: Date, unit: Unit, count: i32) -> Option<Date> {
    let count = i64::from(count);
    let span = match unit {
        Unit::Day => Span::new().try_days(count),
        Unit::Week => Span::new().try_weeks(count),
        Unit::Month => Span::new().try_months(count),
        Unit::Year => Span::new().try_years(count),
    };
    date.checked_add(span.ok()?).ok()
}

/// Pushes what starts at a token and answers the token after it.
fn at(tokens: &Tokens<'_>, index: usize, found: &mut Vec<DateMention>) -> Option<usize> {
    if tokens.digits(index).is_some() {
        return numeric(tokens, index, found)
            .or_else(|| from_day(tokens, index, found))
            .or_else(|| year_alone(tokens, index, found));
    }
    tokens.word(index)?;
    from_day(tokens, index, found)
        .or_else(|| edge(tokens, index, found))
        .or_else(|| relative(tokens, index, found))
        .or_else(|| from_month(tokens, index, found))
        .or_else(|| {
            let day = weekday_at(tokens, index)?;
            push(found, Meant::Weekday(day, None), index, index + 1, true)
        })
}

fn push(found: &mut Vec<DateMention>, meant: Meant, from: usize, to: usize, hard: bool) -> Option<usize> {
    found.push(DateMention { meant, from, to, hard });
    Some(to)
}

fn fixed(year: Option<i64>, month: u32, day: Option<u32>) -> Option<Meant> {
    PartialDate::new(year, Some(month), day).ok().map(Meant::Fixed)
}

/// Dates in digits alone.
fn numeric(tokens: &Tokens<'_>, index: usize, found: &mut Vec<DateMention>) -> Option<usize> {
    const JOINS: [char; 4] = ['.', '-', '/', ':'];
    if tokens.is_chained(index, &JOINS) {
        return None;
    }
    let join = JOINS[..3].iter().copied().find(|&join| tokens.mark(index + 1, join))?;
    // Only a full stop may be followed by a space: `12. 6. 2026.`
    let spaced = join == '.';
    if !tokens.is_glued(index + 1) || !(tokens.is_glued(index + 2) || spaced) {
        return None;
    }
    let first = tokens.digits(index)?;
    let first_number = i64::from(tokens.small(index, 4)?);
    let ends = |at: usize| {
        // The next token must not carry the chain on.
        let digits_follow = tokens.is_glued(at) && tokens.digits(at).is_some();
        let joined =
            JOINS.iter().any(|&join| tokens.mark(at, join)) && tokens.is_glued(at) && tokens.is_glued(at + 1);
        !(digits_follow || joined && tokens.digits(at + 1).is_some())
    };
    let closing = |at: usize| {
        at + usize::from(join == '.' && tokens.mark(at, '.') && tokens.is_glued(at) && ends(at + 1))
    };
    let second = tokens.small(index + 2, 2);
    let third_joined =
        tokens.mark(index + 3, join) && tokens.is_glued(index + 3) && (tokens.is_glued(index + 4) || spaced);
    if first.len() == 4 {
        if third_joined && let Some(day) = tokens.small(index + 4, 2).filter(|_| ends(index + 5)) {
            let meant = fixed(Some(first_number), second?, Some(day))?;
            return push(found, meant, index, closing(index + 5), true);
        }
        if join == '-' && ends(index + 3) && tokens.digits(index + 2)?.len() == 2 {
            return push(found, fixed(Some(first_number), second?, None)?, index, index + 3, true);
        }
        // An instant: the date is followed by `T` and a time.
        return None;
    }
    if first.len() > 2 {
        return None;
    }
    let first_number = u32::try_from(first_number).ok()?;
    if third_joined && let Some(year) = tokens.digits(index + 4).filter(|year| matches!(year.len(), 2 | 4)) {
        if !ends(index + 5) {
            return None;
        }
        let written = i64::from(tokens.small(index + 4, 4)?);
        let year = match (year.len(), written) {
            (2, 0..=69) => 2000 + written,
            (2, _) => 1900 + written,
            _ => written,
        };
        let to = closing(index + 5);
        let second = second?;
        let day_first = fixed(Some(year), second, Some(first_number));
        let month_first =
            fixed(Some(year), first_number, Some(second)).filter(|_| join != '.' && first_number != second);
        day_first.and_then(|meant| push(found, meant, index, to, true));
        month_first.and_then(|meant| push(found, meant, index, to, true));
        return Some(to);
    }
    // 6/2026, 6.2026.
    if tokens.digits(index + 2).is_some_and(|year| year.len() == 4) && ends(index + 3) && join != '-' {
        let year = i64::from(tokens.small(index + 2, 4)?);
        return push(found, fixed(Some(year), first_number, None)?, index, closing(index + 3), false);
    }
    // 12.6. is a day and a month; without the second full stop it is a decimal or a time.
    if join == '.' && tokens.mark(index + 3, '.') && tokens.is_glued(index + 3) && ends(index + 4) {
        return push(found, fixed(None, second?, Some(first_number))?, index, index + 4, false);
    }
    None
}

/// `12 June 2026`, `12th of June`, `12. lipnja 2026.`, `dvanaestog lipnja`, `the first of May`, and two days that
/// share a month: `12-14 June`, `od 12. do 14. lipnja`.
fn from_day(tokens: &Tokens<'_>, index: usize, found: &mut Vec<DateMention>) -> Option<usize> {
    let (day, at) = day(tokens, index)?;
    let at = at + usize::from(tokens.mark(at, '.') && tokens.is_glued(at));
    let range = tokens.mark(at, '-')
        || tokens.mark(at, '–')
        || matches!(tokens.word(at), Some("to" | "do" | "i" | "and"));
    if range && tokens.digits(index).is_some() && tokens.digits(at + 1).is_some() {
        let (later, year, month, end) = day_and_month(tokens, at + 1)?;
        let first = fixed(year, month, Some(day));
        first.and_then(|meant| push(found, meant, index, at, true));
        return push(found, fixed(year, month, Some(later))?, at + 1, end, true);
    }
    let (day, year, month, end) = day_and_month(tokens, index)?;
    push(found, fixed(year, month, Some(day))?, index, end, true)
}

/// A day and the name of its month: day, year if one follows, month, and the token after.
fn day_and_month(tokens: &Tokens<'_>, index: usize) -> Option<(u32, Option<i64>, u32, usize)> {
    let (day, at) = day(tokens, index)?;
    let at = at + usize::from(tokens.mark(at, '.') && tokens.is_glued(at));
    let at = at + usize::from(tokens.word(at) == Some("of"));
    let (month, _) = month(tokens.word(at)?)?;
    let (year, end) = year_after(tokens, at + 1);
    Some((day, year, month, end))
}

/// `June 12, 2026`, `June 2026`, `lipanj 2026.`, `u lipnju`, `June first`.
fn from_month(tokens: &Tokens<'_>, index: usize, found: &mut Vec<DateMention>) -> Option<usize> {
    let (month, name) = month(tokens.word(index)?)?;
    let mut at = index + 1;
    at += usize::from(tokens.mark(at, '.') && tokens.is_glued(at) && tokens.digits(at + 1).is_some());
    let day = day(tokens, at + usize::from(tokens.word(at) == Some("the")));
    if let Some((day, to)) = day.filter(|&(_, to)| !(tokens.mark(to, ':') && tokens.is_glued(to)))
        && !(name == Name::Common && !tokens.get(index)?.is_capitalised() && tokens.digits(at).is_none())
    {
        let (year, end) = year_after(tokens, to);
        if let Some(meant) = fixed(year, month, Some(day)) {
            return push(found, meant, index, end, true);
        }
    }
    let of = usize::from(matches!(tokens.word(at), Some("of")));
    if let (Some(year), end) = year_after(tokens, at + of) {
        return push(found, fixed(Some(year), month, None)?, index, end, true);
    }
    let capital = tokens.get(index)?.is_capitalised();
    let told = tokens.before(index).is_some_and(|before| {
        matches!(
            &*before.plain,
            "in" | "since" | "until" | "by" | "every" | "u" | "od" | "do" | "svaki" | "svakog"
        )
    });
    match name {
        Name::Full => {}
        Name::Common if capital || told => {}
        Name::Short if capital && told => {}
        _ => return None,
    }
    push(found, fixed(None, month, None)?, index, index + 1, false)
}

/// A year standing alone.
fn year_alone(tokens: &Tokens<'_>, index: usize, found: &mut Vec<DateMention>) -> Option<usize> {
    const JOINS: [char; 5] = ['.', '-', '/', ':', ','];
    let written = i64::from(tokens.small(index, 4)?);
    if matches!(tokens.word(index + 1), Some("bc" | "bce")) && written > 0 {
        let date = PartialDate::new(Some(-written), None, None).ok()?;
        return push(found, Meant::Fixed(date), index, index + 2, true);
    }
    let chains = |at: usize| {
        tokens.is_glued(at)
            && tokens.is_glued(at + 1)
            && tokens.digits(at + 1).is_some()
            && JOINS.iter().any(|&join| tokens.mark(at, join) && join != '-')
    };
    if !(1000..=2999).contains(&written)
        || tokens.is_chained(index, &['.', '/', ':', ','])
        || chains(index + 1)
    {
        return None;
    }
    // `1990s`, `2000 EUR`, `$2000`, `2000%`
    let glued_word =
        tokens.is_glued(index + 1) && tokens.get(index + 1).is_some_and(|token| token.kind == Kind::Word);
    let sign = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at))
            .is_some_and(|token| matches!(token.text, "$" | "€" | "£" | "%" | "#"))
    };
    // `2026 km` is no year; `2026 godine` and `2026 g.` are.
    let counts = number::unit_at(tokens, index + 1).is_some_and(|unit| !matches!(unit, "years" | "g"));
    if counts || glued_word || sign(Some(index + 1)) || sign(index.checked_sub(1)) {
        return None;
    }
    let date = PartialDate::new(Some(written), None, None).ok()?;
    push(found, Meant::Fixed(date), index, index + 1, false)
}

/// A year after a day or month, with the comma before it and the full stop or `godine` after it.
fn year_after(tokens: &Tokens<'_>, index: usize) -> (Option<i64>, usize) {
    let comma = usize::from(tokens.mark(index, ',') || (tokens.mark(index, '.') && tokens.is_glued(index)));
    let at = index + comma;
    let digits = tokens.digits(at).filter(|year| year.len() == 4);
    let Some(year) = digits.and_then(|_| tokens.small(at, 4)).filter(|year| (1..=9999).contains(year)) else {
        return (None, index);
    };
    // `12 June, 2026:` is fine; `12 June 2026.50` is not a year, and `June 12, 2026 EUR` nobody writes.
    let mut end = at + 1;
    if tokens.mark(end, '.') && tokens.is_glued(end) {
        if tokens.digits(end + 1).is_some() && tokens.is_glued(end + 1) {
            return (None, index);
        }
        end += usize::from(matches!(tokens.word(end + 1), Some("godine" | "god")));
    }
    let end = end + usize::from(matches!(tokens.word(end), Some("godine" | "god")));
    (Some(year.into()), end)
}

/// A day of the month, in digits (with `st`, `th`, …) or as an ordinal word.
fn day(tokens: &Tokens<'_>, index: usize) -> Option<(u32, usize)> {
    if let Some(day) = tokens.small(index, 2) {
        if !(1..=31).contains(&day) || tokens.is_chained(index, &['.', '/', ':', ',']) {
            return None;
        }
        let suffix =
            matches!(tokens.word(index + 1), Some("st" | "nd" | "rd" | "th")) && tokens.is_glued(index + 1);
        return Some((day, index + 1 + usize::from(suffix)));
    }
    let word = tokens.word(index)?;
    // twenty-first, dvadeset i prvog, trideset prvi
    let tens = match word {
        "twenty" | "dvadeset" => 20,
        "thirty" | "trideset" => 30,
        _ => return ordinal(word).map(|day| (day, index + 1)),
    };
    let joined = tokens.mark(index + 1, '-') || tokens.word(index + 1) == Some("i");
    let at = index + 1 + usize::from(joined);
    let unit = ordinal(tokens.word(at)?).filter(|unit| (1..=9).contains(unit))?;
    Some((tens + unit, at + 1)).filter(|&(day, _)| day <= 31)
}

/// `end of June`, `krajem lipnja 2026.`, `početkom iduće godine` is left to the period.
fn edge(tokens: &Tokens<'_>, index: usize, found: &mut Vec<DateMention>) -> Option<usize> {
    let last = match tokens.word(index)? {
        "end" | "krajem" | "kraj" | "kraja" => true,
        "beginning" | "start" | "pocetkom" | "pocetak" => false,
        _ => return None,
    };
    let at = index + 1 + usize::from(tokens.word(index + 1) == Some("of"));
    let mut inner = Vec::new();
    // Not `self::at`: `end of end of end …` would be as deep as the text is long.
    from_month(tokens, at, &mut inner).or_else(|| year_alone(tokens, at, &mut inner))?;
    let mention = inner.first()?;
    match mention.meant {
        Meant::Fixed(date) if date.day().is_none() => {
            push(found, Meant::Edge(date, last), index, mention.to, true);
            // The month or year itself stands too.
            push(found, mention.meant, index, mention.to, mention.hard)
        }
        _ => None,
    }
}

/// Everything that counts from the day it was said.
fn relative(tokens: &Tokens<'_>, index: usize, found: &mut Vec<DateMention>) -> Option<usize> {
    let word = tokens.word(index)?;
    let next = |offset: usize| tokens.word(index + offset);
    let days = |days: i32| Meant::Shift(Unit::Day, days);
    let simple = match word {
        "today" | "tonight" | "danas" | "veceras" | "nocas" | "jutros" => Some((days(0), 1)),
        "tomorrow" | "sutra" => Some((days(1), 1)),
        "yesterday" | "jucer" | "sinoc" => Some((days(-1), 1)),
        "prekosutra" => Some((days(2), 1)),
        "prekjucer" => Some((days(-2), 1)),
        "lani" => Some((Meant::Period(Unit::Year, -1), 1)),
        "dogodine" | "nagodinu" => Some((Meant::Period(Unit::Year, 1), 1)),
        "day" => match (next(1), next(2)) {
            (Some("after"), Some("tomorrow")) => Some((days(2), 3)),
            (Some("before"), Some("yesterday")) => Some((days(-2), 3)),
            _ => None,
        },
        _ => None,
    };
    if let Some((meant, length)) = simple {
        return push(found, meant, index, index + length, true);
    }
    if let Some(step) = step(word) {
        let named = next(1)?;
        if let Some(weekday) = weekday(named) {
            return push(found, Meant::Weekday(weekday, Some(step)), index, index + 2, true);
        }
        if let Some(unit) = unit(named) {
            return push(found, Meant::Period(unit, step), index, index + 2, true);
        }
        if let Some((month, _)) = month(named) {
            return push(found, Meant::Month(month, step), index, index + 2, true);
        }
        return None;
    }
    // in two weeks, za dva tjedna, prije godinu dana
    let (sign, at) = match word {
        "in" | "within" | "za" => (1, index + 1),
        "prije" => (-1, index + 1),
        _ => (0, index),
    };
    if let Some((count, unit, to)) = counted(tokens, at) {
        if sign != 0 {
            return push(found, Meant::Shift(unit, sign * count), index, to, true);
        }
        return match (tokens.word(to), tokens.word(to + 1)) {
            (Some("ago"), _) => push(found, Meant::Shift(unit, -count), index, to + 1, true),
            (Some("from"), Some("now" | "today")) => {
                push(found, Meant::Shift(unit, count), index, to + 2, true)
            }
            _ => None,
        };
    }
    None
}

/// A count and a unit: `two weeks`, `a month`, `5 dana`, `tjedan dana`.
fn counted(tokens: &Tokens<'_>, index: usize) -> Option<(i32, Unit, usize)> {
    let (count, at) = match tokens.word(index) {
        Some("a" | "an") if tokens.word(index + 1).is_none_or(|word| unit(word).is_some()) => (1, index + 1),
        Some(word) if unit(word).is_some() => (1, index),
        _ => match tokens.small(index, 4) {
            Some(count) => (count, index + 1),
            None => {
                let (count, next) = number::words(tokens, index)?;
                (u32::try_from(count).ok()?, next)
            }
        },
    };
    let named = unit(tokens.word(at)?)?;
    // A bare plural after `in` (`in days`) counts nothing; a bare singular in Croatian does (`za tjedan dana`).
    let dana = named != Unit::Day && tokens.word(at + 1) == Some("dana");
    if at == index && !(dana || matches!(tokens.word(at), Some("godinu" | "tjedan" | "mjesec"))) {
        return None;
    }
    Some((i32::try_from(count).ok()?, named, at + 1 + usize::from(dana)))
}

fn step(word: &str) -> Option<i32> {
    let croatian = |stem: &str| {
        word.strip_prefix(stem).is_some_and(|ending| {
            matches!(
                ending,
                "i" | "a"
                    | "e"
                    | "u"
                    | "eg"
                    | "ega"
                    | "em"
                    | "emu"
                    | "oj"
                    | "om"
                    | "og"
                    | "oga"
                    | "im"
                    | "ih"
                    | "o"
            )
        })
    };
    match word {
        "next" | "coming" => Some(1),
        "last" | "previous" | "past" => Some(-1),
        "this" | "ovaj" | "ovog" | "ovoga" | "ove" | "ovu" | "ovom" | "ova" | "ovoj" => Some(0),
        _ if ["iduc", "sljedec", "slijedec", "naredn"].into_iter().any(croatian) => Some(1),
        _ if ["prosl", "protekl", "minul"].into_iter().any(croatian) => Some(-1),
        _ => None,
    }
}

fn unit(word: &str) -> Option<Unit> {
    match word {
        "day" | "days" | "dan" | "dana" => Some(Unit::Day),
        "week" | "weeks" | "tjedan" | "tjedna" | "tjednu" | "tjedana" | "tjedni" | "sedmica" | "sedmice"
        | "sedmicu" => Some(Unit::Week),
        "month" | "months" | "mjesec" | "mjeseca" | "mjesecu" | "mjeseci" => Some(Unit::Month),
        "year" | "years" | "godina" | "godine" | "godini" | "godinu" => Some(Unit::Year),
        _ => None,
    }
}

fn weekday_at(tokens: &Tokens<'_>, index: usize) -> Option<Weekday> {
    let token = tokens.get(index)?;
    // `sat` (hour), `sun`, `wed`, `mon` are words; as weekdays they are capitalised in English.
    let short = matches!(&*token.plain, "sat" | "sun" | "wed" | "mon" | "fri" | "tue");
    if short && !(token.is_capitalised() && tokens.english) {
        return None;
    }
    weekday(&token.plain)
}

fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" | "mondays" | "mon" | "ponedjeljak" | "ponedjeljka" | "ponedjeljku" | "ponedjeljkom"
        | "ponedjeljke" | "ponedjeljci" | "ponedjeljcima" | "ponedeljak" | "ponedeljkom" => Weekday::Monday,
        "tuesday" | "tuesdays" | "tue" | "tues" | "utorak" | "utorka" | "utorku" | "utorkom" | "utorke" => {
            Weekday::Tuesday
        }
        "wednesday" | "wednesdays" | "wed" | "srijeda" | "srijede" | "srijedi" | "srijedu" | "srijedom"
        | "sreda" | "sredu" => Weekday::Wednesday,
        "thursday" | "thursdays" | "thu" | "thur" | "thurs" | "cetvrtak" | "cetvrtka" | "cetvrtku"
        | "cetvrtkom" | "cetvrtke" => Weekday::Thursday,
        "friday" | "fridays" | "fri" | "petak" | "petka" | "petku" | "petkom" | "petke" => Weekday::Friday,
        "saturday" | "saturdays" | "sat" | "subota" | "subote" | "suboti" | "subotu" | "subotom" => {
            Weekday::Saturday
        }
        "sunday" | "sundays" | "sun" | "nedjelja" | "nedjelje" | "nedjelji" | "nedjelju" | "nedjeljom"
        | "nedelja" | "nedelju" => Weekday::Sunday,
        _ => return None,
    })
}

/// How surely a word is a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Full,
    /// Also an everyday word: `may`, `march`.
    Common,
    /// An abbreviation.
    Short,
}

fn month(word: &str) -> Option<(u32, Name)> {
    /// The number of a month, its full names, its abbreviations, and the stems of its Croatian names with the
    /// case endings that each takes.
    type Row = (
        u32,
        &'static [&'static str],
        &'static [&'static str],
        &'static [(&'static str, &'static [&'static str])],
    );
    const MASCULINE: &[&str] = &["", "a", "u", "e", "om", "em", "i", "ima"];
    const OBLIQUE: &[&str] = &["a", "u", "e", "om", "em", "i", "ima"];
    const FEMININE: &[&str] = &["a", "e", "i", "u", "o", "om", "ama"];
    const ADJECTIVE: &[&str] = &["i", "og", "oga", "om", "ome", "omu", "im"];
    const NOUN: &[&str] = &[""];
    const MONTHS: [Row; 12] = [
        (1, &["january"], &["jan"], &[("sijecanj", NOUN), ("sijecnj", OBLIQUE), ("januar", MASCULINE)]),
        (2, &["february"], &["feb"], &[("veljac", FEMININE), ("februar", MASCULINE)]),
        (3, &[], &["mar"], &[("ozujak", NOUN), ("ozujk", OBLIQUE), ("mart", MASCULINE)]),
        (4, &["april"], &["apr"], &[("travanj", NOUN), ("travnj", OBLIQUE), ("april", OBLIQUE)]),
        (5, &[], &[], &[("svibanj", NOUN), ("svibnj", OBLIQUE), ("maj", MASCULINE)]),
        (6, &["june"], &["jun"], &[("lipanj", NOUN), ("lipnj", OBLIQUE), ("jun", OBLIQUE), ("juni", NOUN)]),
        (7, &["july"], &["jul"], &[("srpanj", NOUN), ("srpnj", OBLIQUE), ("jul", OBLIQUE)]),
        (8, &[], &["aug"], &[("kolovoz", MASCULINE), ("avgust", MASCULINE), ("august", OBLIQUE)]),
        (
            9,
            &["september"],
            &["sep", "sept"],
            &[("rujan", NOUN), ("rujn", OBLIQUE), ("septembar", NOUN), ("septembr", OBLIQUE)],
        ),
        (
            10,
            &["october"],
            &["oct", "okt"],
            &[("listopad", MASCULINE), ("oktobar", NOUN), ("oktobr", OBLIQUE)],
        ),
        (11, &["november"], &["nov"], &[("studen", ADJECTIVE), ("novembar", NOUN), ("novembr", OBLIQUE)]),
        (
            12,
            &["december"],
            &["dec"],
            &[("prosinac", NOUN), ("prosinc", OBLIQUE), ("decembar", NOUN), ("decembr", OBLIQUE)],
        ),
    ];
    match word {
        "may" => return Some((5, Name::Common)),
        "march" => return Some((3, Name::Common)),
        "august" => return Some((8, Name::Full)),
        // Nothing shorter than three letters or longer than these is a month.
        _ if !(3..=13).contains(&word.len()) => return None,
        _ => {}
    }
    MONTHS.iter().find_map(|(month, full, short, stems)| {
        if full.contains(&word) {
            return Some((*month, Name::Full));
        }
        if short.contains(&word) {
            return Some((*month, Name::Short));
        }
        let inflected = stems
            .iter()
            .any(|(stem, endings)| word.strip_prefix(stem).is_some_and(|ending| endings.contains(&ending)));
        // Short foreign stems (`maj`, `jul`, `mart`) are also names and words.
        let name = if word.len() <= 5 && !word.starts_with("rujn") { Name::Common } else { Name::Full };
        inflected.then_some((*month, name))
    })
}

/// An ordinal word for a day, in English or any Croatian case of the masculine.
fn ordinal(word: &str) -> Option<u32> {
    const ENGLISH: [&str; 20] = [
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
        "twelfth",
        "thirteenth",
        "fourteenth",
        "fifteenth",
        "sixteenth",
        "seventeenth",
        "eighteenth",
        "nineteenth",
        "twentieth",
    ];
    const CROATIAN: [&str; 20] = [
        "prv",
        "drug",
        "trec",
        "cetvrt",
        "pet",
        "sest",
        "sedm",
        "osm",
        "devet",
        "deset",
        "jedanaest",
        "dvanaest",
        "trinaest",
        "cetrnaest",
        "petnaest",
        "sesnaest",
        "sedamnaest",
        "osamnaest",
        "devetnaest",
        "dvadeset",
    ];
    let number = |position: usize| u32::try_from(position + 1).ok();
    if let Some(position) = ENGLISH.iter().position(|&name| name == word) {
        return number(position);
    }
    let stem =
        ["oga", "ega", "og", "eg", "i", "om", "em"].into_iter().find_map(|ending| word.strip_suffix(ending));
    if word == "thirtieth" || stem == Some("trideset") {
        return Some(30);
    }
    CROATIAN.iter().position(|&name| Some(name) == stem).and_then(number)
}

/// Whether a word is a month or a weekday, so that its capital makes no name.
pub(crate) fn is_date_word(word: &str) -> bool {
    let relative = matches!(
        word,
        "today" | "tonight" | "tomorrow" | "yesterday" | "danas" | "veceras" | "sutra" | "jucer" | "lani"
    );
    relative || weekday(word).is_some() || month(word).is_some_and(|(_, name)| name != Name::Short)
}
