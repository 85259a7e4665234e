//! Names of places, people and organisations: where they end, and their base form in Croatian where that is safe.
//!
//! `u Zagrebu` is Zagreb and `u Zadru` is Zadar, but what `u Rimcu` comes from cannot be told from the letters. A known place is
//! looked up; an unknown name is changed only where the ending allows one reading, and otherwise kept as written: a name in an
//! odd case is better than a wrong one.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::fold::fold;

/// The grammatical case a name stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// As in a dictionary; every English name.
    Base,
    /// After `u` of place: `u Zagrebu`.
    Locative,
    /// After `u` of direction, `za`, `imam`, of a thing or a woman: `u Pulu`, `mačku Micu`.
    Accusative,
    /// After `imam`, of a man or a male animal: `sina Filipa`.
    AccusativeAlive,
    /// After `kod`, `član`: `kod Ane`.
    Genitive,
}

/// Places known by name, so that they are recognised in lower case and inflected. `Base=form,form` adds irregular forms.
const PLACES: &str = "Zagreb Split Rijeka=rijeci Osijek Zadar Pula Slavonski_Brod=slavonskom_brodu Karlovac Varaždin Šibenik Sisak Velika_Gorica=velikoj_gorici,veliku_goricu \
    Dubrovnik Bjelovar Koprivnica Požega Vinkovci=vinkovcima,vinkovce Vukovar Đakovo=dakovu Samobor Zaprešić Čakovec Virovitica Kutina Metković Makarska=makarskoj,makarsku \
    Rovinj Poreč Umag Opatija Trogir Solin Kaštela=kastelima Sinj Knin Gospić Ogulin Krapina Križevci=krizevcima,krizevce Korčula Hvar Vis Krk Pag Rab Supetar \
    Ljubljana Maribor Celje Kranj Koper Beograd Novi_Sad=novom_sadu Sarajevo Mostar Tuzla Banja_Luka=banjoj_luci,banja_luci,banju_luku Podgorica Skopje \
    Beč Graz Salzburg Linz Innsbruck Berlin München Minhen Hamburg Frankfurt Köln Stuttgart Düsseldorf Leipzig Zürich Ženeva Bern Pariz Lyon Rim Milano Trst Venecija Torino Firenca \
    Madrid Barcelona Lisabon London Dublin Edinburgh Amsterdam Rotterdam Utrecht Bruxelles Oslo Stockholm Kopenhagen Helsinki Varšava Krakov Prag Bratislava \
    Budimpešta Bukurešt Sofija Atena Istanbul Tokio Peking Moskva \
    Lisbon Porto Vienna Munich Cologne Zurich Geneva Paris Rome Milan Venice Copenhagen Warsaw Krakow Prague Budapest Bucharest Sofia Athens Brussels Antwerp Ghent Manchester Bristol \
    Glasgow Leeds Toronto Montreal Vancouver Ottawa Boston Chicago Seattle Austin Denver Houston Dallas Atlanta Miami Portland Philadelphia Oakland Tokyo Kyoto Osaka Seoul Singapore \
    Sydney Melbourne Brisbane Auckland Bangalore Mumbai Delhi Chennai Hyderabad Lagos Nairobi Cairo Bogotá Lima Santiago Tallinn Riga Vilnius Gothenburg Malmö Belgrade \
    New_York=new_yorku Los_Angeles=los_angelesu San_Francisco San_Diego Mexico_City Buenos_Aires=buenos_airesu Cape_Town Hong_Kong=hong_kongu Tel_Aviv=tel_avivu";

/// First names known in lower case; only for words that already stand where a name is expected.
const FIRST_NAMES: &str = "ana anna ivan ivana marko marija maria luka petar petra josip ivo iva maja mia ema emma lucija lucia filip david jakov mateo matej matija tea tena tina nina nika nikola \
    dino dora dunja goran gordana hana helena igor irena jelena jasna kristina katarina karla karlo kruno lana lara lea leo lovro marin marina mario martina mate mihael mirna monika niko \
    noa ozren paula robert roko sanja sara silvija sinisa stipe tomislav toni vedran vesna viktor vlado zeljka zoran zvonimir antonio ante antonija andrea andrija bruno damir danijel \
    tom thomas sam samuel ben john james michael mark marcus peter paul george daniel dan alex alexander chris christopher kevin steve steven jack oliver harry noah liam lucas max henry \
    emily olivia sophia sophie chloe grace lily lucy kate katie laura rachel rebecca sarah jessica amy alice eva zoe linda lisa julia mei priya deepa karthik raj amir omar fatima aisha \
    yuki kenji chen wei jose juan carlos miguel pedro pablo sofia elena irina olga sergei dmitri lars nils sven ingrid astrid hans klaus ursula giulia marco luigi pierre marie jean claire";

