//! What a sentence asserts: a table in both languages, benign statements, and laws over any text.

use ledger::assertion::{NotAssertedKind, Polarity, not_asserted, permits};
use ledger::quote::{Span, find};
use ledger::regions::{foreign_regions, recalled, third_party};
use ledger::secret::secret_like;
use proptest::prelude::*;

use NotAssertedKind::{Conditional, Former, Hypothetical, Negated, Question, Reported, Uncertain, Wish};

/// The quote stands between `[` and `]`.
fn judge(marked: &str) -> (Option<NotAssertedKind>, String) {
    let start = marked.find('[').expect("a quote");
    let end = marked.rfind(']').expect("a quote");
    let text = format!("{}{}{}", &marked[..start], &marked[start + 1..end], &marked[end + 1..]);
    let found = not_asserted(&text, Span::new(start, end - 1));
    let clue = found.and_then(|found| found.clue_span.slice(&text)).unwrap_or_default().to_owned();
    (found.map(|found| found.kind), clue)
}

const REFUSED: &[(&str, NotAssertedKind)] = &[
    // Questions
    ("Do [I live in Rome]?", Question),
    ("Do [I live in Rome]", Question),
    ("[Do I live in Rome?]", Question),
    ("[I live in Rome]?", Question),
    ("So, [I live in Rome]??", Question),
    ("[I live in Rome], right?", Question),
    ("[I live in Rome], don't I?", Question),
    ("[You know that I live in Rome], correct?", Question),
    ("Am [I allergic to nuts]?", Question),
    ("Is [my birthday 12 June]?", Question),
    ("is [my birthday on 12 June]", Question),
    ("Have [I told you that I live in Rome]?", Question),
    ("What if [I live in Rome]?", Question),
    ("Where do [I live in Rome]?", Question),
    ("where do [I live]", Question),
    ("Hi! Should [I move to Rome]?", Question),
    ("I was thinking, should [I move to Rome]?", Question),
    ("I like tea, but do [I like coffee]?", Question),
    ("Why do [I live in Rome] and not in Milan?", Question),
    ("Do you remember that [I live in Rome]?", Question),
    ("I wonder if [I should live in Rome].", Question),
    ("I wonder whether [my name is Ana].", Question),
    ("Tell me if [I live in Rome].", Question),
    ("Remind me where [I live in Rome].", Question),
    ("Do you know if [I am vegan].", Question),
    ("Isn't [my name Ana]?", Question),
    ("Does [Ana work for me]?", Question),
    ("[My name is Ana]? [That is new]", Question),
    ("Živim li [u Rimu]?", Question),
    ("[Živim li u Rimu]?", Question),
    ("[živim li u Rimu]", Question),
    ("Je li [moj rođendan 12. lipnja]?", Question),
    ("Jesam li [alergična na orahe]", Question),
    ("Da li [živim u Rimu]", Question),
    ("Zar [živim u Rimu]?", Question),
    ("Gdje [živim u Rimu]?", Question),
    ("Kako se [zovem Ana]?", Question),
    ("[Živim u Rimu], zar ne?", Question),
    ("[Živim u Rimu], jel da?", Question),
    ("[Živim u Rimu]?", Question),
    ("Zanima me [živim li u Rimu].", Question),
    ("Pitam se [volim li kavu].", Question),
    ("Jel [živim u Rimu]", Question),
    ("Sviđa mi se more, ali volim li [planine]?", Question),
    // Conditionals
    ("If [I lived in Rome], I would be happy.", Conditional),
    ("If I lived in Rome, [I would be happy].", Conditional),
    ("[I would live in Rome] if I had money.", Conditional),
    ("[I would live in Rome], if I had money.", Conditional),
    ("[I eat fish if it is fresh].", Conditional),
    ("[I'll move to Rome] unless they offer more.", Conditional),
    ("If [I live in Rome] next year, call me.", Conditional),
    ("But if [I move to Rome], I need a flat.", Conditional),
    ("Call me if [I live in Rome].", Conditional),
    ("In case [I move to Rome], keep the flat.", Conditional),
    ("Had I [lived in Rome], I would know.", Conditional),
    ("Provided that [I live in Rome], it works.", Conditional),
    ("Even if [I lived in Rome], no.", Conditional),
    ("Ako [živim u Rimu], javi mi.", Conditional),
    ("[Preselit ću se u Rim] ako dobijem posao.", Conditional),
    ("Ako dobijem posao, [živjet ću u Rimu].", Conditional),
    ("Ukoliko [se preselim u Rim], javit ću.", Conditional),
    ("Kad bih [živio u Rimu], bio bih sretan.", Conditional),
    ("[Živio bih u Rimu] kad bih imao novca.", Conditional),
    ("Da [živim u Rimu], bio bih sretan.", Conditional),
    ("Da sam [bogat], živio bih u Rimu.", Conditional),
    ("Da sam bogat, [živio bih u Rimu].", Conditional),
    ("U slučaju da [se preselim u Rim], javi.", Conditional),
    // A condition left unsaid
    ("I would [live in Rome].", Conditional),
    ("[I would live in Rome].", Conditional),
    ("I'd [live in Rome].", Conditional),
    ("[I’d live in Rome].", Conditional),
    ("Ideally [I would live in Rome].", Conditional),
    ("[I think I would live in Rome].", Conditional),
    ("I probably would [live in Rome].", Conditional),
    ("We would [live in Rome].", Conditional),
    ("Živio bih [u Rimu].", Conditional),
    ("[Živio bih u Rimu].", Conditional),
    ("[U Rimu] bih živio.", Conditional),
    ("Mogao bih [živjeti u Rimu].", Conditional),
    ("[Mogao bih živjeti u Rimu].", Conditional),
    ("Živjeli bismo [u Rimu].", Conditional),
    ("Act as someone where [I live in Rome].", Hypothetical),
    ("Act as someone who knows [I live in Rome].", Hypothetical),
    ("[I should live in Rome].", Wish),
    ("I should [live in Rome].", Wish),
    ("Trebao bih [živjeti u Rimu].", Wish),
    ("I'd like to [live in Rome].", Wish),
    ("Htio bih [živjeti u Rimu].", Wish),
    ("I left [Rome].", Former),
    ("[I left Rome].", Former),
    ("I've left [the Netherlands].", Former),
    ("I moved away from [Rome].", Former),
    ("I moved out of [Rome].", Former),
    ("I moved from [Rome] to Split.", Former),
    ("Odselio sam se iz [Rima].", Former),
    ("Napustila sam [Rim].", Former),
    ("[I would never work on Sundays].", Negated),
    ("I should never [eat pork].", Negated),
    ("You should never [push to main].", Negated),
    // Hypotheticals
    ("Imagine [I live in Rome].", Hypothetical),
    ("Imagine that [I am a doctor] and help me.", Hypothetical),
    ("Suppose [I live in Rome].", Hypothetical),
    ("Let's say [I live in Rome].", Hypothetical),
    ("Let’s say [I live in Rome].", Hypothetical),
    ("OK, let's pretend [my name is Bob].", Hypothetical),
    ("Hypothetically, [I live in Rome].", Hypothetical),
    ("[I live in Rome], hypothetically.", Hypothetical),
    ("Assume [my budget is 500 euros].", Hypothetical),
    ("Say [I live in Rome].", Hypothetical),
    ("Imagine we moved. [I live in Rome] now.", Hypothetical),
    ("Zamisli da [živim u Rimu].", Hypothetical),
    ("Zamislimo da [živim u Rimu].", Hypothetical),
    ("Recimo da [živim u Rimu].", Hypothetical),
    ("Pretpostavimo da [mi je ime Ana].", Hypothetical),
    ("Hipotetski, [živim u Rimu].", Hypothetical),
    ("Što ako [se preselim u Rim].", Hypothetical),
    // Reports
    ("Bob says [I live in Rome].", Reported),
    ("Bob said that [I live in Rome].", Reported),
    ("You said [I live in Rome].", Reported),
    ("My mother thinks [I live in Rome].", Reported),
    ("They claim that [I am vegan].", Reported),
    ("[I live in Rome], says Bob.", Reported),
    ("[I live in Rome], Bob says.", Reported),
    ("According to Bob, [I live in Rome].", Reported),
    ("Apparently [I live in Rome].", Reported),
    ("I was told [I am allergic to nuts].", Reported),
    ("Bob always says [I am lazy].", Reported),
    ("The horoscope says [I will move to Rome].", Reported),
    ("[Bob says I live in Rome]", Reported),
    ("Marko kaže da [živim u Rimu].", Reported),
    ("Marko je rekao da [živim u Rimu].", Reported),
    ("Kažu da [sam lijen].", Reported),
    ("Mama misli da [živim u Rimu].", Reported),
    ("Navodno [živim u Rimu].", Reported),
    ("Šef tvrdi da [ne radim petkom].", Reported),
    // Wishes and plans
    ("I wish [I lived in Rome].", Wish),
    ("[I wish I lived in Rome].", Wish),
    ("I hope [I get the job].", Wish),
    ("I'd love to [live in Rome].", Wish),
    ("I would like to [live in Rome].", Wish),
    ("I want to [live in Rome].", Wish),
    ("[I want to live in Rome].", Wish),
    ("I plan to [move to Rome].", Wish),
    ("I'm thinking about [moving to Rome].", Wish),
    ("If only [I lived in Rome].", Wish),
    ("Volio bih [živjeti u Rimu].", Wish),
    ("Htjela bih [živjeti u Rimu].", Wish),
    ("Želim [živjeti u Rimu].", Wish),
    ("Nadam se da [ću živjeti u Rimu].", Wish),
    ("Planiram [se preseliti u Rim].", Wish),
    ("Da barem [živim u Rimu].", Wish),
    // Doubts
    ("Maybe [I'll move to Rome].", Uncertain),
    ("[I might move to Rome].", Uncertain),
    ("Perhaps [my name is Bob].", Uncertain),
    ("I'm not sure [I live in Rome].", Uncertain),
    ("I may [move to Rome] next year.", Uncertain),
    ("Možda [se preselim u Rim].", Uncertain),
    ("Nisam siguran [živim u Rimu].", Uncertain),
    ("Ne znam [živim u Rimu].", Uncertain),
    ("I probably [live in Rome].", Uncertain),
    ("I doubt [I live in Rome].", Uncertain),
    ("I could [live in Rome] someday.", Uncertain),
    ("Sumnjam da [živim u Rimu].", Uncertain),
    ("Vjerojatno [ću se preseliti u Rim].", Uncertain),
    ("It would be great to [live in Rome].", Wish),
    ("It's as if [I lived in Rome].", Hypothetical),
    ("In a parallel universe [I live in Rome].", Hypothetical),
    ("Kao da [živim u Rimu].", Hypothetical),
    ("Rumor has it [I'm moving to Rome].", Reported),
    ("People keep telling me [I look like a teacher].", Reported),
    ("I heard that [I am moving to Rome].", Reported),
    ("Čula sam da [se selim u Rim].", Reported),
    ("Piše da [živim u Rimu].", Reported),
    ("Prema Marku, [živim u Rimu].", Reported),
    // What is over
    ("I am a former [smoker].", Former),
    ("Bivša sam [pušačica].", Former),
    ("I used to [live in Rome].", Former),
    ("I no longer [live in Rome].", Former),
    ("I don't [live in Rome] anymore.", Former),
    ("[I stopped eating meat].", Former),
    ("I quit [smoking].", Former),
    ("Više ne [živim u Rimu].", Former),
    ("Više nisam [vegetarijanac].", Former),
    ("Ne [živim više u Rimu].", Former),
    ("Nekad sam [živio u Rimu].", Former),
    ("Prestala sam [jesti meso].", Former),
    // Denials
    ("I almost [moved to Rome].", Negated),
    ("I failed to [become a doctor].", Negated),
    ("I refuse to [eat meat].", Negated),
    ("It is false that [I live in Rome].", Negated),
    ("I don't [live in Rome].", Negated),
    ("[I don't like mushrooms].", Negated),
    ("I don't like [mushrooms].", Negated),
    ("I do not [like mushrooms].", Negated),
    ("I dont [like mushrooms].", Negated),
    ("I don’t [like mushrooms].", Negated),
    ("I'm not [a vegetarian].", Negated),
    ("I never [drink coffee].", Negated),
    ("I have never [lived in Rome].", Negated),
    ("No [meetings before 9:30], please.", Negated),
    ("I don't eat [meat, fish or eggs].", Negated),
    ("I don't eat meat, [fish] or eggs.", Negated),
    ("I live in Split, I don't [live in Rome].", Negated),
    ("I can't [stand mushrooms].", Negated),
    ("Nobody [calls me Bob].", Negated),
    ("Ne [volim gljive].", Negated),
    ("[Ne volim gljive].", Negated),
    ("Nisam [vegetarijanac].", Negated),
    ("Nikad ne [pijem kavu].", Negated),
    ("Nemam [psa].", Negated),
    ("Nije [mi ime Bob].", Negated),
    ("Neću [sastanke prije 9:30].", Negated),
    ("Nemoj [mi zakazivati sastanke petkom].", Negated),
    ("Živim u Splitu, ne [živim u Rimu].", Negated),
    ("Ja ne [jedem meso].", Negated),
];

