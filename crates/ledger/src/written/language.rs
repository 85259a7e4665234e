//! Names of languages: the one kind of value that is mostly stated in other words than it is stored in
//! (`hr` for "answer in Croatian", `Croatian` for "odgovaraj na hrvatskom").

use super::token::{Kind, Tokens};

/// The ISO 639-1 code of a language that a whole value names, as a code (`hr`, `en-GB`) or a name.
pub(crate) fn of_value(tokens: &Tokens<'_>) -> Option<Vec<&'static str>> {
    if let Some(code) = tag(tokens) {
        return Some(vec![code]);
    }
    let mut codes = Vec::new();
    for token in tokens.iter() {
        match (token.kind, &*token.plain) {
            (Kind::Mark, "," | "/" | "&" | "." | ";") => {}
            (
                Kind::Word,
                "and" | "or" | "i" | "ili" | "language" | "jezik" | "jeziku" | "in" | "na" | "only" | "samo",
            ) => {}
            (Kind::Word, word) => codes.push(of_word(word)?),
            _ => return None,
        }
    }
    Some(codes).filter(|codes| !codes.is_empty())
}

/// The language a word names, in English or in any form of the Croatian adjective.
pub(crate) fn of_word(word: &str) -> Option<&'static str> {
    const ENDINGS: &[&str] = &["i", "og", "oga", "om", "ome", "omu", "a", "e", "u", "oj", "im", "ih", "o"];
    if word.len() < 4 {
        return None;
    }
    LANGUAGES.iter().find_map(|&(code, _, english, croatian)| {
        let named = english.contains(&word)
            || word.strip_prefix(croatian).is_some_and(|ending| ENDINGS.contains(&ending));
        named.then_some(code)
    })
}

/// Whether a quote names a language: by name, or by a code that is no word.
pub(crate) fn stands(tokens: &Tokens<'_>, language: &str, value_is_tag: bool) -> bool {
    let (two, three) =
        LANGUAGES.iter().find(|row| row.0 == language).map_or((language, ""), |row| (row.0, row.1));
    tokens.iter().any(|token| {
        if token.kind != Kind::Word {
            return false;
        }
        let code = &*token.plain == two || &*token.plain == three;
        // `it`, `no`, `is` and `he` are codes and words: they name a language only in capitals.
        let plain_code =
            code && value_is_tag && (token.is_acronym() || !super::name::is_function_word(&token.plain));
        plain_code || of_word(&token.plain) == Some(language)
    })
}

/// Whether the value is a language tag: `hr`, `hrv`, `en-GB`, `zh-Hant`.
pub(crate) fn tag(tokens: &Tokens<'_>) -> Option<&'static str> {
    let word = tokens.word(0)?;
    let region = tokens.len() == 3
        && (tokens.mark(1, '-') || tokens.mark(1, '_'))
        && tokens.get(2).is_some_and(|token| (2..=4).contains(&token.text.len()));
    if !(tokens.len() == 1 || region) {
        return None;
    }
    LANGUAGES.iter().find(|row| row.0 == word || row.1 == word).map(|row| row.0)
}

/// ISO 639-1 code, ISO 639-3 code, English names, and the stem of the Croatian adjective in plain form.
type Row = (&'static str, &'static str, &'static [&'static str], &'static str);

const LANGUAGES: &[Row] = &[
    ("ar", "ara", &["arabic"], "arapsk"),
    ("bg", "bul", &["bulgarian"], "bugarsk"),
    ("bn", "ben", &["bengali", "bangla"], "bengalsk"),
    ("bs", "bos", &["bosnian"], "bosansk"),
    ("ca", "cat", &["catalan"], "katalonsk"),
    ("cs", "ces", &["czech"], "cesk"),
    ("cy", "cym", &["welsh"], "velsk"),
    ("da", "dan", &["danish"], "dansk"),
    ("de", "deu", &["german", "deutsch"], "njemack"),
    ("el", "ell", &["greek"], "grck"),
    ("en", "eng", &["english"], "englesk"),
    ("es", "spa", &["spanish", "castilian", "espanol"], "spanjolsk"),
    ("et", "est", &["estonian"], "estonsk"),
    ("eu", "eus", &["basque"], "baskijsk"),
    ("fa", "fas", &["persian", "farsi"], "perzijsk"),
    ("fi", "fin", &["finnish"], "finsk"),
    ("fr", "fra", &["french", "francais"], "francusk"),
    ("ga", "gle", &["irish"], "irsk"),
    ("he", "heb", &["hebrew"], "hebrejsk"),
    ("hi", "hin", &["hindi"], "hindsk"),
    ("hr", "hrv", &["croatian", "hrvatski"], "hrvatsk"),
    ("hu", "hun", &["hungarian"], "madarsk"),
    ("id", "ind", &["indonesian"], "indonezijsk"),
    ("is", "isl", &["icelandic"], "islandsk"),
    ("it", "ita", &["italian"], "talijansk"),
    ("ja", "jpn", &["japanese"], "japansk"),
    ("kn", "kan", &["kannada"], "kannadsk"),
    ("ko", "kor", &["korean"], "korejsk"),
    ("la", "lat", &["latin"], "latinsk"),
    ("lt", "lit", &["lithuanian"], "litavsk"),
    ("lv", "lav", &["latvian"], "latvijsk"),
    ("mk", "mkd", &["macedonian"], "makedonsk"),
    ("ml", "mal", &["malayalam"], "malajalamsk"),
    ("mr", "mar", &["marathi"], "marathsk"),
    ("nl", "nld", &["dutch"], "nizozemsk"),
    ("no", "nor", &["norwegian"], "norvesk"),
    ("pl", "pol", &["polish"], "poljsk"),
    ("pt", "por", &["portuguese"], "portugalsk"),
    ("ro", "ron", &["romanian"], "rumunjsk"),
    ("ru", "rus", &["russian"], "rusk"),
    ("sk", "slk", &["slovak"], "slovack"),
    ("sl", "slv", &["slovene", "slovenian"], "slovensk"),
    ("sq", "sqi", &["albanian"], "albansk"),
    ("sr", "srp", &["serbian"], "srpsk"),
    ("sv", "swe", &["swedish"], "svedsk"),
    ("sw", "swa", &["swahili"], "svahilsk"),
    ("ta", "tam", &["tamil"], "tamilsk"),
    ("te", "tel", &["telugu"], "telugsk"),
    ("th", "tha", &["thai"], "tajlandsk"),
    ("tr", "tur", &["turkish"], "tursk"),
    ("uk", "ukr", &["ukrainian"], "ukrajinsk"),
    ("ur", "urd", &["urdu"], "urdsk"),
    ("vi", "vie", &["vietnamese"], "vijetnamsk"),
    ("zh", "zho", &["chinese", "mandarin"], "kinesk"),
];
