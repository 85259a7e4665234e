//! The English patterns of `rules/1`.
//!
//! Each is matched at the start of a clause, in folded text (lower case, plain apostrophes). The first that matches wins,
//! so the narrow stand before the wide; those marked `also` let a later one speak too.

use super::name::Case::Base;
use super::rule::{Rule, Take, assert, retract};

const PROJECT_STATUS: &str = r"(?P<v>delayed|late|on hold|paused|finished|done|completed?|cancell?ed|blocked|in progress|on track|shipped|live|behind schedule|ahead of schedule|in testing|in review)$";

pub(super) fn rules() -> Vec<Rule> {
    let project = r"(?:the )?(?:project (?P<p>[\w-]+)|(?P<q>[\w-]+) project)";
    vec![
        // constraints
        assert("no_meetings_before", r"^(?:no|don't|dont|do not|never|i don't|i dont|i do not|i can't|i cannot|i won't|avoid)\b[\w' ]{0,40}?\b(?:meetings?|calls?)\b[\w ]{0,15}?\bbefore ", Take::Time { evening: false }).sure(0.9),
        assert("no_meetings_after", r"^(?:no|don't|dont|do not|never|i don't|i dont|i do not|i can't|i cannot|i won't|avoid)\b[\w' ]{0,40}?\b(?:meetings?|calls?)\b[\w ]{0,15}?\bafter ", Take::Time { evening: true }).sure(0.9),
        assert("language", r"^(?:(?:always |only )*(?:answer|reply|respond)(?: to me| me| back)?|(?:always |only )+(?:write|speak|talk)(?: to me)?|(?:write|speak|talk) to me)(?: only)? in ", Take::Language).sure(0.9),
        assert("communication_style", r"^(?:always )?(?P<v>(?:keep|make) (?:your |the |all |all your )?(?:answers?|repl(?:y|ies)|responses?|messages|explanations?) (?:as )?(?:short|brief|concise|simple|to the point|formal|informal|technical|friendly))\b", Take::Group),
        assert("communication_style", r"^(?:always |just )*(?P<v>be (?:direct|concise|brief|blunt|formal|informal|honest with me|friendly|straightforward))\b(?: with me)?$", Take::Group),
        assert("communication_style", r"^(?P<v>(?:don't|dont|do not|never|avoid) (?:use |using )?(?:any )?(?:emojis?|jargon|bullet points|tables|markdown|exclamation marks|buzzwords|small talk|flattery))\b", Take::Group),
        assert("communication_style", r"^(?:always )?(?P<v>(?:answer|reply|respond|write|speak|explain)(?: to me| me| things)? (?:(?:in|with|using) (?:bullet points|short sentences|plain (?:language|words|english)|simple words|full sentences)|briefly|concisely|formally|informally))\b", Take::Group),
        assert("communication_style", r"^(?P<v>always (?:provide|include|use|confirm|highlight|give|show|explain|add|answer|format|start|end|ask|mention|cite|list|suggest|respond|reply|write|check|note|tell)\b.{3,120}\b(?:when|whenever) i(?:'m| am)? (?:ask|asking|talk|write|mention)\b.{0,80})$", Take::Group).sure(0.85),
        assert("communication_style", r"^i (?:like|want|prefer) (?P<v>(?:short|brief|concise|direct|detailed|long) (?:answers|replies|responses|explanations))\b", Take::Group),
        assert("budget_limit", r"^(?:my|our|the) (?:total |max(?:imum)? )?budget(?: limit)?(?: for [\w ]{1,40}?)? is (?:about |around |max |at most |up to )?", Take::Money).sure(0.9),
        assert("budget_limit", r"^(?:i|we) (?:can't|cannot|can not|won't|don't want to) (?:spend|pay|afford) (?:any )?more than ", Take::Money).sure(0.9),
        assert("allergic_to", r"^(?:i'm|i am|im) (?:(?:very|severely|badly|deathly|mildly|also) )?allergic to ", Take::List).sure(0.95),
        assert("allergic_to", r"^i have (?:a |an )?(?:severe |bad |mild )?(?P<v>[\w -]{2,30}?) allergy$", Take::Group).sure(0.9),
        assert("allergic_to", r"^i have (?:a |an )?(?:severe |bad |mild )?allergy to ", Take::List).sure(0.9),
        retract("allergic_to", r"^(?:i'm|i am|im) (?:no longer|not) allergic to (?P<v>[\w -]{2,30}?) (?:any ?more|any longer)$", Take::Group),
        retract("allergic_to", r"^(?:i'm|i am|im) no longer allergic to ", Take::Text),
        retract("dietary_restriction", r"^(?:i'm|i am|im) no longer (?:an? )?", Take::Diet),
        retract("dietary_restriction", r"^(?:i'm|i am|im) not (?:an? )?(?P<v>vegan|vegetarian|pescatarian) (?:any ?more|any longer)$", Take::Group),
        assert("dietary_restriction", r"^(?:i'm|i am|im) (?:an? |strictly |now )*", Take::Diet).sure(0.9),
        assert("dietary_restriction", r"^i (?:don't|dont|do not|can't|cannot|never|no longer) eat ", Take::NoFood),
        assert("dietary_restriction", r"^(?:i|i've|i have) (?:stopped|quit|given up) eating ", Take::NoFood),
        assert("never_do", r"^(?:you (?:must|should|can|may) )?(?:never ever|never|do not ever|don't ever|dont ever) ", Take::Order).sure(0.9),
        // retractions
        retract("home_city", r"^i (?:no longer|don't|dont|do not) live in ", Take::City(Base)).ended(),
        retract("home_city", r"^i(?:'ve| have)? moved (?:away from|out of) ", Take::City(Base)),
        retract("employer", r"^i (?:no longer|don't|dont|do not) work (?:at|for) ", Take::Organisation(Base)).ended(),
        retract("employer", r"^(?:i'm|i am|im) no longer (?:at|with|employed (?:at|by)|working (?:at|for)) ", Take::Organisation(Base)),
        retract("employer", r"^i(?:'ve| have)?(?: just| finally)? (?:quit|left|resigned from|quit my job at|left my job at) ", Take::Employer(Base)),
        retract("member_of", r"^(?:i'm|i am|im) no longer (?:a )?member of (?:the )?", Take::Organisation(Base)),
        retract("works_on", r"^(?:i'm|i am|im) (?:no longer|done) working on ", Take::Text),
        retract("works_on", r"^(?:i|i've|i have) stopped working on ", Take::Text),
        retract("works_on", r"^i no longer work on ", Take::Text),
        retract("likes", r"^i (?:no longer|don't|dont|do not) (?:really )?(?:like|love|enjoy) ", Take::Text).ended(),
        retract("likes", r"^(?:i|i've) stopped (?:liking|enjoying) ", Take::Text),
        retract("uses", r"^(?:i|we) (?:no longer|don't|dont|do not) use ", Take::Text).ended(),
        retract("uses", r"^(?:i|we|i've|we've)(?: have)? stopped using ", Take::Text),
        retract("speaks", r"^i no longer speak ", Take::Language),
        retract("owns", r"^i(?:'ve| have)?(?: just)? sold my ", Take::Thing),
        // identity
        assert("name", r"^(?:my (?:full |first )?name(?: is|'s)|the name's) ", Take::Person(Base)).sure(0.95),
        assert("name", r"^(?:you can )?call me ", Take::Person(Base)).sure(0.85),
        assert("name", r"^(?:i'm|i am|im|this is) ", Take::OwnName).sure(0.8),
        assert("pronouns", r"^my pronouns are (?P<v>[a-z]+(?:/[a-z]+)+)", Take::Group).sure(0.95),
        assert("pronouns", r"^i (?:use|go by) (?P<v>[a-z]+(?:/[a-z]+)+)(?: pronouns)?", Take::Group).sure(0.9),
        assert("birthday", r"^my (?:birthday|birth date|date of birth) is (?:on )?", Take::Date { year_needed: true }).sure(0.95),
        assert("birthday", r"^i was born (?:on |in [\w ]{1,30} on )?", Take::Date { year_needed: true }).sure(0.95),
        assert("timezone", r"^(?:my|our) time ?zone is ", Take::Zone).sure(0.95),
        assert("timezone", r"^(?:i'm|i am|im) (?:in|on) (?:the )?(?P<v>(?:utc|gmt)\s?[+-]\s?\d{1,2}(?::\d{2})?|cet|cest|gmt|utc)(?: time ?zone| time)?$", Take::Group).sure(0.85),
        assert("home_city", r"^(?:i|we)(?: currently| now| still)? (?:live|reside) in ", Take::City(Base)).sure(0.95),
        assert("home_city", r"^(?:i've|i have|we've|we have) (?:been living|lived) in ", Take::City(Base)).sure(0.9),
        assert("home_city", r"^(?:i've|i have|we've|we have) been in (?P<v>\w+(?: \w+)?) for (?:\w+ )?(?:\w+ )?years?\b", Take::GroupCity).sure(0.8),
        assert("home_city", r"^home is ", Take::City(Base)).sure(0.8),
        assert("home_city", r"^(?:i'm|i am|im|we're|we are) (?:currently |now )?(?:based|living) in ", Take::City(Base)).sure(0.9),
        assert("home_city", r"^(?:i|we)(?:'ve| have)?(?: just| recently| finally)? (?:moved|relocated) (?:back )?to ", Take::City(Base)).sure(0.9),
        assert("role", r"^i work (?:at|for) .{1,60}? as an? ", Take::RoleFree).also(),
        assert("role", r"^i(?:'ve| have)?(?: just| recently)? joined .{1,60}? as an? ", Take::RoleFree).also(),
        assert("employer", r"^i(?: currently| now| still)? work (?:at|for) ", Take::Organisation(Base)).sure(0.95),
        assert("employer", r"^(?:i'm|i am|im) (?:currently |now )?(?:working|employed) (?:at|for|by) ", Take::Organisation(Base)).sure(0.9),
        assert("employer", r"^(?:i've|i have) (?:been working|worked) (?:at|for) ", Take::Organisation(Base)).sure(0.9),
        assert("employer", r"^i(?:'ve| have)?(?: just| recently)? (?:joined|started (?:working )?at) ", Take::Employer(Base)).sure(0.85),
        assert("role", r"^i work as an? ", Take::RoleFree).sure(0.9),
        assert("role", r"^(?:i'm|i am|im) (?:an?|the) ", Take::Role).sure(0.85).also(),
        assert("employer", r"^(?:i'm|i am|im) (?:an?|the) [\w -]{2,50}? (?:at|for) ", Take::RoleOrganisation).sure(0.85),
        assert("speaks", r"^i (?:also )?speak (?:fluent |some |a bit of |a little )?", Take::Languages).sure(0.9),
        assert("speaks", r"^(?:i'm|i am|im) (?:fluent|native) in ", Take::Languages).sure(0.9),
        assert("member_of", r"^(?:i'm|i am|im) (?:an? )?(?:active |proud )?member of (?:the )?", Take::Organisation(Base)).sure(0.9),
        // relationships
        assert("spouse", r"^my (?:wife|husband|spouse)(?:'s name is| is called| is named| is|,)? ", Take::Person(Base)).sure(0.9),
        assert("spouse", r"^(?P<v>[\w-]+(?: [\w-]+)?) is my (?:wife|husband|spouse)$", Take::GroupPerson).sure(0.9),
        assert("manager", r"^(?P<v>[\w-]+(?: [\w-]+)?) is my (?:new )?(?:manager|boss|supervisor|line manager)$", Take::GroupPerson).sure(0.9),
        assert("parent_of", r"^(?P<v>[\w-]+(?: [\w-]+)?) is (?:my|our) (?:daughter|son)$", Take::GroupPerson).sure(0.9),
        assert("colleague_of", r"^(?P<v>[\w-]+(?: [\w-]+)?) is my (?:colleague|coworker|teammate)$", Take::GroupPerson).sure(0.85),
        assert("spouse", r"^(?:i'm|i am|im) married to ", Take::Person(Base)).sure(0.9),
        assert("manager", r"^my (?:new )?(?:manager|boss|supervisor|line manager)(?:'s name is| is called| is|,)? ", Take::Person(Base)).sure(0.9),
        assert("manager", r"^i report to ", Take::Person(Base)).sure(0.85),
        assert("colleague_of", r"^my (?:colleague|coworker|co-worker|teammate|workmate)(?:'s name is| is called| is|,)? ", Take::Person(Base)).sure(0.85),
        assert("parent_of", r"^(?:my|our) (?:eldest |youngest |older |younger |little )?(?:daughter|son|kid|child|baby)(?:'s name is| is called| is named| is|,)? ", Take::Person(Base)).sure(0.9),
        assert("parent_of", r"^(?:i|we) have an? (?:[\w-]+ )?(?:daughter|son|baby|child|kid) (?:named|called) ", Take::Person(Base)).sure(0.9),
        assert("knows", r"^(?:my|our) (?:best |good |old )?(?:friend|neighbou?r|flatmate|roommate)(?:'s name is| is called| is|,)? ", Take::Person(Base)).sure(0.8),
        assert("related_to", r"^my (?:(?:older|younger|big|little|twin) )?(?:mom|mum|mother|dad|father|brother|sister|cousin|aunt|uncle|grandmother|grandfather|grandma|grandpa|nephew|niece|mother-in-law|father-in-law)(?:'s name is| is called| is named| is|,)? ", Take::Person(Base)).sure(0.85),
        assert("cares_for", r"^(?:i (?:walk|feed) )?(?:my|our) (?:dog|cat|puppy|kitten|rabbit|horse|parrot|hamster)(?:'s name is| is called| is named| is|,)? ", Take::Person(Base)).sure(0.85),
        assert("cares_for", r"^(?:i|we) have an? (?:[\w-]+ )?(?:dog|cat|puppy|kitten|rabbit|horse|parrot|hamster) (?:named|called) ", Take::Person(Base)).sure(0.9),
        assert("owns", r"^i (?:own|drive|ride) an? ", Take::Thing).sure(0.85),
        // relationships said in passing: "I helped my friend Emma"
        assert("spouse", r"^(?:i|we|i'm|i've|we've|we're)\b.{1,80}?\bmy (?:wife|husband|spouse),? ", Take::Named).sure(0.8).also(),
        assert("parent_of", r"^(?:i|we|i'm|i've|we've|we're)\b.{1,80}?\b(?:my|our) (?:(?:(?:eldest|youngest|older|younger|little) )?(?:daughter|son)),? ", Take::Named).sure(0.8).also(),
        assert("manager", r"^(?:i|we|i'm|i've|we've|we're)\b.{1,80}?\bmy (?:manager|boss|supervisor),? ", Take::Named).sure(0.8).also(),
        assert("colleague_of", r"^(?:i|we|i'm|i've|we've|we're)\b.{1,80}?\bmy (?:colleague|coworker|co-worker|teammate),? ", Take::Named).sure(0.8).also(),
        assert("related_to", r"^(?:i|we|i'm|i've|we've|we're)\b.{1,80}?\bmy (?:(?:older|younger|big|little|twin) )?(?:mom|mum|mother|dad|father|brother|sister|cousin|aunt|uncle|grandmother|grandfather|grandma|grandpa|nephew|niece|mother-in-law|father-in-law),? ", Take::Named).sure(0.8).also(),
        assert("knows", r"^(?:i|we|i'm|i've|we've|we're)\b.{1,80}?\bmy (?:(?:(?:best|good|old|close) )?(?:friend|neighbou?r|roommate|flatmate)),? ", Take::Named).sure(0.8).also(),
        assert("cares_for", r"^(?:i|we|i'm|i've|we've|we're)\b.{1,80}?\bmy (?:dog|cat|puppy|kitten),? ", Take::Named).sure(0.8).also(),
        // preferences
        assert("prefers", r"^i(?: really| generally| usually| much| always)? prefer ", Take::Text),
        assert("prefers", r"^(?:i'd|i would) rather ", Take::Text).sure(0.7),
        assert("likes", r"^my (?:all-time )?favou?rite (?P<k>[\w ]{2,30}?) (?:is|are) ", Take::Text),
        assert("dislikes", r"^i(?: really| absolutely)? (?:hate|dislike|detest|can't stand|cannot stand|cant stand|don't like|dont like|do not like|don't enjoy) ", Take::Liking),
        assert("likes", r"^i(?: really| absolutely| also| just)? (?:like|love|enjoy|adore) ", Take::Liking),
        assert("likes", r"^(?:i'm|i am|im) (?:an? )?(?:big |huge )?(?:fan of|fond of|into) ", Take::Liking),
        assert("routine", r"^(?:i|we) (?P<v>(?:usually |always )?(?:go|do|have|meet|run|swim|train|play|call|visit|cook|walk|read|take|eat|wake up|get up|practise|practice|cycle|meditate)\b.{0,60}\b(?:every|each) (?:other )?(?:morning|evening|night|day|week|weekend|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?(?: (?:morning|evening|afternoon|night))?)$", Take::Clause),
        assert("routine", r"^(?:every|each) (?:other )?(?:morning|evening|night|day|week|weekend|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?: (?:morning|evening|afternoon|night))? i (?:always |usually )?(?:go|do|have|meet|run|swim|train|play|call|visit|cook|walk|read|take|eat|wake up|get up|practise|practice|cycle|meditate)\b.{0,80}$", Take::Whole),
        assert("goal", r"^(?:my|our) (?:main |big |biggest )?goal(?: this year| for this year| for \d{4})? is (?:to )?", Take::Text),
        assert("goal", r"^(?:i'm|i am|im) trying to (?P<v>(?:learn|lose|quit|save|become)\b.{2,80})$", Take::Clause),
        // projects
        assert("project_status", &format!("^{project} (?:is|has been|was) (?:now |currently )?{PROJECT_STATUS}"), Take::Group),
        assert("project_deadline", &format!(r"^{project} (?:(?:is|will be) due|has to ship|must ship|ships|launches|goes live|has to be (?:done|finished|ready)|must be (?:done|finished|ready)) (?:on |by )?"), Take::Date { year_needed: false }),
        assert("project_deadline", &format!(r"^(?:the )?(?:deadline|due date) (?:for|of) {project} is (?:on )?"), Take::Date { year_needed: false }),
        assert("project_deadline", &format!(r"^{project}(?:'s)? deadline is (?:on )?"), Take::Date { year_needed: false }),
        assert("project_owner", &format!(r"^{project} is (?:owned|led|run|managed) by "), Take::Person(Base)),
        assert("project_owner", &format!(r"^(?P<v>[\w-]+(?: [\w-]+)?) (?:is leading|is running|leads|owns|runs|manages) {project}$"), Take::GroupPerson),
        assert("project_location", &format!(r"^{project} is (?:located|based|happening) in "), Take::City(Base)),
        assert("decision", r"^(?:i|we)(?:'ve| have)?(?: just| finally| all)? (?:decided|agreed|chosen) to (?P<v>[a-z].{2,100})$", Take::Clause),
        assert("works_on", r"^(?:i'm|i am|im|we're|we are) (?:currently |now |also )*(?:working on|building|developing) ", Take::Work),
        assert("works_on", r"^i work on ", Take::Work),
        assert("belongs_in", r"^(?P<e>[\w-]+(?: [\w-]+)?) (?:belongs?|goes?) (?:in|into|under) ", Take::Folder),
        assert("uses", r"^(?:my|our) (?:shell|editor|ide|os|operating system|browser|terminal|distro|main language|database|laptop|phone) is ", Take::Tool),
        assert("uses", r"^(?:i|we)(?: always| mostly| mainly| usually)? use ", Take::Tool),
        assert("uses", r"^(?:i'm|i am|im|we're|we are) using ", Take::Tool),
        assert("colleague_of", r"^i work (?:closely |together )?with ", Take::Person(Base)).sure(0.75),
    ]
}

