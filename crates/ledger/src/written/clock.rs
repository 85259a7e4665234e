//! Times of day as people write and say them.

use crate::value::TimeOfDay;

use super::number;
use super::token::{Kind, Tokens};

/// One time of day in a text, over the tokens `from..to`.
#[derive(Debug, Clone)]
pub(crate) struct TimeMention {
    pub(crate) time: TimeOfDay,
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Whether the same words are as likely a plain number, duration or range: `after 10`, `9.30`, `2 h`.
    pub(crate) weak: bool,
}

/// Every time of day. An hour of the 12-hour clock is moved by `am`, `pm` and parts of the day near it, and
/// otherwise stays what it says: `half past nine` is 09:30.
pub(crate) fn scan(tokens: &Tokens<'_>) -> Vec<TimeMention> {
    let mut found: Vec<TimeMention> = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        match strong(tokens, index) {
            Some(mention) if !mention.weak => {
                index = mention.to.max(index + 1);
                found.push(mention);
            }
            // `9 to 5` may be minutes to an hour, and may be two hours.
            unsure => {
                found.extend(unsure);
                found.extend(weak(tokens, index));
                index += 1;
            }
        }
    }
    found
}

/// Reads a whole string as one time of day.
pub(crate) fn read(written: &str) -> Option<TimeOfDay> {
    let tokens = Tokens::of(written);
    if tokens.len() == 1
        && let Some(hour) = tokens.small(0, 2)
    {
        return TimeOfDay::new(hour, 0);
    }
    let filler = |index: &usize| {
        let word = tokens.word(*index);
        word.is_some_and(|word| matches!(word, "at" | "u" | "the" | "h" | "hours" | "sati" | "sata" | "hrs"))
            || (*index + 1 == tokens.len() && tokens.mark(*index, '.'))
    };
    let whole = |mention: &&TimeMention| {
        (0..mention.from).chain(mention.to..tokens.len()).all(|index| filler(&index))
    };
    let found = scan(&tokens);
    let strong = found.iter().filter(|mention| !mention.weak).find(whole);
    let found = strong.or_else(|| found.iter().filter(whole).max_by_key(|mention| mention.to - mention.from));
    found.map(|mention| mention.time)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Morning,
    Afternoon,
    Night,
}