/// Capitalised words that are no name where one is expected.
const NOT_NAMES: &str = "asap tomorrow today later soon crazy i i'm my we our the a an and or so monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december \
    ponedjeljak utorak srijeda cetvrtak petak subota nedjelja sorry tired busy late here back fine ok okay good great happy sad sick home not just also very really still sure ready done \
    croatian english german french italian spanish american british irish canadian indian japanese chinese vegan vegetarian italian brazilian austrian serbian slovenian bosnian hungarian russian ukrainian australian norwegian romanian bulgarian belgian egyptian iranian asian african mexican dutch greek polish swiss swedish danish finnish turkish portuguese vietnamese korean \
    catholic muslim jewish christian hrvat hrvatica mud bob's god \
    ja ti mi vi on ona za u na ne da to ta taj tu";

static FORMS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let mut forms = HashMap::new();
    for entry in PLACES.split_whitespace() {
        let (base, irregular) = entry.split_once('=').unwrap_or((entry, ""));
        let plain = fold(base).replace('_', " ");
        for form in irregular.split(',').filter(|form| !form.is_empty()) {
            forms.insert(form.replace('_', " "), base);
        }
        for form in regular_forms(&plain) {
            forms.entry(form).or_insert(base);
        }
        forms.insert(plain, base);
    }
    forms
});

/// The cases a regular noun shows after `u`, `iz`, `do`.
fn regular_forms(plain: &str) -> Vec<String> {
    let mut forms = Vec::new();
    if let Some(stem) = plain.strip_suffix('a') {
        forms.extend([format!("{stem}i"), format!("{stem}u"), format!("{stem}e")]);
    } else if let Some(stem) = plain.strip_suffix(['o', 'e']) {
        forms.extend([format!("{stem}u"), format!("{stem}a")]);
    } else {
        forms.extend([format!("{plain}u"), format!("{plain}a")]);
        // The a (or e) that comes and goes: Zadar, u Zadru; Sisak, u Sisku; Karlovac, u Karlovcu; Čakovec, u Čakovcu.
        for (ending, short) in [("ar", "r"), ("ak", "k"), ("ac", "c"), ("ec", "c")] {
            if let Some(stem) = plain.strip_suffix(ending) {
                forms.extend([format!("{stem}{short}u"), format!("{stem}{short}a")]);
            }
        }
    }
    forms
}

/// A known place by any of its forms, in any spelling of letters.
pub(super) fn place(written: &str) -> Option<String> {
    FORMS.get(&fold(written)).map(|base| base.replace('_', " "))
}

/// The names that begin here: consecutive capitalised words, joined by small words of names. None if the first is not one.
///
/// Returns the end of the name as a byte offset of `text`.
pub(super) fn proper_noun(text: &str, words_max: usize) -> Option<usize> {
    let mut end = None;
    let mut words = 0_usize;
    let mut offset = 0_usize;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let core = word.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '+' | '#'));
        let core = core.strip_suffix('.').unwrap_or(core);
        let owner = core.strip_suffix("'s").or_else(|| core.strip_suffix("’s"));
        let possessive = owner.is_some();
        let core = owner.unwrap_or(core);
        let capital = core.chars().next().is_some_and(char::is_uppercase);
        let number = words > 0 && core.chars().next().is_some_and(|c| c.is_ascii_digit()) && core.len() <= 3;
        let joint = words > 0
            && matches!(word, "&" | "of" | "de" | "von" | "van" | "der" | "la" | "d.o.o." | "d.d." | "i");
        if capital || number {
            if words == 0 && !may_be_name(core) {
                return None;
            }
            if words > 0 && core == "I" {
                break;
            }
            words += 1;
            end = Some(offset + core.len());
        } else if !joint || words >= words_max {
            break;
        }
        if words >= words_max || possessive || (core.len() < word.len() && !joint && !word.ends_with('.')) {
            break;
        }
        offset += piece.len();
    }
    end
}

