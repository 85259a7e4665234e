//! The Croatian patterns of `rules/1`.
//!
//! Matched like the English ones, in folded text: `č` is `c`, `ž` is `z`, so that what is typed without diacritics is
//! read too. Each past tense has its two genders (`preselio`, `preselila`) and the plural.

use super::name::Case::{Accusative, AccusativeAlive, Base, Genitive, Locative};
use super::rule::{Rule, Take, assert, retract};

pub(super) fn rules() -> Vec<Rule> {
    let project = r"projekt (?P<p>[\w-]+)";
    let me = r"(?:ja )?";
    vec![
        // constraints
        assert("no_meetings_before", r"^(?:bez|nemoj\w*|ne (?:zelim|mogu|primam|zakazuj|stavljaj)|nikad\w*|nikakvi?h?)\b[\w ]{0,40}?\b(?:sastan\w+|poziv\w*)\b[\w ]{0,15}?\bprije ", Take::Time { evening: false }).sure(0.9),
        assert("no_meetings_after", r"^(?:bez|nemoj\w*|ne (?:zelim|mogu|primam|zakazuj|stavljaj)|nikad\w*|nikakvi?h?)\b[\w ]{0,40}?\b(?:sastan\w+|poziv\w*)\b[\w ]{0,15}?\b(?:poslije|nakon|iza) ", Take::Time { evening: true }).sure(0.9),
        assert("language", r"^(?:uvijek |samo )*(?:odgovaraj|odgovori|pisi|pricaj|govori|komuniciraj)(?:te)?(?: mi| sa mnom)?(?: uvijek| samo| iskljucivo)? na ", Take::Language).sure(0.9),
        assert("communication_style", r"^(?:uvijek )?(?P<v>(?:odgovaraj|pisi|odgovori|objasnjavaj)(?:te)?(?: mi)? (?:kratko|jasno|sazeto|jednostavno|formalno|neformalno|izravno|detaljno|u natuknicama)(?: i (?:kratko|jasno|sazeto|jednostavno|formalno|izravno))?)$", Take::Group),
        assert("communication_style", r"^(?P<v>uvijek (?:navedi|daj|koristi|dodaj|objasni|pokazi|spomeni|provjeri|predlozi|pitaj|odgovori|odgovaraj|pisi|nabroji)\b.{3,120}\b(?:kad|kada|kad god) (?:te |god )?(?:pitam|trazim|pisem|spomenem)\b.{0,80})$", Take::Group).sure(0.85),
        assert("communication_style", r"^(?:uvijek )?(?P<v>budi (?:izrav(?:an|na)|krat(?:ak|ka)|jas(?:an|na)|konkret(?:an|na)|iskren\w?|sazet\w?|formal(?:an|na)))(?: sa mnom)?$", Take::Group),
        assert("communication_style", r"^(?P<v>nemoj(?:te)? (?:mi )?(?:koristiti|pisati|stavljati) (?:emoji\w*|smajli\w*|zargon|tablice|natuknice|markdown))\b", Take::Group),
        assert("budget_limit", r"^(?:(?:moj|nas) (?:budzet|proracun|limit)|(?:budzet|proracun) (?:mi|nam)) je (?:do |oko |najvise )?", Take::Money).sure(0.9),
        assert("budget_limit", r"^(?:ne mogu|ne mozemo|ne zelim) (?:potrositi|platiti|dati) (?:vise od|preko) ", Take::Money).sure(0.9),
        retract("allergic_to", r"^vise nisam alergic(?:an|na) na ", Take::Text),
        assert("allergic_to", &format!(r"^{me}(?:sam )?(?:jako )?alergic(?:an|na) (?:sam )?na "), Take::List).sure(0.95),
        assert("allergic_to", r"^imam (?:jaku |tesku )?alergiju na ", Take::List).sure(0.9),
        retract("dietary_restriction", &format!(r"^{me}vise nisam (?P<v>vegetarijan(?:ac|ka)|vegan(?:ka)?)$"), Take::Group),
        assert("dietary_restriction", &format!(r"^{me}(?:sam )?(?P<v>vegetarijan(?:ac|ka)|vegan(?:ka)?)(?: sam)?$"), Take::Group).sure(0.9),
        assert("dietary_restriction", r"^(?P<v>ne (?:jedem|smijem jesti) (?:nista s )?.{3,40})$", Take::Clause),
        assert("never_do", r"^(?:nikada? nemoj(?:te)?|nemoj(?:te)? nikada?|nikada? ne smijes|ne smijes nikada?) ", Take::Order).sure(0.9),
        // retractions
        retract("home_city", &format!(r"^{me}(?:vise ne (?:zivim|stanujem)|ne (?:zivim|stanujem) vise) u "), Take::City(Locative)),
        retract("home_city", r"^(?:odselil[aio]|iselil[aio]|odselio) (?:sam|smo) (?:se )?iz ", Take::City(Genitive)),
        retract("works_on", &format!(r"^{me}(?:vise ne radim|ne radim vise) na "), Take::Text),
        retract("employer", &format!(r"^{me}(?:vise ne radim|ne radim vise|vise nisam zaposlen[a]?) u "), Take::Organisation(Locative)),
        retract("employer", &format!(r"^{me}(?:vise ne radim|ne radim vise) za "), Take::Organisation(Accusative)),
        retract("employer", r"^da(?:o|la) sam otkaz u ", Take::Organisation(Locative)),
        retract("employer", r"^napusti(?:o|la) sam ", Take::Organisation(Accusative)),
        retract("likes", &format!(r"^{me}(?:vise ne volim|ne volim vise) "), Take::Text),
        retract("uses", &format!(r"^{me}(?:vise ne koristi(?:m|mo)|ne koristi(?:m|mo) vise) "), Take::Text),
        retract("uses", r"^presta(?:o|la|li) (?:sam|smo) koristiti ", Take::Text),
        // identity
        assert("name", &format!(r"^{me}(?:zovem se|ime mi je|moje ime je) "), Take::Person(Base)).sure(0.95),
        assert("name", r"^(?:ja sam|ovdje) ", Take::OwnName).sure(0.85),
        assert("pronouns", r"^(?:moje zamjenice su|zamjenice su mi) (?P<v>[a-z]+/[a-z]+)", Take::Group).sure(0.9),
        assert("birthday", r"^(?:ja sam )?rodj?en[a]? (?:sam )?", Take::Date { year_needed: true }).sure(0.95),
        assert("birthday", r"^(?:rodj?endan mi je|moj rodj?endan je) ", Take::Date { year_needed: true }).sure(0.95),
        assert("timezone", r"^(?:moja vremenska zona je|vremenska zona mi je) ", Take::Zone).sure(0.95),
        assert("home_city", &format!(r"^{me}(?:zivim|stanujem|zivimo|stanujemo) u "), Take::City(Locative)).sure(0.95),
        assert("home_city", &format!(r"^{me}(?:preseli(?:o|la|li) (?:sam|smo) se|doseli(?:o|la|li) (?:sam|smo)(?: se)?) u "), Take::City(Accusative)).sure(0.9),
        assert("role", &format!(r"^{me}(?:zaposlen[a]? sam|sam zaposlen[a]?) u .{{1,60}}? kao "), Take::RoleFree).also(),
        assert("role", &format!(r"^{me}radim (?:u|za) .{{1,60}}? kao "), Take::RoleFree).also(),
        assert("employer", &format!(r"^{me}radim u "), Take::Organisation(Locative)).sure(0.9),
        assert("employer", &format!(r"^{me}radim za "), Take::Organisation(Accusative)).sure(0.9),
        assert("employer", &format!(r"^{me}(?:zaposlen[a]? sam|sam zaposlen[a]?) u "), Take::Organisation(Locative)).sure(0.9),
        assert("employer", &format!(r"^{me}(?:zaposli(?:o|la) sam se|poce(?:o|la) sam raditi) u "), Take::Organisation(Locative)).sure(0.85),
        assert("role", &format!(r"^{me}radim kao "), Take::RoleFree).sure(0.9),
        assert("role", r"^(?:ja sam )?(?:po struci|po zanimanju)(?: sam)? ", Take::RoleFree).sure(0.85),
        assert("role", r"^ja sam ", Take::Role).sure(0.85),
        assert("speaks", &format!(r"^{me}(?:tecno |dobro |odlicno |malo )?govorim (?:tecno |dobro |odlicno |malo )?"), Take::Languages).sure(0.9),
        assert("speaks", r"^(?:ja )?znam (?:dobro |malo )?(?P<v>hrvatski|engleski|njemacki|francuski|talijanski|spanjolski|ruski|slovenski)(?: jezik)?$", Take::Group).sure(0.85),
        assert("name", r"^(?P<v>\w+(?: \w+)?) ovdje$", Take::GroupPerson).sure(0.8),
        assert("member_of", &format!(r"^{me}(?:clan(?:ica)? sam|sam clan(?:ica)?) "), Take::Organisation(Genitive)).sure(0.8),
        // relationships
        assert("spouse", r"^(?:moj muz|moj suprug|moja zena|moja supruga)(?: se zove| je|,)? ", Take::Person(Base)).sure(0.9),
        assert("spouse", r"^(?:muz|suprug|zena|supruga) mi (?:se zove|je) ", Take::Person(Base)).sure(0.9),
        assert("spouse", r"^(?:ozenjen sam|udana sam) za ", Take::Person(AccusativeAlive)).sure(0.8),
        assert("manager", r"^(?:moj sef|moja sefica|moj nadredj?eni|moja nadredj?ena|moj voditelj|moja voditeljica)(?: se zove| je|,)? ", Take::Person(Base)).sure(0.9),
        assert("manager", r"^(?:sef|sefica|voditelj|voditeljica) mi (?:se zove|je) ", Take::Person(Base)).sure(0.9),
        assert("manager", r"^(?P<v>\w+(?: \w+)?) (?:mi je|je moja?) (?:sef|sefica|nadredj?eni|nadredj?ena)$", Take::GroupPerson).sure(0.9),
        assert("spouse", r"^(?P<v>\w+(?: \w+)?) (?:mi je|je moja?) (?:muz|zena|suprug|supruga)$", Take::GroupPerson).sure(0.9),
        assert("parent_of", r"^(?P<v>\w+(?: \w+)?) (?:mi je|je moja?) (?:sin|kci|kcer)$", Take::GroupPerson).sure(0.9),
        assert("colleague_of", r"^(?P<v>\w+(?: \w+)?) (?:mi je|je moja?) (?:kolega|kolegica)$", Take::GroupPerson).sure(0.85),
        assert("colleague_of", r"^(?:moj kolega|moja kolegica|moj suradnik|moja suradnica)(?: se zove| je|,)? ", Take::Person(Base)).sure(0.85),
        assert("parent_of", r"^(?:moj sin|moja kci|moja kcer|moja kcerka|moja cura)(?: se zove| je|,)? ", Take::Person(Base)).sure(0.9),
        assert("parent_of", r"^(?:sin|kci|kcer|kcerka) mi (?:se zove|je) ", Take::Person(Base)).sure(0.9),
        assert("parent_of", r"^imam(?:o)? (?:kcer|kcerku|curicu) ", Take::Person(Accusative)).sure(0.9),
        assert("parent_of", r"^imam(?:o)? (?:sina|decka) ", Take::Person(AccusativeAlive)).sure(0.9),
        assert("knows", r"^(?:moj (?:najbolji )?(?:prijatelj|susjed|frend|cimer)|moja (?:najbolja )?(?:prijateljica|susjeda|frendica|cimerica))(?: se zove| je|,)? ", Take::Person(Base)).sure(0.8),
        assert("related_to", r"^(?:moj (?:stariji |mladji |mladi )?(?:brat|tata|otac|bratic|ujak|stric|djed|necak)|moja (?:starija |mladja |mlada )?(?:sestra|mama|majka|sestricna|teta|ujna|strina|baka|necakinja))(?: se zove| je|,)? ", Take::Person(Base)).sure(0.85),
        assert("related_to", r"^(?:brat|sestra|mama|tata|otac|majka|baka|djed) mi (?:se zove|je) ", Take::Person(Base)).sure(0.85),
        assert("cares_for", r"^(?:moj pas|moj macak|moj zec|moja macka|moja maca|moja kuja)(?: se zove| je|,)? ", Take::Person(Base)).sure(0.85),
        assert("cares_for", r"^imam(?:o)? (?:macku|macu|kuju|kujicu|papigu) ", Take::Person(Accusative)).sure(0.85),
        assert("cares_for", r"^imam(?:o)? (?:psa|macka|zeca|konja|hrcka) ", Take::Person(AccusativeAlive)).sure(0.85),
        assert("owns", r"^(?:ja )?vozim ", Take::ThingIn(Accusative)).sure(0.85),
        // preferences
        assert("prefers", r"^(?:ja )?(?:vise|najvise) volim ", Take::Text),
        assert("prefers", r"^(?:draz[ia]|drazi|draze) (?:mi|nam) (?:je|su) ", Take::Text),
        assert("prefers", r"^(?:ja )?(?:radije|najradije) (?P<v>\w{3,20}m .{2,60})$", Take::Clause),
        assert("prefers", r"^(?:ja )?preferiram ", Take::Text),
        assert("dislikes", r"^(?:idu mi na zivce|na zivce mi idu|ide mi na zivce|smetaju mi|smeta mi) ", Take::Liking),
        assert("likes", r"^(?:moj|moja|moje) (?:najdraz[iae]|omiljen[iae]) (?P<k>[\w ]{2,30}?) je ", Take::Text),
        assert("dislikes", r"^(?:ja )?(?:bas |stvarno |uopce )?(?:ne volim|mrzim|ne podnosim|ne mogu podnijeti) (?:bas )?", Take::Liking),
        assert("likes", r"^(?:ja )?(?:bas |jako |stvarno |puno )*(?:volim|obozavam) (?:jako )?", Take::Liking),
        assert("routine", r"^(?:svaki|svako|svake|svaku) (?:drug[iou] )?(?:dan|jutro|vecer|veceri|tjedan|vikend|mjesec|ponedjeljak|utorak|srijedu|srijede|cetvrtak|petak|subotu|subote|nedjelju|nedjelje) (?:navecer |ujutro )?(?:\w+m\b).{2,60}$", Take::Whole),
        assert("goal", r"^(?:moj (?:glavni )?cilj|cilj mi|nas cilj) je ", Take::Text),
        assert("goal", r"^pokusavam (?P<v>(?:nauciti|smrsaviti|prestati|ustedjeti|zavrsiti)\b.{2,60})$", Take::Clause),
        // projects
        assert("project_status", &format!(r"^{project} (?:vec )?(?P<v>kasni|stoji|napreduje)$"), Take::Group),
        assert("project_status", &format!(r"^{project} je (?:sad |trenutno )?(?P<v>gotov|zavrsen|otkazan|odgodj?en|pauziran|na cekanju|u tijeku|blokiran)$"), Take::Group),
        assert("project_deadline", r"^rok (?:za|projekta) (?:projekt )?(?P<p>[\w-]+) je (?:do )?", Take::Date { year_needed: false }),
        assert("project_owner", &format!(r"^{project} vodi "), Take::Person(Base)),
        assert("project_owner", &format!(r"^(?P<v>\w+(?: \w+)?) vodi {project}$"), Take::GroupPerson),
        assert("decision", r"^(?:odluci(?:o|la|li)|dogovori(?:o|la|li)) (?:sam|smo)(?: se)? (?:da cemo |da cu )?", Take::Text),
        assert("decision", r"^(?:mi )?smo (?:odlucili|dogovorili) (?:da cemo )?", Take::Text),
        assert("works_on", &format!(r"^{me}(?:trenutno )?radi(?:m|mo) na "), Take::Work),
        assert("uses", &format!(r"^{me}(?:uvijek |vecinom |uglavnom )?koristi(?:m|mo) "), Take::Tool),
    ]
}