const ASSERTED: &[&str] = &[
    "[I live in Rome].",
    "[I live in Rome]",
    "[I'm vegetarian], what should I cook?",
    "[I moved to Rome last week], can you update my address?",
    "[I live in Rome] and I need a dentist. Do you know one?",
    "Do you like Rome? [I live in Rome].",
    "[I live in Rome]. Is it big?",
    "Where should I eat? [I live in Rome] and [I am vegan].",
    "[I live in Rome], ok?",
    "Can you remember that [I'm allergic to nuts]?",
    "Could you please note that [my birthday is 12 June]?",
    "Did you know that [I live in Rome]?",
    "Guess what! [I live in Rome] now.",
    "What I like most is [tea].",
    "When I lived in Split I was young, but [I live in Rome] now.",
    "[I am allergic to nuts], so tell me if a recipe has them.",
    "Let me know if a recipe has nuts, [I'm allergic to nuts].",
    "If it helps, [I live in Rome].",
    "If you need to know, [I live in Rome].",
    "If I remember correctly, [my flight is on 12 June].",
    "If I'm not mistaken, [my flight is on 12 June].",
    "If it rains I stay home, but [I live in Rome].",
    "[I prefer short answers], if possible.",
    "I suppose [I like tea].",
    "I think [I'm allergic to nuts].",
    "I said [I live in Rome].",
    "I told you [I live in Rome].",
    "As I said, [my name is Ana].",
    "[My boss says hi].",
    "That said, [I live in Rome].",
    "[I live in Rome], not in Milan.",
    "No, [I live in Rome].",
    "No [I live in Rome].",
    "[I not only sing but also dance].",
    "Don't forget [I'm vegan].",
    "Don't forget that [I'm vegan].",
    "No problem, [my number is 5].",
    "No worries, [I live in Rome].",
    "[I can't live without coffee].",
    "I don't like it because [I live in a noisy street].",
    "I don't live in Milan but [in Rome].",
    "I don't eat meat, [I'm vegetarian].",
    "[I don't eat meat, I'm vegetarian].",
    "[I am used to early mornings].",
    "I got used to [living in Rome].",
    "I used to live in Split, but [I live in Rome] now.",
    "I want to learn Spanish, [I live in Madrid].",
    "I'm not sure what to cook, [I'm vegetarian].",
    "[My birthday is 12.6.1990.] and I like cake.",
    "[I weigh 72.5 kg], e.g. today.",
    "Dr. Smith is my doctor. [I live in Rome].",
    "[My doctor is Dr. Smith].",
    "[I work at Acme Inc. in Rome].",
    "[I wake up at 6 a.m. every day].",
    "My list:\n- [I am vegan]\n- do I like tea?",
    "[I am vegan]\nDo I like tea?",
    "I'd rather [have short answers].",
    "[I'd prefer short answers].",
    "[I would rather have tea].",
    "[I'd say I'm a night owl].",
    "I should mention [I live in Rome].",
    "[I should mention that I live in Rome].",
    "[I'd moved to Rome by then].",
    "[I live in a city I would recommend].",
    "I would move, but [I live in Rome].",
    "[I left Rome for Split].",
    "I left Rome, [I live in Split now].",
    "[I moved from Rome to Split].",
    "[I left my old job to become a nurse].",
    "Act as a travel agent, [I live in Rome].",
    "Act as my coach. [I live in Rome].",
    "[Živim u gradu koji bih preporučio].",
    "Rado bih savjet, [živim u Rimu].",
    "Imao bih pitanje: [živim u Rimu].",
    "[I live in\nRome] now.",
    "Thanks! [I live in Rome]! Really?",
    "I have you on speed dial and [my name is Ana].",
    "[In May I move to Rome].",
    "[My wife likes tea], and so do I.",
    "[I love it when it rains].",
    "[My favourite film is What If].",
    "[I always answer within an hour].",
    "I love this city, which is why [I live in Rome].",
    "[Remember: my name is Ana].",
    "[I am almost 40 and I run almost every day].",
    "[I could not be happier in Rome].",
    "[I told you about my former boss].",
    "[Moj stan gleda prema moru].",
    "[Zovem se Ana].",
    "[Živim u Rimu].",
    "[Živim u Rimu], što da posjetim?",
    "[Vegetarijanka sam], možeš li predložiti večeru?",
    "Možeš li mi pomoći? [Živim u Rimu].",
    "Kako si? [Živim u Rimu].",
    "[Rođen sam 12.6.1990. u Splitu].",
    "[Rođendan mi je 12. lipnja].",
    "[Moj sastanak je u 9.30 h].",
    "Ne, [živim u Rimu].",
    "Ne živim u Splitu nego [u Rimu].",
    "Ne volim gužvu jer [živim u mirnoj ulici].",
    "Nema problema, [zovem se Ana].",
    "Ne zaboravi da [sam vegan].",
    "[Ne samo da pjevam nego i plešem].",
    "Rekao sam da [živim u Rimu].",
    "Rekla sam ti da [sam vegetarijanka].",
    "Znaš da [živim u Rimu].",
    "Ako te zanima, [živim u Rimu].",
    "Ako se dobro sjećam, [let mi je 12. lipnja].",
    "Da, [živim u Rimu].",
    "[Volim kavu, npr. espresso].",
    "[Radim u tvrtki Acme d.o.o. u Zagrebu].",
    "[Više volim čaj od kave].",
    "[Svi me zovu Ana].",
    "[Imam dva psa i mačku].",
    "Nekad živim brzo, ali [živim u Rimu].",
    "[Supruga mi se zove Iva].",
    "Bok! [Ja sam Ana, radim kao medicinska sestra u Splitu].",
    "Recimo, [volim čaj].",
];

