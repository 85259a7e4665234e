//! Addresses: of mail, of pages, of hosts, and names after an `@`.
//!
//! They are written for machines. One that differs in a letter, or of which one half was exchanged, reaches somebody
//! else, so an address is compared whole where other words are compared one by one.

/// Every address of a text, as it is written, without the marks around it.
pub(super) fn addresses_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| {
        c.is_whitespace() || matches!(c, '<' | '>' | '"' | '(' | ')' | '[' | ']' | ',' | ';')
    })
    .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '@' | '/' | '_')))
    .filter(|word| is_address(word))
}

/// Whether some quote holds this address whole, in any case, and not as a part of a longer one.
pub(super) fn stands(address: &str, quote: &str) -> bool {
    let (address, quote) = (address.to_lowercase(), quote.to_lowercase());
    let continues = |c: char| c.is_alphanumeric() || matches!(c, '@' | '_' | '-');
    quote.match_indices(&address).any(|(at, found)| {
        let before = &quote[..at];
        let mut after = quote[at + found.len()..].chars();
        let follows = match after.next() {
            // A full stop ends a sentence unless a letter follows.
            Some('.' | '/' | ':' | '+') => after.next().is_some_and(char::is_alphanumeric),
            Some(next) => continues(next),
            None => false,
        };
        let precedes = before.ends_with(continues)
            || before.strip_suffix(['.', '+', '/']).is_some_and(|rest| rest.ends_with(char::is_alphanumeric));
        !follows && !precedes
    })
}

fn is_address(word: &str) -> bool {
    let letter = |c: char| c.is_alphanumeric();
    if let Some((scheme, rest)) = word.split_once("://") {
        return scheme.starts_with(letter) && rest.contains(letter);
    }
    match word.split_once('@') {
        Some(("", handle)) => handle.starts_with(letter),
        Some((user, host)) => user.contains(letter) && host.starts_with(letter),
        None => is_host(word.split('/').next().unwrap_or(word)),
    }
}

/// Whether this is `mail.example.org`, and not `e.g`, `d.o.o`, `3.14` or two sentences that lack a space between them.
fn is_host(word: &str) -> bool {
    let labels = || word.split('.');
    let is_label = |label: &str| {
        label.len() >= 2
            && label.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
            && label.contains(|c: char| c.is_ascii_lowercase())
    };
    labels().count() >= 2
        && labels().all(is_label)
        && labels().next_back().is_some_and(|top| top.bytes().all(|b| b.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::{addresses_in, stands};

    #[test]
    fn addresses_are_told_from_words() {
        let found = |text| addresses_in(text).collect::<Vec<_>>();
        assert_eq!(found("mail <Ana.K+x@example.org>, or ask @ana_k."), ["Ana.K+x@example.org", "@ana_k"]);
        assert_eq!(found("see (https://example.org/a?b=1)."), ["https://example.org/a?b=1"]);
        assert_eq!(found("on docs.example.org/start since 3.14"), ["docs.example.org/start"]);
        assert_eq!(found("e.g. ACME d.o.o. pays 1.250,00 @ 9:30. Done.Next a@ @"), Vec::<&str>::new());
    }

    #[test]
    fn an_address_stands_whole_or_not_at_all() {
        for quote in ["to Ana@Example.org.", "<ana@example.org>", "mailto:ana@example.org?x"] {
            assert!(stands("ana@example.org", quote), "{quote}");
        }
        for quote in
            ["ana@example.org.uk", "jo-ana@example.org", "jo.ana@example.org", "ana@example.orga", "ana"]
        {
            assert!(!stands("ana@example.org", quote), "{quote}");
        }
        assert!(!stands("example.org", "www.example.org/a"));
    }
}
