//! How a query leans, by its form.

use std::sync::LazyLock;

use regex::Regex;

use crate::fusion::Lean;
use crate::propose::pattern;

/// How much of a query is looked at, in bytes.
const LOOKED_AT: usize = 4_096;

/// The words a bare question opens with.
static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^\W*(?:and |but |so |ok |okay |a |pa |i |e )?(?:",
        r"have|has|had|do|does|did|was|were|is|are|am|how|what|when|where|which|who|whom|whose|why|can|could|should|would|will|in which|on which|at which|between|given|considering|",
        r"gdje|kako|kad|kada|otkad|tko|koga|kome|cime|sto|sta|zasto|koji|koja|koje|koju|kojem|kojim|kojoj|kojeg|kojih|koliko|cija|ciji|cije|u koj\w+|na koj\w+|s koj\w+|zar|jel|je li|jesam|da li|",
        r"\w+ li)\b"
    ))
});

/// It is about what the other said, not the owner.
static OTHER_SAID: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:did you|have you|had you|you (?:\w+ )?(?:recommended|suggested|mentioned|told|gave|said|proposed|explained|outlined|advised|promised|offered|wrote|showed|listed)|",
        r"your (?:recommendation|suggestion|advice|plan|answer|list|explanation)s?|",
        r"(?:jesi|si) (?:\w+ ){0,2}(?:rekao|rekla|predlozi\w+|preporuci\w+|savjetova\w+|objasni\w+|spomenu\w+|napisa\w+|dao|dala|naveo|navela)|",
        r"(?:rekao|rekla|predlozi(?:o|la)|preporuci(?:o|la)|savjetova(?:o|la)|objasni(?:o|la)|spomenu(?:o|la)|napisa(?:o|la)) si|tvoj\w* (?:savjet|prijedlog|preporuk|odgovor|plan|popis)\w*)\b"
    ))
});

static ADVICE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:suggest|suggestions?|recommend|recommendations?|advise|advice|should i|should we|can you (?:help|show|walk|explain|plan)|could you (?:help|show|plan)|help me|",
        r"how (?:can|could|should|do|would) (?:i|we)|what (?:\w+ )?(?:tools?|steps?|ways|options|ideas)|",
        r"predloz\w*|prijedlog\w*|preporuc\w*|posavjet\w*|savjet\w*|trebam li|trebamo li|da li da|kako da|sto da|kako bih|mogu li|mozes li mi (?:pomoci|pokazati|objasniti)|pomozi\w*|sto mi je najbolje)\b"
    ))
});

/// Words of people who talk with each other, as against those of a search.
static TALKS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:i|i'm|i've|i'd|i'll|we|we're|we've|let's|you|your|my|me|please|thanks|thank you|hello|hi|",
        r"sam|smo|si|ste|cu|cemo|bih|bismo|hocu|zelim|mogu|moram|trebam|mi|me|ti|moj\w*|molim|hvala|bok|hajde|hajdemo|ajmo)\b"
    ))
});

static LIKING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:prefer\w*|favou?rites?|rather|loves?|loved|likes?|liked|enjoy\w*|hates?|hated|dislike\w*|avoid\w*|want to keep|interested|can't stand|",
        r"vol(?:im|imo|io|jela|jeli)|najdraz\w*|draz[aei]\w*|radije|preferira\w*|mrzim\w*|svida\w*|omiljen\w*|izbjegava\w*|ne podnosim|zanima)\b"
    ))
});

/// Fewer words than this are a search, not talk.
const TALK_WORDS_MIN: usize = 6;

/// The leaning of a query, folded.
pub(super) fn of(folded: &str) -> Lean {
    let folded = &folded[..folded.floor_char_boundary(LOOKED_AT)];
    let asks = folded.trim_end().ends_with('?') && ASKS.is_match(folded);
    let advice = ADVICE.is_match(folded);
    let talk = !asks && folded.split_whitespace().nth(TALK_WORDS_MIN - 1).is_some() && TALKS.is_match(folded);
    Lean {
        own_words: asks && !OTHER_SAID.is_match(folded),
        advice,
        conversation: talk && !(advice && folded.trim_end().ends_with('?')),
    }
}

/// Whether a message says what its author likes.
pub(super) fn states_liking(text: &str) -> bool {
    LIKING.is_match(&crate::propose::fold(&text[..text.floor_char_boundary(LOOKED_AT)]))
}

#[cfg(test)]
mod tests {
    use super::{of, states_liking};
    use crate::propose::fold;

    fn lean(text: &str) -> crate::fusion::Lean {
        of(&fold(text))
    }

    #[test]
    fn a_bare_question_is_answered_by_the_owners_words() {
        for text in [
            "When does my first sprint end?",
            "Have I ever met Ana?",
            "How many books did I say I own?",
            "Koliko knjiga imam?",
            "Gdje mi rade roditelji?",
            "Jesam li ikad upoznao Anu?",
            "Je li Ana vegetarijanka?",
            "Imam li auto?",
        ] {
            assert!(lean(text).own_words, "{text}");
            assert!(!lean(text).conversation, "{text}");
        }
        for text in [
            "What did you recommend for the plan?",
            "Which hotel have you suggested?",
            "Što si mi predložio za plan?",
            "Koji je bio tvoj savjet?",
            "deploy port",
            "Hello. I'm ready to work on that CV again. How should we adjust it?",
        ] {
            assert!(!lean(text).own_words, "{text}");
        }
    }

    #[test]
    fn advice_is_shaped_by_likings() {
        for text in [
            "Can you suggest some films for tonight?",
            "How should I structure my essay?",
            "Možeš li mi preporučiti restoran?",
            "Što da kuham večeras?",
        ] {
            assert!(lean(text).advice, "{text}");
        }
        assert!(!lean("When does my first sprint end?").advice);
        assert!(!lean("Gdje živi Ana?").advice);
        assert!(states_liking("I prefer Trello to paper"));
        assert!(states_liking("Više volim čaj, kavu izbjegavam"));
        assert!(!states_liking("The sprint ends on Friday"));
    }

    #[test]
    fn talk_is_told_from_search() {
        assert!(lean("Hello. I'm ready to get that wine sheet formatted for my phone").conversation);
        assert!(
            lean("Bok, htio bih nastaviti s onim planom, nisam stigao jučer, pa sam umoran").conversation
        );
        assert!(!lean("wine sheet phone format red white rose").conversation);
        assert!(!lean("Ana").conversation);
    }
}