#[test]
fn what_is_not_asserted_is_told_with_its_kind() {
    let mut wrong = Vec::new();
    for (marked, kind) in REFUSED {
        let (found, clue) = judge(marked);
        if found != Some(*kind) {
            wrong.push(format!("{marked:?} should be {kind:?}, is {found:?} by {clue:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), REFUSED.len(), wrong.join("\n"));
    assert!(REFUSED.len() + ASSERTED.len() >= 250, "{}", REFUSED.len() + ASSERTED.len());
}

#[test]
fn plain_statements_pass() {
    let mut wrong = Vec::new();
    for marked in ASSERTED {
        let (found, clue) = judge(marked);
        if found.is_some() {
            wrong.push(format!("{marked:?} is {found:?} by {clue:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), ASSERTED.len(), wrong.join("\n"));
}

/// What owners say when they want something remembered, told as it is typed: a message, the quote a proposer would
/// take, the polarity of the predicate, and whether it retracts. None is in the tables above.
const BENIGN: &[(&str, &str, Polarity, bool)] = &[
    (
        "hey! just so you know, my name is Karthik and I go by Kar",
        "my name is Karthik",
        Polarity::Affirmative,
        false,
    ),
    (
        "I'm based in Ljubljana these days, moved in March.",
        "I'm based in Ljubljana",
        Polarity::Affirmative,
        false,
    ),
    (
        "I work as a pediatric nurse at KBC Split",
        "I work as a pediatric nurse at KBC Split",
        Polarity::Affirmative,
        false,
    ),
    (
        "My wife Ana and I have two kids, Luka (6) and Mia (3).",
        "two kids, Luka (6) and Mia (3)",
        Polarity::Affirmative,
        false,
    ),
    ("Please answer in Croatian from now on.", "answer in Croatian", Polarity::Affirmative, false),
    ("always answer briefly, ok? I hate walls of text", "answer briefly", Polarity::Aspiration, false),
    ("Could you remember that I prefer metric units?", "I prefer metric units", Polarity::Affirmative, false),
    (
        "I can't do meetings before 9:30, I drop the kids at school",
        "meetings before 9:30",
        Polarity::Negative,
        false,
    ),
    (
        "No meetings before 10 anymore, the school moved its hours.",
        "No meetings before 10",
        Polarity::Negative,
        false,
    ),
    ("I don't eat pork or shellfish.", "I don't eat pork or shellfish", Polarity::Negative, false),
    ("Never book window seats for me.", "Never book window seats", Polarity::Negative, false),
    (
        "I'm allergic to penicillin, so tell the doctor if they ask.",
        "allergic to penicillin",
        Polarity::Negative,
        false,
    ),
    ("I no longer work at Acme; I joined Initech in May.", "I joined Initech", Polarity::Affirmative, false),
    (
        "I no longer work at Acme; I joined Initech in May.",
        "I no longer work at Acme",
        Polarity::Affirmative,
        true,
    ),
    (
        "We decided to launch on 12 June 2026, not in July.",
        "launch on 12 June 2026",
        Polarity::Affirmative,
        false,
    ),
    (
        "The budget for the trip is 1,250.00 EUR max.",
        "budget for the trip is 1,250.00 EUR",
        Polarity::Affirmative,
        false,
    ),
    (
        "Alpha is blocked, because the vendor has not replied.",
        "Alpha is blocked",
        Polarity::Affirmative,
        false,
    ),
    (
        "My manager is Petra; she thinks I should rest more.",
        "My manager is Petra",
        Polarity::Affirmative,
        false,
    ),
    ("I want to run a half marathon this autumn", "run a half marathon", Polarity::Aspiration, false),
    ("I'd like you to keep a formal tone", "keep a formal tone", Polarity::Aspiration, false),
    (
        "My goal is to read 20 books this year, maybe more.",
        "read 20 books this year",
        Polarity::Affirmative,
        false,
    ),
    (
        "Every Tuesday I have Italian class at half past six",
        "Every Tuesday I have Italian class",
        Polarity::Affirmative,
        false,
    ),
    ("I was born on 3 March 1988 in Osijek.", "born on 3 March 1988", Polarity::Affirmative, false),
    (
        "It's my birthday on 4.5., which gift ideas do you have?",
        "my birthday on 4.5.",
        Polarity::Affirmative,
        false,
    ),
    ("my timezone is Europe/Zagreb", "my timezone is Europe/Zagreb", Polarity::Affirmative, false),
    (
        "I speak English, German and a bit of Italian.",
        "I speak English, German",
        Polarity::Affirmative,
        false,
    ),
    ("Luka's school starts at 8, and my shift at 7.", "my shift at 7", Polarity::Affirmative, false),
    ("I love hiking but I don't like camping", "I love hiking", Polarity::Affirmative, false),
    ("I love hiking but I don't like camping", "I don't like camping", Polarity::Negative, false),
    (
        "What should I pack? I leave for Oslo on Friday.",
        "I leave for Oslo on Friday",
        Polarity::Affirmative,
        false,
    ),
    (
        "I use Linux at home and a Mac at work, if that matters.",
        "I use Linux at home",
        Polarity::Affirmative,
        false,
    ),
    ("As you know, I'm a vegetarian.", "I'm a vegetarian", Polarity::Affirmative, false),
    ("To be honest I prefer tea to coffee", "I prefer tea to coffee", Polarity::Affirmative, false),
    ("My doctor is Dr. Novak at the Dubrava clinic.", "My doctor is Dr. Novak", Polarity::Affirmative, false),
    ("I take care of my mother, who has diabetes.", "I take care of my mother", Polarity::Affirmative, false),
    ("The deadline moved: it is now 30 September.", "it is now 30 September", Polarity::Affirmative, false),
    ("I told my boss I am leaving in August.", "I am leaving in August", Polarity::Affirmative, false),
    ("we own a 2015 Skoda Octavia", "a 2015 Skoda Octavia", Polarity::Affirmative, false),
    (
        "Can you plan dinner? Ana is lactose intolerant.",
        "Ana is lactose intolerant",
        Polarity::Affirmative,
        false,
    ),
    ("Don't call me Robert, I go by Bob.", "I go by Bob", Polarity::Affirmative, false),
    ("Zovem se Marin i živim u Puli.", "živim u Puli", Polarity::Affirmative, false),
    (
        "Radim kao profesorica matematike u gimnaziji.",
        "Radim kao profesorica matematike",
        Polarity::Affirmative,
        false,
    ),
    ("Imam troje djece: Ivu, Peru i Maru.", "Imam troje djece", Polarity::Affirmative, false),
    ("Molim te, odgovaraj mi na hrvatskom.", "odgovaraj mi na hrvatskom", Polarity::Affirmative, false),
    ("Ne jedem svinjetinu.", "Ne jedem svinjetinu", Polarity::Negative, false),
    ("Nemoj mi zakazivati ništa prije pola deset.", "prije pola deset", Polarity::Negative, false),
    (
        "Alergična sam na kikiriki, reci mi ako ga recept ima.",
        "Alergična sam na kikiriki",
        Polarity::Negative,
        false,
    ),
    ("Više ne radim u Podravki, sad sam u Končaru.", "sad sam u Končaru", Polarity::Affirmative, false),
    ("Više ne radim u Podravki, sad sam u Končaru.", "Više ne radim u Podravki", Polarity::Affirmative, true),
    (
        "Rok za projekt Alfa je 15. rujna 2026.",
        "Rok za projekt Alfa je 15. rujna 2026",
        Polarity::Affirmative,
        false,
    ),
    ("Rođena sam 3. ožujka 1988. u Osijeku.", "Rođena sam 3. ožujka 1988.", Polarity::Affirmative, false),
    ("Utorkom imam talijanski u pola sedam.", "Utorkom imam talijanski", Polarity::Affirmative, false),
    ("Muž mi se zove Ante, a kći Lucija.", "Muž mi se zove Ante", Polarity::Affirmative, false),
    ("Volim planinarenje, ali ne volim kampiranje.", "Volim planinarenje", Polarity::Affirmative, false),
    ("Volim planinarenje, ali ne volim kampiranje.", "ne volim kampiranje", Polarity::Negative, false),
    ("Što da spakiram? U petak putujem u Oslo.", "U petak putujem u Oslo", Polarity::Affirmative, false),
    ("Želim do ljeta naučiti plivati.", "naučiti plivati", Polarity::Aspiration, false),
    ("Proračun za put je najviše 1.250,00 eura.", "1.250,00 eura", Polarity::Affirmative, false),
    (
        "Dogovorili smo se da krećemo 12.6.2026. ujutro.",
        "krećemo 12.6.2026. ujutro",
        Polarity::Affirmative,
        false,
    ),
    ("Šefica mi je Petra, super je.", "Šefica mi je Petra", Polarity::Affirmative, false),
    (
        "Govorim engleski i njemački, a talijanski učim.",
        "Govorim engleski i njemački",
        Polarity::Affirmative,
        false,
    ),
    ("Imamo Škodu Octaviju iz 2015.", "Imamo Škodu Octaviju", Polarity::Affirmative, false),
    ("Da, i dalje živim na Trešnjevci.", "i dalje živim na Trešnjevci", Polarity::Affirmative, false),
    ("Samo da znaš, selim se u Rijeku u rujnu.", "selim se u Rijeku u rujnu", Polarity::Affirmative, false),
    ("Brinem se o mami koja ima dijabetes.", "Brinem se o mami", Polarity::Affirmative, false),
    ("Pijem kavu bez šećera.", "Pijem kavu bez šećera", Polarity::Affirmative, false),
    ("Najdraži mi je film Kad jaganjci utihnu.", "Kad jaganjci utihnu", Polarity::Affirmative, false),
    ("Kći ide u vrtić od 8 do 15 h.", "vrtić od 8 do 15 h", Polarity::Affirmative, false),
];

/// The aim is under 2 in 100; this holds with none.
#[test]
fn benign_statements_are_not_refused() {
    let mut refused = Vec::new();
    for (text, quote, polarity, retract) in BENIGN {
        let span = find(text, quote).unwrap_or_else(|| panic!("{quote:?} is not in {text:?}"));
        let found = not_asserted(text, span);
        let foreign = third_party(&foreign_regions(text), span) || recalled(&foreign_regions(text), span);
        let secret = secret_like(text);
        if found.is_some_and(|found| !permits(found.kind, *polarity, *retract)) || foreign || secret.is_some()
        {
            refused.push(format!("{text:?} / {quote:?}: {found:?}, foreign {foreign}, {secret:?}"));
        }
    }
    println!("benign: {} of {} refused", refused.len(), BENIGN.len());
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn the_clue_is_the_word_that_shows_it() {
    for (marked, expected) in [
        ("Do [I live in Rome]?", "Do I"),
        ("[I live in Rome]?", "?"),
        ("Ako [živim u Rimu], javi.", "Ako"),
        ("I don’t [like mushrooms].", "don’t"),
        ("Marko kaže da [živim u Rimu].", "kaže"),
        ("Let’s say we moved. [I live in Rome].", "Let’s say"),
        ("I no longer [live in Rome].", "no longer"),
    ] {
        assert_eq!(judge(marked).1, expected, "{marked:?}");
    }
}

#[test]
fn polarity_decides_what_a_denial_is_worth() {
    use Polarity::{Affirmative, Aspiration, Negative};
    for (kind, polarity, retract, expected) in [
        (Negated, Affirmative, false, false),
        (Negated, Negative, false, true),
        (Negated, Affirmative, true, true),
        (Former, Affirmative, false, false),
        (Former, Affirmative, true, true),
        (Former, Negative, false, true),
        (Wish, Affirmative, false, false),
        (Wish, Aspiration, false, true),
        (Wish, Negative, false, true),
        (Wish, Affirmative, true, false),
        (Question, Negative, true, false),
        (Conditional, Negative, true, false),
        (Hypothetical, Aspiration, true, false),
        (Reported, Negative, true, false),
        (Uncertain, Aspiration, false, false),
    ] {
        assert_eq!(permits(kind, polarity, retract), expected, "{kind:?} {polarity:?} {retract}");
    }
}

#[test]
fn long_texts_are_bounded() {
    for piece in ["if a, ", "not ", "a ", "I don't, ", "? ", "\n", "li ", "says I ", "č. "] {
        let text = piece.repeat(1_000_000 / piece.len());
        let _ = not_asserted(&text, Span::new(0, text.len()));
        let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(offset, _)| offset);
        let _ = not_asserted(&text, Span::new(middle, text.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_and_any_span_are_judged(
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "I ", "don't ", "if ", "ako ", "li ", "? ", ". ", "12.6.2026. ", "\n", "\n\n", "says ", "Bob ", "wish ", "č", "\u{30c}", "\u{200b}",
            "would ", "more ", "više ", "ne ", ", ", "used to ", "(", ")", "’", "😀", "no longer", "maybe ", "imagine ", "da sam ", "bih ",
        ]), 0..25),
        start in 0_usize..150, end in 0_usize..150,
    ) {
        let text = parts.concat();
        if let Some(found) = not_asserted(&text, Span::new(start, end)) {
            prop_assert!(found.clue_span.slice(&text).is_some_and(|clue| !clue.is_empty()), "{:?}", found);
        }
    }

    #[test]
    fn any_unicode_is_judged(text in "\\PC{0,80}", start in 0_usize..100, end in 0_usize..100) {
        if let Some(found) = not_asserted(&text, Span::new(start, end)) {
            prop_assert!(found.clue_span.slice(&text).is_some(), "{:?}", found);
        }
    }

    #[test]
    fn a_question_mark_after_a_plain_statement_asks(name in "[A-Z][bcdfghjklmpqrstvz][aeiou][kmptz][aeiou]{1,2}[klmt]") {
        // Names of a shape that is no word of either language: "Nor", "Maybe" and "Unless" would change what is said.
        let text = format!("I live in {name}");
        let asked = format!("{text}?");
        let span = find(&asked, &text).expect("it stands there");
        prop_assert_eq!(not_asserted(&text, span), None);
        prop_assert_eq!(not_asserted(&asked, span).map(|found| found.kind), Some(Question));
    }
}