fn strong(tokens: &Tokens<'_>, index: usize) -> Option<TimeMention> {
    let make = |hour: u32, minute: u32, from: usize, to: usize| placed(tokens, hour, minute, from, to, false);
    match tokens.word(index) {
        Some("noon" | "midday" | "podne" | "podneva" | "podnevu") => return fixed(12, index, index + 1),
        Some("midnight" | "ponoc" | "ponoci" | "ponocu") => return fixed(0, index, index + 1),
        Some("half") => {
            let at = index + 1 + usize::from(matches!(tokens.word(index + 1), Some("past" | "after")));
            let (hour, to) = lone_hour(tokens, at)?;
            // `half nine` is British for 9:30; `half two` may be anything.
            return placed(tokens, hour, 30, index, to, at == index + 1);
        }
        Some("quarter" | "cetvrt") => {
            if let Some((forward, at)) = direction(tokens, index + 1) {
                let (hour, to) = lone_hour(tokens, at)?;
                return offset(tokens, hour, if forward { 15 } else { -15 }, index, to, false);
            }
        }
        Some("pola" | "pol") => {
            let (hour, to) = lone_hour(tokens, index + 1)?;
            return offset(tokens, hour, -30, index, to, false);
        }
        _ => {}
    }
    let ranged = matches!(
        tokens.before(index).map(|token| &*token.plain),
        Some("od" | "from" | "between" | "izmedu" | "-" | "–")
    );
    // `ten to nine`, `10 minutes past 9`, `petnaest do deset`.
    if let Some((minutes, at)) = small(tokens, index).filter(|&(minutes, _)| (1..=59).contains(&minutes)) {
        let said = usize::from(matches!(tokens.word(at), Some("minutes" | "minute" | "min" | "minuta")));
        if let Some((forward, at)) = direction(tokens, at + said).filter(|_| !ranged)
            && let Some((hour, to)) = lone_hour(tokens, at)
        {
            let digits = tokens.digits(index).is_some();
            let signed = if forward { minutes as i32 } else { -(minutes as i32) };
            return offset(tokens, hour, signed, index, to, digits && said == 0);
        }
    }
    let (hour, at) = hour(tokens, index)?;
    if tokens.is_chained(index, &[':', '.', ',', '/', '-']) {
        return None;
    }
    let digits = tokens.digits(index).is_some();
    // 9:30, 9:30:00
    if digits && tokens.mark(at, ':') && tokens.is_glued(at) && tokens.is_glued(at + 1) {
        let minute =
            tokens.digits(at + 1).filter(|minute| minute.len() == 2).and_then(|_| tokens.small(at + 1, 2))?;
        let seconds =
            tokens.mark(at + 2, ':') && tokens.digits(at + 3) == Some("00") && tokens.is_glued(at + 2);
        let to = if seconds { at + 4 } else { at + 2 };
        return make(hour, minute, index, to);
    }
    // 9.30, strong only where something says that it is a time
    if digits && tokens.mark(at, '.') && tokens.is_glued(at) && tokens.is_glued(at + 1) {
        let minute =
            tokens.digits(at + 1).filter(|minute| minute.len() == 2).and_then(|_| tokens.small(at + 1, 2))?;
        let more = tokens.is_glued(at + 2) && tokens.is_glued(at + 3) && tokens.digits(at + 3).is_some();
        if more && !tokens.mark(at + 2, '-') {
            return None;
        }
        let said = meridiem(tokens, at + 2).is_some()
            || matches!(tokens.word(at + 2), Some("h" | "sati" | "sata" | "hrs" | "hours"))
            || preposition(tokens, index);
        return placed(tokens, hour, minute, index, at + 2, !said);
    }
    // 9h30, 9 h 30
    let minute = tokens.word(at).and_then(|word| word.strip_prefix('h')).filter(|minute| minute.len() == 2);
    if let Some(minute) = minute.filter(|_| digits).and_then(|minute| minute.parse().ok()) {
        return make(hour, minute, index, at + 1);
    }
    if digits && tokens.word(at) == Some("h") && tokens.digits(at + 1).is_some_and(|minute| minute.len() == 2)
    {
        return make(hour, tokens.small(at + 1, 2)?, index, at + 2);
    }
    if meridiem(tokens, at).is_some() {
        return make(hour, 0, index, at);
    }
    match tokens.word(at) {
        Some("oclock") => return make(hour, 0, index, at + 1),
        Some("o") if tokens.word(at + 2) == Some("clock") && tokens.is_glued(at + 2) => {
            return make(hour, 0, index, at + 3);
        }
        Some("i") => {
            match tokens.word(at + 1) {
                Some("pol" | "pola" | "po") => return make(hour, 30, index, at + 2),
                Some("cetvrt" | "frtalj") => return make(hour, 15, index, at + 2),
                _ => {}
            }
            let (minute, to) = small(tokens, at + 1).filter(|&(minute, _)| minute <= 59)?;
            let spoken = !digits && tokens.digits(at + 1).is_none() && minute >= 5;
            return placed(tokens, hour, minute, index, to, !(spoken || preposition(tokens, index)));
        }
        Some("sat" | "sata" | "sati") if tokens.word(at + 1) == Some("i") => {
            if matches!(tokens.word(at + 2), Some("pol" | "pola")) {
                return make(hour, 30, index, at + 3);
            }
            let (minute, to) = small(tokens, at + 2).filter(|&(minute, _)| minute <= 59)?;
            let said = usize::from(matches!(tokens.word(to), Some("minuta" | "minute" | "min")));
            return make(hour, minute, index, to + said);
        }
        _ => {}
    }
    // nine thirty, devet trideset
    if !digits && tokens.get(at).is_some_and(|token| token.kind == Kind::Word) {
        let (minute, to) = small(tokens, at).filter(|(minute, _)| (10..=59).contains(minute))?;
        return placed(
            tokens,
            hour,
            minute,
            index,
            to,
            !preposition(tokens, index) && meridiem(tokens, to).is_none(),
        );
    }
    None
}

