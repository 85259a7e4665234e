//! A light suffix stemmer for Croatian, because no published Rust crate has one and because a person who
//! says `u Zagrebu` must be found by `Zagreb`.
//!
//! It works on lower-case text whose diacritics were already folded (`š` to `s`), so that `zivim` and
//! `živim` meet. Four steps, each of which only shortens or replaces the end of the word:
//!
//! 1. `dj`, the common way to type `đ` without a Croatian keyboard, becomes `d`;
//! 2. the superlative `naj-` goes, and then the longest inflectional ending that leaves enough of a word;
//! 3. a fleeting `a` goes (`sastanak` beside `sastanka`), and so does the `l` of `kupljen` beside `kupiti`;
//! 4. palatalised ends go back (`sastanci` beside `sastanak`, `knjizi` beside `knjiga`).
//!
//! It is a conflation key, not a lemma: `rad`, `raditi` and `radnik` may or may not share one. The endings
//! were chosen on one half of a treebank's development set and measured on the other half.

/// Endings in no particular order; the longest that fits is taken.
///
/// First and second person verb endings are kept although newspapers, from which one would learn such a
/// list, hardly use them: people talking about themselves use little else.
const ENDINGS: &[&str] = &[
    "a", "aju", "ala", "ale", "ali", "alo", "am", "ama", "amo", "anja", "anje", "anjem", "anjima", "anju",
    "ano", "anoj", "ao", "ate", "ati", "avali", "avao", "avsi", "e", "ecih", "eg", "ega", "ela", "ele",
    "eli", "elo", "em", "emo", "emu", "en", "ena", "ene", "eni", "enih", "enim", "enja", "enje", "enjem",
    "enjima", "enju", "eno", "enog", "enoj", "enom", "enu", "es", "ete", "eti", "eve", "evi", "evima", "i",
    "ih", "ijeg", "ijih", "ijim", "ijoj", "ila", "ile", "ili", "ilo", "im", "ima", "imo", "io", "ira",
    "iraju", "irala", "irali", "iram", "iran", "irana", "irane", "irani", "iranja", "iranje", "irano",
    "irao", "irati", "is", "ite", "iti", "ivala", "ivale", "ivali", "ivalo", "ivam", "ivao", "ivati", "ivsi",
    "jela", "jele", "jeli", "jelo", "jeti", "la", "le", "li", "ljen", "ljena", "ljene", "ljeni", "ljenih",
    "ljenim", "ljenja", "ljenje", "ljenju", "ljeno", "ljenog", "ljenom", "ljenu", "lo", "mo", "nula", "nuli",
    "nulo", "nuo", "nuti", "o", "og", "oga", "oj", "om", "ome", "omu", "ova", "ovala", "ovale", "ovali",
    "ovalo", "ovao", "ovati", "ove", "ovi", "ovima", "ovu", "u", "uje", "ujem", "ujemo", "ujes", "ujete",
    "uju",
];

const LONGEST_ENDING: usize = 6;

/// Frequent words whose forms share too little for any ending to join them.
const IRREGULAR: &[(&str, &str)] = &[
    ("braca", "brat"),
    ("bracu", "brat"),
    ("covjek", "covjek"),
    ("deca", "diet"),
    ("dece", "diet"),
    ("deci", "diet"),
    ("decu", "diet"),
    ("dete", "diet"),
    ("dijete", "diet"),
    ("djeteta", "diet"),
    ("deteta", "diet"),
    ("ici", "id"),
    ("isao", "id"),
    ("isla", "id"),
    ("jesti", "jed"),
    ("kcer", "kc"),
    ("kceri", "kc"),
    ("kci", "kc"),
    ("ljude", "covjek"),
    ("ljudi", "covjek"),
    ("ljudima", "covjek"),
    ("oca", "otac"),
    ("ocem", "otac"),
    ("oci", "oci"),
    ("ocu", "otac"),
    ("otac", "otac"),
    ("pas", "pas"),
    ("posao", "posl"),
    ("posla", "posl"),
    ("psa", "pas"),
    ("pse", "pas"),
    ("psi", "pas"),
    ("psima", "pas"),
    ("psom", "pas"),
    ("psu", "pas"),
    ("radio", "rad"),
];

