//! Labels: what the words of the interface (classes, transitions, reasons, codes) are called for people.
//!
//! A word that is not known here, such as a predicate that a deployment added, is told as it is.

use ledger::registry::{Class, Registry};

use super::desk::Reader;
use super::language::Language;
use crate::access::Right;

/// Says a word in the reader's language, or as it is.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($word:literal: $english:literal, $croatian:literal;)+ }) => {
        $(#[$doc])*
        pub(super) fn $name(reader: &Reader, word: &str) -> String {
            let (english, croatian) = match word {
                $($word => ($english, $croatian),)+
                other => return super::words::flat(other),
            };
            match reader.language {
                Language::English => english,
                Language::Croatian => croatian,
            }
            .to_owned()
        }

        #[cfg(test)]
        pub(super) mod $name {
            /// The words that are known.
            pub const WORDS: &[&str] = &[$($word),+];
        }
    };
}

/// A class of memories.
pub(super) fn class(reader: &Reader, class: Class) -> &'static str {
    match (reader.language, class) {
        (Language::English, Class::Identity) => "Identity",
        (Language::English, Class::Constraint) => "Constraints",
        (Language::English, Class::Preference) => "Preferences",
        (Language::English, Class::Project) => "Projects",
        (Language::English, Class::Relationship) => "Relationships",
        (Language::English, Class::World) => "World",
        (Language::English, Class::Note) => "Notes",
        (Language::Croatian, Class::Identity) => "Identitet",
        (Language::Croatian, Class::Constraint) => "Ograničenja",
        (Language::Croatian, Class::Preference) => "Sklonosti",
        (Language::Croatian, Class::Project) => "Projekti",
        (Language::Croatian, Class::Relationship) => "Odnosi",
        (Language::Croatian, Class::World) => "Svijet",
        (Language::Croatian, Class::Note) => "Bilješke",
    }
}

/// What people call a predicate.
pub(super) fn predicate(reader: &Reader, name: &str) -> String {
    match reader.language {
        Language::English => {
            Registry::shipped().get(name).map_or_else(|| spaced(name), |known| known.label.clone())
        }
        Language::Croatian => croatian_predicate(name).map_or_else(|| spaced(name), str::to_owned),
    }
}

fn spaced(name: &str) -> String {
    super::words::flat(&name.replace('_', " "))
}

fn croatian_predicate(name: &str) -> Option<&'static str> {
    Some(match name {
        "name" => "ime",
        "pronouns" => "zamjenice",
        "birthday" => "rođendan",
        "timezone" => "vremenska zona",
        "home_city" => "mjesto stanovanja",
        "employer" => "poslodavac",
        "role" => "uloga",
        "speaks" => "govori",
        "member_of" => "član",
        "contact" => "podaci za kontakt",
        "language" => "odgovarati na jeziku",
        "no_meetings_before" => "bez sastanaka prije",
        "no_meetings_after" => "bez sastanaka poslije",
        "budget_limit" => "granica proračuna",
        "communication_style" => "način komunikacije",
        "dietary_restriction" => "ograničenje u prehrani",
        "allergic_to" => "alergija",
        "never_do" => "nikada",
        "likes" => "voli",
        "dislikes" => "ne voli",
        "prefers" => "radije",
        "routine" => "navika",
        "goal" => "cilj",
        "uses" => "koristi",
        "project_status" => "stanje",
        "project_deadline" => "rok",
        "project_owner" => "voditelj",
        "project_location" => "mjesto",
        "works_on" => "radi na",
        "decision" => "odlučeno",
        "belongs_in" => "pripada u",
        "spouse" => "bračni drug",
        "manager" => "nadređeni",
        "knows" => "poznaje",
        "colleague_of" => "kolega",
        "parent_of" => "roditelj",
        "related_to" => "obitelj",
        "cares_for" => "skrbi za",
        "owns" => "posjeduje",
        "status" => "status",
        "title" => "naslov",
        "version" => "izdanje",
        "superseded_by" => "zamijenjeno s",
        "replaces" => "zamjenjuje",
        "resolution" => "rješenje",
        "headcount" => "broj zaposlenih",
        "based_in" => "sjedište",
        "head_of" => "na čelu",
        "works_for" => "radi za",
        "founded_on" => "osnovano",
        "supersedes" => "nadomješta",
        "revenue" => "prihod",
        "said" => "rečeno",
        "mentions" => "spominje",
        "attended" => "prisustvovao",
        "part_of" => "dio",
        "note" => "bilješka",
        "also_called" => "zove se i",
        "stance" => "stajalište",
        _ => return None,
    })
}