/// An hour that something beside it makes a time of day rather than a count.
fn weak(tokens: &Tokens<'_>, index: usize) -> Option<TimeMention> {
    let (hour, at) = hour(tokens, index)?;
    if tokens.is_chained(index, &[':', '.', ',', '/']) || tokens.mark(at, ':') && tokens.is_glued(at) {
        return None;
    }
    let said = matches!(tokens.word(at), Some("h" | "sat" | "sata" | "sati" | "hours" | "hrs"));
    let to = if said { at + 1 } else { at };
    // The first hour of `9-17 h`, `9 to 5`, `9 do 17`.
    let opens = tokens.mark(at, '-')
        || tokens.mark(at, '–')
        || matches!(tokens.word(at), Some("to" | "do" | "till" | "until"));
    let range = opens && self::hour(tokens, at + 1).is_some();
    let part = part_after(tokens, to).is_some() || part_before(tokens, index).is_some();
    (said || range || part || preposition(tokens, index))
        .then(|| placed(tokens, hour, 0, index, to, true))
        .flatten()
}

fn fixed(hour: u32, from: usize, to: usize) -> Option<TimeMention> {
    TimeOfDay::new(hour, 0).map(|time| TimeMention { time, from, to, weak: false })
}

/// A time some minutes before or after an hour.
fn offset(
    tokens: &Tokens<'_>,
    hour: u32,
    minutes: i32,
    from: usize,
    to: usize,
    weak: bool,
) -> Option<TimeMention> {
    // Said in the 12-hour clock, so an hour before 1 is 12: `pola jedan` is half past twelve.
    let base = if hour == 0 { 24 } else { hour };
    let (hour, minute) = if minutes >= 0 { (base, minutes) } else { (base - 1, 60 + minutes) };
    let hour = if hour == 0 { 12 } else { hour % 24 };
    placed(tokens, hour, minute as u32, from, to, weak)
}

/// Applies `am`, `pm` or a part of the day found beside the time.
fn placed(
    tokens: &Tokens<'_>,
    hour: u32,
    minute: u32,
    from: usize,
    to: usize,
    weak: bool,
) -> Option<TimeMention> {
    let to = to + usize::from(tokens.word(to) == Some("h") && tokens.is_glued(to));
    let (part, to, weak) = match meridiem(tokens, to) {
        Some((part, to)) if (1..=12).contains(&hour) => {
            let hour = if hour == 12 { 0 } else { hour };
            let hour = if part == Part::Afternoon { hour + 12 } else { hour };
            return TimeOfDay::new(hour, minute).map(|time| TimeMention { time, from, to, weak: false });
        }
        _ => match part_after(tokens, to) {
            Some((part, to)) => (Some(part), to, false),
            None => (part_before(tokens, from), to, weak),
        },
    };
    let hour = match (part, hour) {
        (Some(Part::Afternoon), 1..=11) => hour + 12,
        (Some(Part::Night), 6..=11) => hour + 12,
        (Some(Part::Night), 12) => 0,
        _ => hour,
    };
    TimeOfDay::new(hour, minute).map(|time| TimeMention { time, from, to, weak })
}

/// `am`, `p.m.` and the like directly at a token.
fn meridiem(tokens: &Tokens<'_>, index: usize) -> Option<(Part, usize)> {
    let part = |word: &str| match word {
        "a" | "am" => Some(Part::Morning),
        "p" | "pm" => Some(Part::Afternoon),
        _ => None,
    };
    let word = tokens.word(index)?;
    match word {
        "am" | "pm" => Some((part(word)?, index + 1)),
        "a" | "p"
            if tokens.mark(index + 1, '.')
                && tokens.word(index + 2) == Some("m")
                && tokens.is_glued(index + 2) =>
        {
            let stop = usize::from(tokens.mark(index + 3, '.') && tokens.is_glued(index + 3));
            Some((part(word)?, index + 3 + stop))
        }
        _ => None,
    }
}