/// Appends the stem of `word` to `stem`. `word` is lower-case with folded diacritics; anything else is
/// returned unchanged, since no rule then applies to it.
pub fn stem_into(word: &str, stem: &mut String) {
    let start = stem.len();
    if !word.is_ascii() || word.len() <= 2 || word.bytes().any(|byte| !byte.is_ascii_lowercase()) {
        stem.push_str(word);
        return;
    }
    let mut previous = 0_u8;
    for letter in word.bytes() {
        if !(previous == b'd' && letter == b'j') {
            stem.push(char::from(letter));
        }
        previous = letter;
    }
    if let Some(&(_, root)) = IRREGULAR.iter().find(|(form, _)| *form == &stem[start..]) {
        stem.truncate(start);
        stem.push_str(root);
        return;
    }
    if stem[start..].starts_with("naj") && stem.len() - start > 7 {
        stem.replace_range(start..start + 3, "");
    }
    if stem[start..].ends_with("oscu") {
        // `radošću` is the instrumental of `radost`.
        stem.truncate(stem.len() - 2);
        stem.push('t');
        return;
    }
    strip_ending(stem, start);
    restore_root(stem, start);
}

fn strip_ending(stem: &mut String, start: usize) {
    let word = &stem[start..];
    let shortest = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { 2 } else { 3 };
    // Everything here is ASCII, so each byte index is a character boundary.
    for length in (1..=LONGEST_ENDING.min(word.len().saturating_sub(shortest))).rev() {
        if ENDINGS.binary_search(&&word[word.len() - length..]).is_ok() {
            let kept = stem.len() - length;
            stem.truncate(kept);
            return;
        }
    }
}

fn restore_root(stem: &mut String, start: usize) {
    let is_vowel = |byte: u8| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u');
    if let [.., before, b'a', last] = stem.as_bytes()[start..]
        && stem.len() - start >= 5
        && matches!(last, b'k' | b'c' | b'n' | b'l' | b'r' | b'm' | b't' | b'v' | b'g')
        && !is_vowel(before)
    {
        stem.truncate(stem.len() - 2);
        stem.push(char::from(last));
    }
    if ["blj", "mlj", "plj", "vlj"].iter().any(|end| stem[start..].ends_with(end)) {
        stem.truncate(stem.len() - 2);
    }
    if stem.len() - start > 2 {
        let restored = match stem.as_bytes().last() {
            Some(b'c') => 'k',
            Some(b'z') => 'g',
            _ => return,
        };
        stem.pop();
        stem.push(restored);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(word: &str) -> String {
        let mut stem = String::new();
        stem_into(word, &mut stem);
        stem
    }

    #[test]
    fn endings_are_sorted_for_the_binary_search() {
        assert!(ENDINGS.is_sorted());
        assert_eq!(ENDINGS.iter().map(|ending| ending.len()).max(), Some(LONGEST_ENDING));
    }

    #[test]
    fn forms_of_one_word_share_a_stem() {
        for forms in [
            "grad grada gradu gradom gradovi gradova gradove gradovima",
            "zagreb zagreba zagrebu zagrebom",
            "volim voli volis volimo volite voljeti volio voljela",
            "sastanak sastanka sastanku sastanci sastanaka sastancima",
            "zivim zivi zivis zivimo zivjeti zivio",
            "knjiga knjige knjizi knjigu knjigama",
            "ruka ruke ruci ruku rukama",
            "marko marka marku markom",
            "ivana ivane ivani ivanu ivanom",
            "ana ane ani anu anom",
            "petak petka petkom",
            "posao posla poslu poslovi",
            "pas psa psu psi psima",
            "ucim uci ucis uciti ucenje",
            "alergican alergicna alergicni",
            "deca djeca djece djeci dijete",
            "kupio kupila kupiti kupim kupljen",
            "radost radosti radoscu",
        ] {
            let stems: Vec<String> = forms.split(' ').map(stem).collect();
            assert!(stems.iter().all(|other| *other == stems[0]), "{forms}: {stems:?}");
        }
    }

    #[test]
    fn different_words_stay_apart() {
        for (left, right) in [("grad", "gram"), ("kava", "kosa"), ("petak", "pet"), ("split", "spilja")] {
            assert_ne!(stem(left), stem(right), "{left} {right}");
        }
    }

    #[test]
    fn what_is_not_a_folded_word_is_unchanged() {
        for word in ["", "u", "東京", "Grad", "9:30", "čaj"] {
            assert_eq!(stem(word), word);
        }
    }
}
