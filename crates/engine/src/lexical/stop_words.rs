//! Function words of English and Croatian: they carry grammar, so they tell the language of a text, hold a
//! phrase together, and never score alone.

use std::sync::LazyLock;

use foldhash::quality::FixedState;
use hashbrown::HashMap;

use super::analyse::Language;

/// A word marked `*` is an ordinary word of the other language (`sam` is Croatian for `am`, and a name) and so
/// is left out only where the text is known to be in the language of its list.
const ENGLISH: &str = "
    a about above after again against ain all also although am an and any are aren aren't as at be because been
    before being below between both but by can can't cannot could couldn couldn't d did* didn didn't do does
    doesn doesn't doing don* don't down during each either else even ever few for from further had hadn hadn't
    has hasn hasn't have haven haven't having he he'd he'll he's her here here's hers herself him himself his http https
    how how's i i'd i'll i'm i've if in into is isn isn't it it'd it'll it's its itself just let let's ll m me
    more* most* much must mustn't my myself neither no nor not now o of off on once only or other ought our ours
    ourselves out over own per quite rather re s same shall shan't she she'd she'll she's should shouldn
    shouldn't since so some such t than that that's the their theirs them themselves then there there's these
    they they'd they'll they're they've this those though through thus to too under until up upon us ve very was
    wasn wasn't we we'd we'll we're we've were weren weren't what what's when when's where where's whether which
    while who who's whom whose why why's will* with within without won't would wouldn wouldn't www yet you you'd
    you'll you're you've your yours yourself yourselves";

const CROATIAN: &str = "
    a ako ali bas bez* bi bih bila* bili bilo bio* bismo biste biti bude budem budemo budes budete budu cak ce cega
    cemo cemu ces cete cim* cime cu da dakle dok do ga gde gdje god* hocu i iako ih ili im* ima* imam imao imati iz
    izmedu ja jako je jedan jedna jedno jel jer jesam jesi jesmo jesu jos ju kad kada kako kao ka kod* koga koja
    koje kojeg kojem koji kojih kojim kojima kojoj koju kroz li me medu mene meni mi mnome mnom moj moja moje
    mojeg mojem moji mojih mojim mojoj moju mu* na nad nama nas nasa nase nasi ne neka neke neki neko nekom
    nego ni nije nisam nisi nismo niste nisu niti njega njegov njegova njegovo njemu njen njena njih njihov
    njihova njim njima njoj nju no o od on ona one oni onaj ono onda oko ova ovaj ove ovi ovo ovog ovom pa pak po
    pod* pored prema pri* prije s sa sam* samo se sebe sebi si sta sto ste smo su svi sve svoj svoja svoje
    svoju svojim ta tada taj tako takoder te tebe tebi ti tih tim* time* to tog toga toj tom* tome tu* tvoj tvoja
    tvoje u uz va* vam vama vas vasa vase vasi vec ve* vi vrlo za zar zasto zbog";

/// What frames a question rather than asks it: `can you tell me how many different …`. Such a word counts
/// little in a question, and like any other in what is remembered.
const FRAMES: &[&str] = &[
    "across",
    "ask",
    "asked",
    "conversation",
    "conversations",
    "detail",
    "details",
    "different",
    "discuss",
    "discussed",
    "give",
    "help",
    "kazi",
    "know",
    "koliko",
    "list",
    "many",
    "mention",
    "mentioned",
    "molim",
    "need",
    "please",
    "podsjeti",
    "pomozi",
    "popis",
    "predlozi",
    "preporuci",
    "provide",
    "reci",
    "recommend",
    "remember",
    "remind",
    "said",
    "say",
    "session",
    "sessions",
    "sjecas",
    "suggest",
    "talk",
    "talked",
    "tell",
    "told",
    "use",
    "using",
    "want",
    "znas",
];

/// Whether a lower-case word with folded diacritics frames a question.
pub(super) fn frames(word: &str) -> bool {
    FRAMES.binary_search(&word).is_ok()
}

/// Which lists a word stands in.
#[derive(Clone, Copy, Default)]
pub(super) struct Membership {
    english: bool,
    croatian: bool,
    /// An ordinary word elsewhere: a stop word only in its own language.
    shared: bool,
}

impl Membership {
    /// The one language this word is evidence for, if any.
    pub(super) fn evidence(self) -> Option<Language> {
        match (self.english, self.croatian, self.shared) {
            (true, false, false) => Some(Language::English),
            (false, true, false) => Some(Language::Croatian),
            _ => None,
        }
    }

    /// Whether the word is grammar, not content, in a text of that language.
    pub(super) fn stops(self, language: Language) -> bool {
        match language {
            Language::English => self.english,
            Language::Croatian => self.croatian,
            Language::Unclear => (self.english || self.croatian) && !self.shared,
        }
    }
}

const LONGEST: usize = 10;

/// Looks a lower-case word with folded diacritics up in both lists.
pub(super) fn membership(word: &str) -> Membership {
    if word.len() > LONGEST {
        return Membership::default();
    }
    LISTS.get(word).copied().unwrap_or_default()
}

static LISTS: LazyLock<HashMap<&'static str, Membership, FixedState>> = LazyLock::new(|| {
    let mut lists: HashMap<&'static str, Membership, FixedState> =
        HashMap::with_hasher(FixedState::with_seed(1));
    for (list, croatian) in [(ENGLISH, false), (CROATIAN, true)] {
        for entry in list.split_whitespace() {
            let word = entry.trim_end_matches('*');
            let member = lists.entry(word).or_default();
            member.english |= !croatian;
            member.croatian |= croatian;
            member.shared |= entry.ends_with('*');
        }
    }
    lists
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_one_language_is_evidence_and_a_shared_one_is_not() {
        for (word, evidence) in [
            ("the", Some(Language::English)),
            ("gdje", Some(Language::Croatian)),
            ("i", None),
            ("sam", None),
            ("zagreb", None),
        ] {
            assert_eq!(membership(word).evidence(), evidence, "{word}");
        }
    }

    #[test]
    fn frames_are_sorted_for_the_binary_search() {
        assert!(FRAMES.is_sorted());
    }

    #[test]
    fn a_shared_word_stops_only_in_its_own_language() {
        assert!(membership("sam").stops(Language::Croatian));
        assert!(!membership("sam").stops(Language::English));
        assert!(!membership("sam").stops(Language::Unclear));
        assert!(membership("the").stops(Language::Unclear));
    }
}
