//! Languages: English and Croatian, with their plurals.

/// A language that pages are told in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Language {
    /// English.
    English,
    /// Croatian.
    Croatian,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::English, Self::Croatian];

    /// Its code, as pages and browsers write it.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Croatian => "hr",
        }
    }

    /// What it calls itself.
    pub const fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Croatian => "Hrvatski",
        }
    }

    /// The language of this code.
    pub fn named(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// The one of ours that an `Accept-Language` likes best; English, where it names none of them.
    pub fn accepted(header: &str) -> Self {
        let wishes = header.split(',').filter_map(|wish| {
            let mut parts = wish.trim().split(';');
            let code = parts.next()?.split('-').next()?.trim().to_ascii_lowercase();
            let liking =
                parts.find_map(|part| part.trim().strip_prefix("q=")).map_or(Some(1.0), |q| q.parse().ok());
            let liking: f64 = liking.filter(|liking| *liking > 0.0)?;
            // Whoever reads Bosnian, Serbian or Serbo-Croatian would rather read Croatian than English.
            let language = match code.as_str() {
                "bs" | "sr" | "sh" => Self::Croatian,
                code => Self::named(code)?,
            };
            Some((language, liking))
        });
        let mut best: Option<(Self, f64)> = None;
        for (language, liking) in wishes {
            // Of wishes that are as strong, the first counts.
            if best.is_none_or(|(_, before)| liking > before) {
                best = Some((language, liking));
            }
        }
        best.map_or(Self::English, |(language, _)| language)
    }

    /// So many of a thing, with the form of its name that the number asks for.
    pub fn count(self, number: usize, noun: Noun) -> String {
        let written = self.number(number);
        let [one, few, many] = noun.forms(self);
        let form = match self {
            Self::English if number == 1 => one,
            Self::English => many,
            Self::Croatian => match (number % 10, number % 100) {
                (1, rest) if rest != 11 => one,
                (2..=4, rest) if !(12..=14).contains(&rest) => few,
                _ => many,
            },
        };
        format!("{written}\u{a0}{form}")
    }

    /// A whole number with its thousands apart.
    pub fn number(self, number: usize) -> String {
        let digits = number.to_string();
        // Croatian parts four digits only where there are more.
        let parts_from = if self == Self::Croatian { 5 } else { 4 };
        if digits.len() < parts_from {
            return digits;
        }
        let mut written = String::new();
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                written.push(if self == Self::Croatian { '.' } else { ',' });
            }
            written.push(digit);
        }
        written
    }

    /// A share of one, with two digits.
    pub fn share(self, share: f64) -> String {
        let written = format!("{share:.2}");
        if self == Self::Croatian { written.replace('.', ",") } else { written }
    }
}

macro_rules! nouns {
    ($($name:ident: [$en_one:literal, $en_many:literal], [$hr_one:literal, $hr_few:literal, $hr_many:literal];)+) => {
        /// Something that is counted.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Noun { $(
            #[doc = $en_many]
            $name,
        )+ }

        impl Noun {
            /// The form for one, for a few, for many.
            const fn forms(self, language: Language) -> [&'static str; 3] {
                match (self, language) { $(
                    (Self::$name, Language::English) => [$en_one, $en_many, $en_many],
                    (Self::$name, Language::Croatian) => [$hr_one, $hr_few, $hr_many],
                )+ }
            }
        }
    };
}

nouns! {
    Memory: ["memory", "memories"], ["sjećanje", "sjećanja", "sjećanja"];
    Version: ["version", "versions"], ["verzija", "verzije", "verzija"];
    Lineage: ["independent origin", "independent origins"], ["neovisno podrijetlo", "neovisna podrijetla", "neovisnih podrijetla"];
    Claim: ["claim", "claims"], ["tvrdnja", "tvrdnje", "tvrdnji"];
    Message: ["message", "messages"], ["poruka", "poruke", "poruka"];
    Source: ["source", "sources"], ["izvor", "izvora", "izvora"];
    Fact: ["fact", "facts"], ["činjenica", "činjenice", "činjenica"];
    Dispute: ["dispute", "disputes"], ["spor", "spora", "sporova"];
    Considered: ["considered", "considered"], ["razmotreno", "razmotrena", "razmotreno"];
    Selected: ["selected", "selected"], ["odabrano", "odabrana", "odabrano"];
    Used: ["used", "used"], ["upotrijebljeno", "upotrijebljena", "upotrijebljeno"];
    Token: ["token", "tokens"], ["token", "tokena", "tokena"];
    Slot: ["place", "places"], ["mjesto", "mjesta", "mjesta"];
    Row: ["row", "rows"], ["redak", "retka", "redaka"];
    Problem: ["problem", "problems"], ["problem", "problema", "problema"];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_that_is_liked_best_is_read() {
        for (header, language) in [
            ("", Language::English),
            ("hr", Language::Croatian),
            ("hr-HR,hr;q=0.9,en;q=0.8", Language::Croatian),
            ("en-GB,en;q=0.9,hr;q=0.8", Language::English),
            ("de,fr;q=0.9", Language::English),
            ("de,hr;q=0.2", Language::Croatian),
            ("en;q=0.3, hr;q=0.7", Language::Croatian),
            ("hr;q=0, en;q=0.1", Language::English),
            ("bs", Language::Croatian),
            ("hr;q=nonsense,en", Language::English),
        ] {
            assert_eq!(Language::accepted(header), language, "{header}");
        }
    }

    #[test]
    fn croatian_counts_one_few_and_many() {
        let count = |number| Language::Croatian.count(number, Noun::Claim).replace('\u{a0}', " ");
        for (number, said) in [
            (0, "0 tvrdnji"),
            (1, "1 tvrdnja"),
            (2, "2 tvrdnje"),
            (4, "4 tvrdnje"),
            (5, "5 tvrdnji"),
            (11, "11 tvrdnji"),
            (12, "12 tvrdnji"),
            (14, "14 tvrdnji"),
            (21, "21 tvrdnja"),
            (22, "22 tvrdnje"),
            (111, "111 tvrdnji"),
            (1_234, "1234 tvrdnje"),
            (12_341, "12.341 tvrdnja"),
        ] {
            assert_eq!(count(number), said);
        }
        assert_eq!(Language::English.count(1, Noun::Claim), "1\u{a0}claim");
        assert_eq!(Language::English.count(1_234_567, Noun::Claim), "1,234,567\u{a0}claims");
        assert_eq!(Language::Croatian.share(0.5), "0,50");
    }
}
