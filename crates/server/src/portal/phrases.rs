//! Phrases: everything the portal says, in every language it says it in.

use super::language::Language;

macro_rules! phrases {
    ($($name:ident: $english:literal, $croatian:literal;)+) => {
        /// Something the portal says.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Phrase { $(
            #[doc = $english]
            $name,
        )+ }

        impl Phrase {
            /// The phrase in a language.
            pub const fn in_language(self, language: Language) -> &'static str {
                match (self, language) { $(
                    (Self::$name, Language::English) => $english,
                    (Self::$name, Language::Croatian) => $croatian,
                )+ }
            }

            /// Every phrase.
            #[cfg(test)]
            pub const ALL: &[Self] = &[$(Self::$name),+];
        }
    };
}

phrases! {
    // The frame.
    SkipToContent: "Skip to content", "Preskoči na sadržaj";
    Pages: "Pages", "Stranice";
    Memory: "Memory", "Pamćenje";
    Search: "Search", "Traži";
    Disputes: "Disputes", "Sporovi";
    Turns: "Turns", "Replike";
    Sources: "Sources", "Izvori";
    Timeline: "Timeline", "Kronologija";
    Health: "Health", "Stanje";
    Keys: "Keys", "Ključevi";
    MemoryOf: "Memory of", "Pamćenje:";
    WhoseMemory: "Whose memory", "Čije pamćenje";
    SignOut: "Sign out", "Odjava";
    TimesAreTold: "Times are told in", "Vremena su u zoni";
    Apply: "Apply", "Primijeni";
    ForPrograms: "The same for programs", "Isto za programe";
    NextPage: "Next page", "Sljedeća stranica";
    NotFound: "Nothing is here", "Ovdje nema ničega";
    NotFoundText: "There is no such page, or nothing that you may see.", "Takve stranice nema, ili nema ničega što smijete vidjeti.";
    NotDone: "That could not be done", "To nije bilo moguće";
    ToMemory: "To the memory", "Na pamćenje";
    SeenTo: "Seen up to entry", "Viđeno do zapisa";
    AndMore: "and as many more:", "i još toliko:";
    Without: "Note", "Napomena";

    // Signing in.
    SignIn: "Sign in", "Prijava";
    SignInText: "This is where you see what is remembered, why, and on whose word; and where you correct it or have it forgotten.", "Ovdje vidite što se pamti, zašto i na čiju riječ, i ovdje to ispravljate ili dajete zaboraviti.";
    ApiKey: "Your key", "Vaš ključ";
    ApiKeyHint: "It begins with testimony_ and is not kept here. Over a network the page must be reached by https. A key is made with", "Počinje s testimony_ i ovdje se ne čuva. Preko mreže stranici se pristupa putem https. Ključ se izrađuje naredbom";

    // Time.
    From: "from", "od";
    Until: "until", "do";
    OpenEnd: "with no end yet", "zasad bez kraja";
    TheBeginning: "the beginning", "početka";
    Now: "now", "sada";
    When: "When", "Kada";
    AnotherMoment: "Look at another moment", "Pogledaj drugi trenutak";
    TwoClocks: "Two clocks: what was true in the world at one instant, as far as this system held it at another.", "Dva sata: što je u jednom trenutku vrijedilo u svijetu, koliko je ovaj sustav o tome držao u drugom.";
    TrueInTheWorld: "true in the world", "vrijedi u svijetu";
    HeldByThisSystem: "held by this system", "ovaj sustav to drži";
    Held: "held", "drži se";
    InstantsOfChange: "the instants at which something changed", "trenuci u kojima se nešto promijenilo";
    Look: "Look", "Pogledaj";
    BackToNow: "Back to now", "Natrag na sada";
    ToldAt: "As of", "Stanje:";

    // The memory.
    EveryClass: "Every class", "Svi razredi";
    AllOfClass: "All of them", "Sve iz razreda";
    NothingHere: "There is nothing here.", "Ovdje nema ničega.";
    NothingRemembered: "Nothing has been remembered yet. What you or your agents say is kept here, each thing with the words it rests on.", "Još ništa nije zapamćeno. Ovdje se čuva ono što kažete vi ili vaši agenti, svaka stvar s riječima na kojima počiva.";
    InDispute: "in dispute", "sporno";
    LastSaid: "last said", "posljednji put rečeno";
    Words: "Words", "Riječi";

    // A fact.
    HoldsNow: "holds now", "sada vrijedi";
    HoldsNothing: "Nothing holds now; what held before is below.", "Sada ne vrijedi ništa; što je vrijedilo prije, stoji niže.";
    DisputedNow: "Two sides contradict each other here.", "Dvije si strane ovdje proturječe.";
    SeeDisputes: "See both and decide", "Pogledajte obje i odlučite";
    TwoClocksTitle: "On two clocks", "Na dva sata";
    ChartTitle: "The versions of this fact on two clocks", "Verzije ove činjenice na dva sata";
    ChartText: "From left to right the time in the world, from top to bottom the time this system knew of it.", "Slijeva nadesno vrijeme u svijetu, odozgo prema dolje vrijeme u kojem je ovaj sustav za to znao.";
    ChartCaption: "Each area is a version: how long it is true in the world, by how long this system held that. A thick edge is where it begins, a thin one where it ends; an open side has no end yet, a dashed one was retired. The steps are the instants at which something changed, not to scale.", "Svaka je ploha jedna verzija: koliko vrijedi u svijetu i koliko je to ovaj sustav držao. Debeli rub je početak, tanki kraj; otvorena strana zasad nema kraja, isprekidana je povučena. Koraci su trenuci u kojima se nešto promijenilo i nisu u mjerilu.";
    StatesCaption: "The same as a table", "Isto kao tablica";
    Version: "Version", "Verzija";
    Value: "Value", "Vrijednost";
    State: "State", "Stanje";
    Retired: "retired", "povučeno";
    Receipts: "The words behind it", "Riječi iza toga";
    WordsGone: "The words behind it are gone.", "Riječi iza toga više nema.";
    WhatHappened: "What happened", "Što se dogodilo";
    Reason: "Reason", "Razlog";
    WholeMessage: "the whole message", "cijela poruka";
    OnlyQuotesKept: "Only the quoted words are kept.", "Čuvaju se samo navedene riječi.";
    TakesBack: "takes it back", "opoziva";
    Inferred: "inferred", "zaključeno";
    ProposedBy: "proposed by", "predložio";
    Confidence: "confidence", "pouzdanost";
    AdmittedUnder: "admitted under", "primljeno po";

    // Correcting.
    Correct: "Correct", "Ispravi";
    CorrectTitle: "Correct a memory", "Ispravi sjećanje";
    StandsNow: "It says now", "Sada kaže";
    WhatIsRight: "What is right", "Što je točno";
    WhatIsRightHint: "In your own words. Nothing is overwritten: what it said before stays in its history.", "Svojim riječima. Ništa se ne prepisuje: ono što je pisalo prije ostaje u povijesti.";
    SeeWhatHappens: "See what would happen", "Pogledaj što bi se dogodilo";
    DryRun: "What would happen", "Što bi se dogodilo";
    Ends: "Ends", "Završava";
    StaysInHistory: "It stays in the history.", "Ostaje u povijesti.";
    Begins: "Begins", "Počinje";
    KeptAsEvidence: "Kept as your words", "Čuva se kao vaše riječi";
    WouldBeRefused: "This would be refused; nothing would change.", "Ovo bi bilo odbijeno; ništa se ne bi promijenilo.";
    CorrectNow: "Correct it", "Ispravi";
    LeaveAsItIs: "Leave it as it is", "Ostavi kako jest";
    Corrected: "It is corrected. What it said before is in its history.", "Ispravljeno je. Što je pisalo prije, stoji u povijesti.";

    // Forgetting.
    Forget: "Forget", "Zaboravi";
    ForgetFact: "Forget this fact", "Zaboravi ovu činjenicu";
    ForgetSource: "Forget this source", "Zaboravi ovaj izvor";
    ForgetMessage: "Forget this message", "Zaboravi ovu poruku";
    ForgetTitle: "Forget", "Zaboravi";
    ForgetEverything: "Forget everything", "Zaboravi sve";
    ForgetEverythingText: "Everything that is remembered here, with the words it rests on and the keys that they are sealed with: older copies cannot be read for it either.", "Sve što se ovdje pamti, s riječima na kojima počiva i ključevima kojima su zapečaćene: ni starije se kopije za to ne mogu čitati.";
    NameToConfirm: "To confirm, write whose memory this is:", "Za potvrdu napišite čije je ovo pamćenje:";
    ForgetText: "Below is exactly what goes, what stays on other words, and what stands again.", "Niže je točno navedeno što nestaje, što ostaje na drugim riječima i što ponovno vrijedi.";
    WouldGo: "What would go", "Nestalo bi";
    Goes: "Goes", "Nestaje";
    Reduced: "Only what others quote stays", "Ostaje samo ono što drugi navode";
    Stays: "Stays, on other words", "Ostaje, na drugim riječima";
    Reopens: "Stands again", "Ponovno vrijedi";
    ForgetForGood: "This cannot be undone: the words are in no file afterwards. A receipt of it is kept, without a word.", "Ovo se ne može poništiti: riječi poslije nema ni u jednoj datoteci. O tome ostaje potvrda, bez ijedne riječi.";
    ForgetNow: "Forget it for good", "Zaboravi zauvijek";
    ForgottenWithoutResidue: "It is forgotten. Every file was searched, and nothing of it was found.", "Zaboravljeno je. Pretražena je svaka datoteka i ništa od toga nije nađeno.";
    ForgottenWithResidue: "It is forgotten, but pieces were still found in so many places; the operator should run `testimony verify`:", "Zaboravljeno je, ali dijelovi su još nađeni na toliko mjesta; upravitelj neka pokrene `testimony verify`:";
    StaysOnOtherWords: "Stays on other words", "Ostaje na drugim riječima";
    StandsAgain: "Stands again", "Ponovno vrijedi";
    ErasureReceipt: "Receipt of an erasure", "Potvrda o brisanju";
    BorneOut: "The chain bears it out", "Lanac to potvrđuje";
    NotBorneOut: "The chain does not bear this out.", "Lanac to ne potvrđuje.";
    AskedBy: "Asked by", "Zatražio";
    AskedFor: "Asked for", "Zatraženo";
    RowsGone: "Rows that went", "Redaka nestalo";
    AppendThatRecords: "Entry that records it", "Zapis koji to bilježi";
    ChainHash: "Hash of the chain", "Sažetak lanca";
    ReceiptAsData: "As data, to keep", "Kao podaci, za čuvanje";

    // Disputes.
    DisputesText: "Where two sides contradict each other, both are kept until you decide, and your reason is recorded.", "Gdje si dvije strane proturječe, čuvaju se obje dok ne odlučite, a vaš se razlog bilježi.";
    NoDisputes: "Nothing contradicts itself.", "Ništa si ne proturječi.";
    WhichHolds: "Which one holds?", "Što vrijedi?";
    ReasonWhy: "Why", "Zašto";
    Decide: "Decide", "Odluči";
    DisputeResolved: "It is decided. The act and your reason stand in the history below.", "Odlučeno je. Odluka i vaš razlog stoje niže u povijesti.";

    // Turns.
    Turn: "Turn", "Replika";
    TurnsText: "For each turn of a conversation: what was considered, what was handed to the model, what was used, and why.", "Za svaku repliku razgovora: što je razmotreno, što je predano modelu, što je upotrijebljeno i zašto.";
    NoTurns: "No turn has been resolved yet.", "Još nema nijedne replike.";
    Triage: "Before looking", "Prije pogleda";
    Room: "Room for", "Mjesta za";
    PacketLength: "Handed over", "Predano";
    MadeAgain: "Made again just now", "Upravo ponovljeno";
    Identical: "the same, byte for byte", "isto, bajt po bajt";
    Differs: "not the same", "nije isto";
    NotConsidered: "Not considered, since there were too many", "Nije razmotreno jer je bilo previše";
    TurnShowsDispute: "Some of what was selected contradicts itself; both sides were handed over.", "Dio odabranoga si proturječi; predane su obje strane.";
    SelectedTitle: "Selected", "Odabrano";
    NothingSelected: "Nothing was selected.", "Ništa nije odabrano.";
    DroppedTitle: "Considered and not selected", "Razmotreno i neodabrano";
    NothingDropped: "Everything that was considered was selected.", "Odabrano je sve što je razmotreno.";
    ForgottenSince: "forgotten since", "u međuvremenu zaboravljeno";
    WasUsed: "used in the reply", "upotrijebljeno u odgovoru";
    Relevance: "relevance", "važnost";
    Important: "matters in general", "općenito važno";

    // Sources.
    SourcesText: "Where words come from, and how much of the memory rests on each.", "Odakle riječi dolaze i koliko pamćenja na čemu počiva.";
    NoSources: "There is no source yet.", "Još nema nijednog izvora.";
    CopyOf: "a copy of another source", "kopija drugog izvora";
    WhatItSaid: "What it said", "Što je rekao";
    Message: "Message", "Poruka";
    CutHere: "The message is longer than what is shown here.", "Poruka je dulja od prikazanoga.";
    FirstSeen: "First seen", "Prvi put viđeno";
    Hash: "Hash of the text", "Sažetak teksta";
    HashGone: "none any more: part of it was forgotten", "više ga nema: dio je zaboravljen";
    ClaimsOnIt: "What rests on it", "Što na tome počiva";
    NoClaims: "Nothing rests on it.", "Na tome ne počiva ništa.";

    // Search.
    SearchFor: "What do you look for?", "Što tražite?";
    Grain: "Where", "Gdje";
    GrainFact: "in facts", "u činjenicama";
    GrainEvidence: "in messages", "u porukama";
    GrainCompiled: "in compiled pages", "u sastavljenim stranicama";
    Found: "Found", "Nađeno";
    MoreMatch: "and more match", "a odgovara ih još";
    Score: "Score", "Ocjena";

    // The timeline.
    TimelineText: "Everything that happened, in the order this system came to hold it.", "Sve što se dogodilo, redom kojim je ovaj sustav to saznao.";

    // Health.
    HowMuch: "What is remembered", "Što se pamti";
    Watermark: "Last entry", "Posljednji zapis";
    HowItFinds: "How it is found", "Kako se nalazi";
    Model: "Model for meaning", "Model za značenje";
    NoModel: "none; found by words only", "nema ga; nalazi se samo po riječima";
    WithoutVector: "Not yet read by the model", "Model još nije pročitao";
    InForce: "In force", "Na snazi";
    Policy: "Policy of turns", "Pravila za replike";
    WhatItDoes: "What it does", "Što čini";
    ShadowLane: "Shadow lane", "Usporedna proba";
    NoShadow: "none", "nema je";
    ShadowOff: "switched off", "isključena";
    ShadowTries: "tries", "isprobava";
    Sound: "Whether it is sound", "Je li ispravno";
    AllSound: "All is well", "Sve je u redu";
    Damage: "Something is wrong", "Nešto nije u redu";
    CheckAll: "Read everything back and check", "Pročitaj sve i provjeri";

    // Keys.
    NoKeys: "There is no key yet.", "Još nema nijednog ključa.";
    EverySubject: "for every subject", "za sve subjekte";
    SomeSubjects: "for the subjects sealed in it", "za subjekte zapečaćene u njemu";
    Created: "made", "izrađen";
    Expires: "valid until", "vrijedi do";
    Revoke: "Revoke", "Opozovi";
    NewKey: "A new key", "Novi ključ";
    KeyName: "Name of its holder", "Ime vlasnika ključa";
    KeyNameHint: "It stands on receipts and decisions.", "Stoji na potvrdama i odlukama.";
    KeyAllows: "What it allows", "Što dopušta";
    KeySubjects: "For these subjects", "Za ove subjekte";
    KeySubjectsHint: "Names with commas between them.", "Imena odvojena zarezima.";
    ForEverySubject: "for every subject there is", "za svaki subjekt koji postoji";
    KeyExpires: "Valid until; for ever, when left empty", "Vrijedi do; zauvijek, ako je prazno";
    MakeKey: "Make the key", "Izradi ključ";
    KeyMadeFor: "A key was made for", "Izrađen je ključ za";
    KeyShownOnce: "It is shown this once; copy it now.", "Prikazuje se samo sada; odmah ga kopirajte.";
    KeyRevoked: "The key opens nothing any more, and its sessions have ended.", "Ključ više ništa ne otvara, a njegove su prijave završile.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_is_said_in_every_language() {
        for phrase in Phrase::ALL {
            let [english, croatian] = Language::ALL.map(|language| phrase.in_language(language));
            assert!(!english.is_empty() && !croatian.is_empty(), "{phrase:?}");
            assert_ne!(english, croatian, "{phrase:?} is not translated");
            // Both end as a sentence, or neither does.
            assert_eq!(english.ends_with('.'), croatian.ends_with('.'), "{phrase:?}");
            assert_eq!(english.ends_with('?'), croatian.ends_with('?'), "{phrase:?}");
        }
    }
}