/// A right.
pub(super) fn right(reader: &Reader, right: Right) -> &'static str {
    match (reader.language, right) {
        (Language::English, Right::Read) => "read",
        (Language::English, Right::Write) => "write and correct",
        (Language::English, Right::Forget) => "forget",
        (Language::English, Right::Admin) => "administer",
        (Language::English, Right::Service) => "speak as the service",
        (Language::Croatian, Right::Read) => "čitanje",
        (Language::Croatian, Right::Write) => "pisanje i ispravljanje",
        (Language::Croatian, Right::Forget) => "zaboravljanje",
        (Language::Croatian, Right::Admin) => "upravljanje",
        (Language::Croatian, Right::Service) => "govor u ime usluge",
    }
}

words! {
    /// Whose word a memory rests on.
    realm {
        "owner": "your own word", "vaša riječ";
        "world": "from documents and others", "iz dokumenata i od drugih";
    }
}

words! {
    /// How true to the words something is.
    fidelity {
        "visible_transcript": "word for word", "doslovno";
        "transcript_snapshot": "word for word, from a copy", "doslovno, iz kopije";
        "hybrid_record": "partly word for word", "djelomice doslovno";
        "structured_summary": "a summary", "sažetak";
        "derived_projection": "derived", "izvedeno";
        "inferred": "inferred from several quotes", "zaključeno iz više navoda";
        "unsupported": "no words support it any more", "više ga ne podupiru nikakve riječi";
    }
}

words! {
    /// What happened to a version.
    transition {
        "open": "first said", "prvi put rečeno";
        "confirm": "said again", "ponovno rečeno";
        "supersede": "a new value took over", "nova je vrijednost preuzela";
        "history": "placed in the past", "smješteno u prošlost";
        "dispute": "contradicted", "osporeno";
        "close": "ended", "završeno";
        "reopen": "stands again", "ponovno vrijedi";
        "resolve": "a dispute was decided", "spor je riješen";
    }
}

words! {
    /// Whether a version is held.
    standing {
        "held": "held", "vrijedi";
        "retired": "retired", "povučeno";
    }
}

words! {
    /// Who spoke.
    author {
        "owner": "The owner", "Vlasnik";
        "assistant": "An assistant", "Asistent";
        "service": "The service", "Usluga";
        "external": "Somebody else", "Netko drugi";
    }
}

words! {
    /// The sort of a source.
    source_kind {
        "conversation": "conversation", "razgovor";
        "note": "note", "bilješka";
        "document": "document", "dokument";
        "mailbox": "mailbox", "poštanski sandučić";
        "mail": "mail", "pošta";
        "remember": "kept on purpose", "zapamćeno namjerno";
    }
}

words! {
    /// Which editions of a source are its word.
    mode {
        "snapshot": "does not change", "ne mijenja se";
        "living": "its newest edition counts", "vrijedi najnovije izdanje";
    }
}

words! {
    /// How much of the words is kept.
    retention {
        "full": "kept whole", "čuva se cijelo";
        "quotes": "only quotes are kept", "čuvaju se samo navodi";
    }
}

words! {
    /// What was decided before a turn looked into memory.
    triage {
        "RETRIEVE": "looked into memory", "pogledano u pamćenje";
        "ASK": "asked first", "prvo upitano";
        "SKIP": "needed nothing", "ništa nije trebalo";
    }
}