fn part_word(word: &str) -> Option<Part> {
    match word {
        "morning" | "ujutro" | "ujutru" | "jutra" | "jutros" | "prijepodne" => Some(Part::Morning),
        "evening" | "tonight" | "afternoon" | "navecer" | "uvecer" | "veceras" | "popodne"
        | "poslijepodne" => Some(Part::Afternoon),
        "night" | "nocu" | "nocas" => Some(Part::Night),
        _ => None,
    }
}

/// A part of the day within three words after a time: `in the evening`, `navečer`.
fn part_after(tokens: &Tokens<'_>, index: usize) -> Option<(Part, usize)> {
    for at in index..index + 3 {
        let word = tokens.word(at)?;
        if let Some(part) = part_word(word) {
            return Some((part, at + 1));
        }
        if !matches!(word, "in" | "the" | "at" | "sati" | "sata" | "h" | "tomorrow" | "sutra" | "every") {
            return None;
        }
    }
    None
}

/// A part of the day within three words before a time: `tonight at 9`, `sutra navečer u 9`.
fn part_before(tokens: &Tokens<'_>, index: usize) -> Option<Part> {
    let words = (1..=3).map_while(|back| tokens.word(index.checked_sub(back)?));
    let mut near = words.take_while(|word| {
        part_word(word).is_some()
            || matches!(
                *word,
                "at" | "u" | "before" | "prije" | "after" | "poslije" | "oko" | "around" | "do" | "by"
            )
    });
    near.find_map(part_word)
}

/// Whether the word before makes a bare number an hour.
fn preposition(tokens: &Tokens<'_>, index: usize) -> bool {
    let Some(before) = index.checked_sub(1) else { return false };
    if tokens.mark(before, '-') || tokens.mark(before, '–') {
        return before > 0 && hour(tokens, before - 1).is_some_and(|(_, to)| to == before);
    }
    tokens.word(before).is_some_and(|word| {
        matches!(
            word,
            "at" | "before"
                | "after"
                | "until"
                | "till"
                | "by"
                | "from"
                | "since"
                | "around"
                | "about"
                | "to"
                | "between"
                | "past"
                | "u"
                | "prije"
                | "poslije"
                | "nakon"
                | "do"
                | "od"
                | "oko"
                | "iza"
                | "tek"
                | "izmedu"
        )
    })
}

/// `to`, `past` and their kin: whether minutes count forward, and the token after.
fn direction(tokens: &Tokens<'_>, index: usize) -> Option<(bool, usize)> {
    match tokens.word(index)? {
        "past" | "after" | "iza" => Some((true, index + 1)),
        "to" | "before" | "till" | "of" | "do" => Some((false, index + 1)),
        _ => None,
    }
}

/// An hour in digits or words, 0 to 24.
fn hour(tokens: &Tokens<'_>, index: usize) -> Option<(u32, usize)> {
    small(tokens, index).filter(|&(hour, _)| hour <= 24)
}

/// An hour that is not the beginning of a longer number or time: not the `1` of `1.250`.
fn lone_hour(tokens: &Tokens<'_>, index: usize) -> Option<(u32, usize)> {
    let (hour, to) = hour(tokens, index)?;
    let joins = ['.', ',', ':'].into_iter().any(|mark| tokens.mark(to, mark)) && tokens.is_glued(to);
    let goes_on = joins && tokens.is_glued(to + 1) && tokens.digits(to + 1).is_some();
    (!goes_on).then_some((hour, to))
}

fn small(tokens: &Tokens<'_>, index: usize) -> Option<(u32, usize)> {
    if let Some(number) = tokens.small(index, 2) {
        return Some((number, index + 1));
    }
    let (number, next) = number::words(tokens, index)?;
    u32::try_from(number).ok().filter(|&number| number < 60).map(|number| (number, next))
}
