//! Filters by the author of a message: `from=` of long-polls and of verification lookups. Pure.
//!
//! Clients that wait for mail from `acme.com` act on what arrives, so a filter by sender never matches a message
//! without an author, nor one whose author failed authentication or couldn't be checked.

use posthouse_mail::address::{Address, Mailbox};

use crate::{label, list::domain_text, text::compared};

/// Which authors a filter matches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SenderFilter {
    /// The author's address, canonical.
    Address(String),
    /// The author's domain, in A-labels.
    Domain(String),
    /// The author's domain or a parent domain, in A-labels.
    DomainOrParent(String),
    /// A substring of the author's name or address, in the form of [`compared`].
    Substring(String),
}

impl SenderFilter {
    /// Parses a value of `from=`.
    ///
    /// # Errors
    /// Describes the problem if the value looks like an address or domain but isn't valid, because it could never
    /// match.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let domain = |text: &str| domain_of(text).ok_or_else(|| format!("'{text}' is not a valid domain name"));
        if let Some(name) = text.strip_prefix('@') {
            return domain(name).map(Self::Domain);
        }
        if text.contains('@') {
            return address_of(text).map(|address| Self::Address(address.canonical())).ok_or_else(|| {
                "must be a full address, a domain such as `@acme.com` or `acme.com`, or a part of a name without `@`"
                    .to_owned()
            });
        }
        if text.contains('.') && !text.contains(char::is_whitespace) {
            return domain(text.strip_prefix('.').unwrap_or(text)).map(Self::DomainOrParent);
        }
        Ok(Self::Substring(compared(text)))
    }

    /// Returns whether a message passes; `author` is in header form, and empty if the message has none.
    #[must_use]
    pub fn matches(&self, author: &str) -> bool {
        let Some(address) = address_of(author) else { return false };
        match self {
            Self::Address(wanted) => address.canonical() == *wanted,
            Self::Domain(wanted) => address.domain() == wanted,
            Self::DomainOrParent(wanted) => {
                let below = address.domain().strip_suffix(wanted.as_str());
                below.is_some_and(|below| below.is_empty() || below.ends_with('.'))
            }
            Self::Substring(part) => {
                let shown = format!("{}@{}", address.local(), address.domain_unicode());
                let name = Mailbox::parse(author).ok().and_then(|mailbox| mailbox.name().map(str::to_owned));
                let texts = [author.to_owned(), name.unwrap_or_default(), address.canonical(), shown];
                texts.iter().any(|text| compared(text).contains(part))
            }
        }
    }

    /// Returns whether a message passes, requiring that its labels don't report failed or unknown authentication.
    #[must_use]
    pub fn matches_authenticated(&self, author: &str, labels: &[String]) -> bool {
        !label::has_failed_authentication(labels) && self.matches(author)
    }
}

/// Parses a domain into A-labels. Allows underscores, because some real senders use them.
fn domain_of(text: &str) -> Option<String> {
    let text = text.strip_suffix('.').unwrap_or(text);
    domain_text(text)
        .or_else(|| Address::parse_smtp(&format!("x@{text}")).ok().map(|address| address.domain().to_owned()))
}