words! {
    /// Why a turn selected a memory.
    selected_because {
        "matches": "matches the message", "odgovara poruci";
        "generally_important": "matters in general", "općenito je važno";
        "class_bonus": "its class was preferred", "razred mu ima prednost";
        "dispute": "contradicts one that was selected", "proturječi odabranome";
        "room": "there was room", "bilo je mjesta";
        "hinted": "the caller said the turn is about it", "pozivatelj je rekao da je o tome riječ";
        "related": "a selected relation leads to it", "do njega vodi odabrani odnos";
        "hop": "a step on the way that was walked", "korak na prijeđenom putu";
    }
}

words! {
    /// Why a turn did not select a memory.
    dropped_because {
        "not_relevant": "neither matches nor matters in general", "niti odgovara niti je općenito važno";
        "slot_budget": "more relevant ones took the places", "mjesta su zauzela važnija";
        "important_budget": "more important ones took the places kept for such", "mjesta za važno zauzela su važnija";
        "token_budget": "no room for its words", "nije bilo mjesta za njegove riječi";
        "dispute_not_whole": "its dispute could not enter whole", "spor nije mogao ući cijel";
        "skipped": "the turn needed nothing from memory", "replika nije trebala ništa iz pamćenja";
        "below_floor": "matches too little", "premalo odgovara";
        "repeats": "another says nearly the same", "drugo kaže gotovo isto";
        "entry_cap": "enough notes and preferences were selected", "odabrano je dovoljno bilješki i sklonosti";
    }
}

words! {
    /// The kind of a "no".
    negative {
        "unknown_entity": "Nobody and nothing of that name is known here.", "Ovdje nije poznat nitko i ništa tog imena.";
        "known_empty": "Nothing is remembered about that.", "O tome se ništa ne pamti.";
        "boundary": "That lies beyond what this memory holds.", "To je izvan onoga što ovo pamćenje sadrži.";
        "": "Nothing was found.", "Ništa nije nađeno.";
    }
}

words! {
    /// A kind of thing that forgetting concerns.
    thing {
        "source": "source", "izvor";
        "message": "message", "poruka";
        "version": "version", "verzija";
    }
}

words! {
    /// What an erasure was asked for.
    erasure {
        "ids": "things by their ids", "stvari po oznakama";
        "source": "a source", "izvor";
        "messages": "messages by where and when they were said", "poruke po mjestu i vremenu";
        "subject": "everything", "sve";
    }
}

words! {
    /// A kind of rows that went.
    row {
        "sources": "sources", "izvori";
        "evidence": "messages", "poruke";
        "reduced": "messages of which other quotes are left", "poruke od kojih ostaju drugi navodi";
        "facts": "facts", "činjenice";
        "claims": "claims", "tvrdnje";
        "acts": "acts", "radnje";
        "transitions": "transitions", "prijelazi";
        "supports": "supports", "potpore";
    }
}

words! {
    /// What a refusal means.
    refusal {
        "bad_input": "What was sent breaks a rule.", "Poslano krši pravilo.";
        "bad_request": "What was sent is not of the right shape.", "Poslano nema ispravan oblik.";
        "body_too_long": "The form is too long.", "Obrazac je predugačak.";
        "busy": "The memory is busy.", "Pamćenje je zauzeto.";
        "changed_since": "Something changed since this was shown. Look again, then confirm.", "Nešto se promijenilo otkad je ovo prikazano. Pogledajte ponovno, pa potvrdite.";
        "conflict": "Somebody else changed it at the same time.", "Netko drugi to je istodobno promijenio.";
        "data_permission": "The server may not write its data directory.", "Poslužitelj ne smije pisati u svoj direktorij s podacima.";
        "deadline": "It took too long.", "Trajalo je predugo.";
        "disk": "The server's disk fails.", "Disk poslužitelja zakazuje.";
        "forgotten": "These words were forgotten on request.", "Te su riječi zaboravljene na zahtjev.";
        "form_expired": "This form is no longer valid. Open the page again and send it once more.", "Obrazac više ne vrijedi. Otvorite stranicu ponovno i pošaljite ga još jednom.";
        "full": "The disk is full.", "Disk je pun.";
        "internal": "Something went wrong on our side.", "Nešto je pošlo po zlu na našoj strani.";
        "no_valid_key": "That key opens nothing here.", "Taj ključ ovdje ništa ne otvara.";
        "not_permitted": "Your key does not allow that.", "Vaš ključ to ne dopušta.";
        "not_your_subject": "Your key is not for that subject.", "Vaš ključ nije za taj subjekt.";
        "overloaded": "Too much is going on at once.", "Previše se toga događa odjednom.";
        "page_gone": "The list changed. Begin again from its first page.", "Popis se promijenio. Krenite opet od prve stranice.";
        "too_many_calls": "Your key asks more often than it may.", "Vaš ključ pita češće nego što smije.";
        "too_slow": "The form did not arrive in time.", "Obrazac nije stigao na vrijeme.";
    }
}