/// Words that begin what is to be remembered: "zapamti da …".
pub(super) const REMEMBER: &str = r"^(?:molim te |molim |ajde )*(?:zapamti|upamti|zapisi|zabiljezi|nemoj zaboraviti|ne zaboravi|imaj na umu)(?: da|:) ";

/// What people do for a living, in both genders; folded.
pub(super) const OCCUPATIONS: &str = "programer programerka profesor profesorica ucitelj uciteljica nastavnik nastavnica arhitekt arhitektica inzenjer inzenjerka lijecnik lijecnica doktor doktorica odvjetnik odvjetnica \
    sestra tehnicar tehnicarka tehnolog tehnologinja vozac vozacica konobar konobarica kuhar kuharica student studentica prevoditelj prevoditeljica novinar novinarka dizajner dizajnerica racunovodja racunovotkinja \
    knjigovodja ekonomist ekonomistica psiholog psihologinja ljekarnik ljekarnica farmaceut farmaceutkinja zubar zubarica stomatolog stomatologinja elektricar vodoinstalater stolar mehanicar frizer frizerka \
    pekar trgovac trgovkinja prodavac prodavacica direktor direktorica tajnica voditelj voditeljica fotograf fotografkinja glazbenik glazbenica umjetnik umjetnica pisac spisateljica policajac policajka vatrogasac \
    ribar poljoprivrednik vrtlar umirovljenik umirovljenica biolog biologinja kemicar kemicarka fizicar fizicarka matematicar matematicarka geodet geodetkinja fizioterapeut fizioterapeutkinja tester testerica pcelar pcelarica lingvist lingvistica zidar krojac krojacica postar blagajnik blagajnica cvjecar cvjecarica geolog geologinja urar soboslikar veterinar veterinarka";