/// Returns the address of a mailbox: the bare address, or the one in the angle brackets at the end.
fn address_of(text: &str) -> Option<Address> {
    if let Ok(mailbox) = Mailbox::parse(text) {
        return Some(mailbox.into_address());
    }
    let text = text.trim();
    let bare = match text.strip_suffix('>') {
        Some(open) => open.rsplit_once('<')?.1,
        None => text,
    };
    Address::parse_smtp(bare).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NONE: &[&str] = &[];

    #[test]
    fn filter_matches_by_address_domain_or_substring() {
        let acme = "Acme, Billing <Billing+x@acme.com>";
        let quoted = "\"Acme, Billing\" <Billing+x@acme.com>";
        let below = "news@Mail.ACME.com";
        let evil = "acme.com <x@evilacme.com>";
        let suffix = "x@acme.com.evil.example";
        let idn = "Jörg <jörg@bücher.example>";
        let ascii = "jörg@xn--bcher-kva.example";
        let all = [acme, quoted, below, evil, suffix, idn, ascii];
        let table: [(&str, &[&str]); 35] = [
            ("billing+x@acme.com", &[acme, quoted]),
            ("BILLING+X@ACME.COM", &[acme, quoted]),
            (" Billing+x@acme.com ", &[acme, quoted]),
            ("<billing+x@acme.com>", &[acme, quoted]),
            ("Somebody <billing+x@acme.com>", &[acme, quoted]),
            ("billing@acme.com", NONE),
            ("x@acme.com", NONE),
            ("x@evilacme.com", &[evil]),
            ("@acme.com", &[acme, quoted]),
            ("@ACME.com.", &[acme, quoted]),
            ("@mail.acme.com", &[below]),
            ("@com", NONE),
            ("acme.com", &[acme, quoted, below]),
            ("Acme.Com", &[acme, quoted, below]),
            ("acme.com.", &[acme, quoted, below]),
            (".acme.com", &[acme, quoted, below]),
            ("mail.acme.com", &[below]),
            ("l.acme.com", NONE),
            ("evil.example", &[suffix]),
            ("e.com", NONE),
            ("evilacme.com", &[evil]),
            ("bücher.example", &[idn, ascii]),
            ("BÜCHER.example", &[idn, ascii]),
            ("xn--bcher-kva.example", &[idn, ascii]),
            ("@Bücher.example", &[idn, ascii]),
            ("jörg@xn--bcher-kva.example", &[idn, ascii]),
            ("JÖRG@bücher.example", &[idn, ascii]),
            ("Acme, Bill", &[acme, quoted]),
            ("BILLING", &[acme, quoted]),
            ("acme", &[acme, quoted, below, evil, suffix]),
            ("bücher", &[idn, ascii]),
            ("jörg <", &[idn]),
            ("acme.com <x", &[evil]),
            ("jo\u{308}rg@bücher.example", &[idn, ascii]),
            ("JO\u{308}RG", &[idn, ascii]),
        ];
        for (wanted, passing) in table {
            let filter = SenderFilter::parse(wanted).expect(wanted);
            for author in all {
                // Unquoted commas occur in the names of received mail.
                assert_eq!(filter.matches(author), passing.contains(&author), "{wanted} / {author}");
            }
        }
    }

    #[test]
    fn invalid_authors_never_match() {
        for author in [
            "",
            " ",
            "acme.com",
            "Acme <acme.com>",
            "@acme.com",
            "a@b@acme.com",
            "x@acme.com, y@acme.com",
            "Acme <x@acme.com",
        ] {
            for wanted in ["acme.com", "@acme.com", "x@acme.com", "acme", "a"] {
                assert!(!SenderFilter::parse(wanted).expect(wanted).matches(author), "{wanted} / {author}");
            }
        }
    }

    #[test]
    fn values_that_could_never_match_are_errors() {
        for bad in [
            "@",
            "acme@",
            "a@b@c.example",
            "@acme..com",
            "acme..com",
            "@a b.com",
            "acme.com/x",
            "..",
            ".",
            "*.acme.com",
            "no reply@",
        ] {
            assert!(SenderFilter::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn failed_and_unknown_authentication_never_match() {
        let filter = SenderFilter::parse("acme.com").expect("a domain");
        let labels = |labels: &[&str]| labels.iter().map(|&label| label.to_owned()).collect::<Vec<_>>();
        for good in [&[][..], &["bounce-report"], &["mine", "local:spam"]] {
            assert!(filter.matches_authenticated("x@acme.com", &labels(good)), "{good:?}");
        }
        for bad in ["spf-fail", "dmarc-fail", "auth-unknown"] {
            assert!(!filter.matches_authenticated("x@acme.com", &labels(&["mine", bad])), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn domain_filter_matches_the_domain_and_its_subdomains_only(host in "[a-z]{1,8}(\\.[a-z]{1,8}){0,3}") {
            let author = format!("a@{host}");
            let matches = SenderFilter::parse("acme.com").expect("a domain").matches(&author);
            prop_assert_eq!(matches, host == "acme.com" || host.ends_with(".acme.com"));
            let own = SenderFilter::parse(&format!(".{host}")).expect("a domain");
            let (below, beside) = (format!("b@x.{host}"), format!("b@x{host}"));
            prop_assert!(own.matches(&author) && own.matches(&below) && !own.matches(&beside));
        }

        #[test]
        fn no_text_panics(wanted in ".{0,20}", author in ".{0,30}") {
            if let Ok(filter) = SenderFilter::parse(&wanted) {
                let _ = filter.matches(&author);
            }
        }
    }
}