#[cfg(test)]
mod tests {
    use ledger::evidence::Author;
    use ledger::fact::{Standing, TransitionKind};
    use ledger::source::{Fidelity, Mode, Retention};
    use ledger::time::Zone;
    use ledger::turn::{DropReason, Triage, Why};

    use super::*;

    type Label = fn(&Reader, &str) -> String;

    fn croatian() -> Reader {
        Reader { language: Language::Croatian, zone: Zone::utc() }
    }

    #[test]
    fn every_word_is_told_in_both_languages() {
        let english = Reader { language: Language::English, zone: Zone::utc() };
        let croatian = croatian();
        let sets: [(Label, &[&str]); 15] = [
            (realm, realm::WORDS),
            (fidelity, fidelity::WORDS),
            (transition, transition::WORDS),
            (standing, standing::WORDS),
            (author, author::WORDS),
            (source_kind, source_kind::WORDS),
            (mode, mode::WORDS),
            (retention, retention::WORDS),
            (triage, triage::WORDS),
            (selected_because, selected_because::WORDS),
            (dropped_because, dropped_because::WORDS),
            (negative, negative::WORDS),
            (thing, thing::WORDS),
            (erasure, erasure::WORDS),
            (row, row::WORDS),
        ];
        for (label, words) in sets {
            for word in words {
                assert_ne!(label(&english, word), label(&croatian, word), "{word}");
            }
        }
        for code in refusal::WORDS {
            let told = [refusal(&english, code), refusal(&croatian, code)];
            assert!(told[0] != told[1] && told.iter().all(|told| told.ends_with('.')), "{told:?}");
        }
    }

    #[test]
    fn every_word_of_the_ledger_has_a_label() {
        let sets: [(Vec<&str>, &[&str]); 8] = [
            (TransitionKind::ALL.iter().map(|one| one.as_str()).collect(), transition::WORDS),
            (Standing::ALL.iter().map(|one| one.as_str()).collect(), standing::WORDS),
            (Author::ALL.iter().map(|one| one.as_str()).collect(), author::WORDS),
            (Fidelity::ALL.iter().map(|one| one.as_str()).collect(), fidelity::WORDS),
            (Mode::ALL.iter().map(|one| one.as_str()).collect(), mode::WORDS),
            (Retention::ALL.iter().map(|one| one.as_str()).collect(), retention::WORDS),
            (DropReason::ALL.iter().map(|one| one.as_str()).collect(), dropped_because::WORDS),
            (Why::ALL.iter().map(|one| one.as_str()).collect(), selected_because::WORDS),
        ];
        for (words, known) in sets {
            for word in words {
                assert!(known.contains(&word), "{word}");
            }
        }
        assert!(Triage::ALL.iter().all(|one| triage::WORDS.contains(&one.as_str())));
    }

    #[test]
    fn every_predicate_that_is_shipped_has_a_croatian_name() {
        let missing: Vec<&str> = Registry::shipped()
            .iter()
            .map(|predicate| predicate.name.as_str())
            .filter(|name| croatian_predicate(name).is_none())
            .collect();
        assert_eq!(missing, Vec::<&str>::new());
        assert_eq!(predicate(&croatian(), "a_house_word"), "a house word");
        assert_eq!(standing(&croatian(), "retired"), "povučeno");
        assert_eq!(standing(&croatian(), "other\u{202e}"), "other\u{fffd}");
    }
}