/// Whether a capitalised word may be part of a name: days, months, peoples and "I" are not.
pub(super) fn may_be_name(word: &str) -> bool {
    let word = fold(word);
    !NOT_NAMES.split_whitespace().any(|other| other == word)
}

/// A person's name that begins here: one or two capitalised words, or one well-known first name in lower case.
pub(super) fn person(text: &str) -> Option<usize> {
    proper_noun(text, 2).or_else(|| {
        let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
        text.get(..end).filter(|word| is_first_name(word)).map(|_| end)
    })
}

/// Whether a word is a well-known first name, in any case of letters.
pub(super) fn is_first_name(word: &str) -> bool {
    let word = fold(word);
    !word.is_empty() && FIRST_NAMES.split_whitespace().any(|name| fold(name) == word)
}

/// The base form of a name that stands in a case, where the ending allows one reading; else as written.
pub(super) fn base_form(name: &str, case: Case) -> String {
    if case == Case::Base {
        return name.to_owned();
    }
    if let Some(place) = place(name) {
        return place;
    }
    // KBC-u, Google-a: the hyphen says where the name ends.
    for ending in ["-u", "-a", "-om", "-ovom"] {
        if let Some(stem) = name.strip_suffix(ending) {
            return stem.to_owned();
        }
    }
    name.split(' ').map(|word| base_word(word, case)).collect::<Vec<_>>().join(" ")
}

/// Endings that hide no vowel: `u Photomathu`, `u Nordwindu`.
const CLUSTERS: [&str; 24] = [
    "th", "nd", "rd", "st", "nt", "ft", "ld", "lt", "ck", "ll", "ss", "rk", "rt", "rm", "ng", "ct", "ch",
    "sh", "ff", "tt", "rp", "nn", "rs", "nk",
];

fn base_word(word: &str, case: Case) -> String {
    let keep = || word.to_owned();
    let letters: Vec<char> = word.chars().collect();
    let [.., before_that, before, last] = letters[..] else { return keep() };
    let consonant = |c: char| c.is_alphabetic() && !is_vowel(c);
    if case == Case::Accusative && last == 'u' && is_vowel(before) {
        // Octaviu, Leu: in this case no other ending leads here.
        return letters.iter().take(letters.len() - 1).chain(&['a']).collect();
    }
    if case == Case::Locative && last == 'u' && matches!(before, 'e' | 'o') && letters.len() >= 5 {
        return letters.iter().take(letters.len() - 1).collect(); // u Oracleu
    }
    if !consonant(before) || letters.len() < 4 && case != Case::Accusative {
        return keep();
    }
    let stem: String = letters.iter().take(letters.len() - 1).collect();
    match (case, last) {
        // u Infobipu, but not u Rimcu: two consonants may hide a vowel that comes back.
        (Case::Locative, 'u')
            if is_vowel(before_that) || CLUSTERS.iter().any(|pair| stem.ends_with(pair)) =>
        {
            stem
        }
        // u Podravki; not u …ci, …zi, …si, which may come from k, g, h.
        (Case::Locative, 'i') if !matches!(before, 'c' | 'z' | 's') => stem + "a",
        (Case::Accusative, 'u') => stem + "a",
        (Case::AccusativeAlive, 'a') if is_vowel(before_that) || before == 's' => stem,
        (Case::AccusativeAlive, 'u') => stem + "a",
        (Case::Genitive, 'e') => stem + "a",
        (Case::Genitive, 'a') if is_vowel(before_that) => stem,
        _ => keep(),
    }
}

fn is_vowel(c: char) -> bool {
    matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u')
}

/// The first letter of each word made a capital, for a name typed in lower case.
pub(super) fn capitalised(name: &str) -> String {
    if name.chars().any(char::is_uppercase) {
        return name.to_owned();
    }
    name.split(' ')
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        })
        .collect::<Vec<_>>()
        .join(" ")
}