/// Words that begin what is to be remembered: "remember that …".
pub(super) const REMEMBER: &str = r"^(?:please |pls )*(?:(?:remember|don't forget|do not forget|dont forget|make a note|take note)(?: that|:) |please remember )";

/// What people do for a living, in words that stand last in the name of an occupation.
pub(super) const OCCUPATIONS: &str = "engineer developer programmer designer manager teacher nurse doctor lawyer architect electrician plumber carpenter accountant consultant analyst scientist researcher \
    student professor lecturer writer author editor journalist translator interpreter photographer musician artist chef cook baker waiter barista driver pilot mechanic farmer gardener dentist \
    pharmacist psychologist therapist physiotherapist veterinarian vet surgeon midwife paramedic firefighter policeman soldier officer librarian secretary assistant administrator technician tester \
    freelancer contractor founder owner ceo cto cfo director coordinator economist biologist chemist physicist mathematician statistician historian archaeologist sailor skipper realtor broker \
    salesperson marketer producer programmer beekeeper bartender blacksmith bookkeeper bricklayer butcher cashier courier florist geologist jeweller journalist locksmith optician pastor pathologist pediatrician radiographer roofer sculptor shepherd stylist technologist tiler upholsterer warden watchmaker zookeeper filmmaker illustrator animator composer singer actor actress dancer athlete judge officer clerk recruiter tutor coach trainer hairdresser tailor builder welder mason painter sysadmin devops postdoc intern";
