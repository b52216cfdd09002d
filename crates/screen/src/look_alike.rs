//! Domains that look like others.

use std::sync::LazyLock;

use crate::fold::{Folded, fold};
use crate::links::registered;

/// Bytes of the longest domain that is compared.
const DOMAIN_MAX: usize = 64;
/// Letters of a name from which one other letter makes a look-alike.
const NAME_MIN: usize = 5;

/// Domains of well-known brands.
static BRANDS: LazyLock<KnownDomains> = LazyLock::new(|| {
    let lines = include_str!("../data/brands.txt").lines().filter(|line| !line.starts_with('#'));
    let mut brands = KnownDomains::new(lines.flat_map(|line| line.split(',')).map(str::trim));
    brands.are_brands = true;
    brands
});

/// Domains that others may imitate, in the order in which the reader got to know them.
#[derive(Debug, Clone, Default)]
pub struct KnownDomains {
    all: Vec<Known>,
    are_brands: bool,
}

#[derive(Debug, Clone)]
struct Known {
    /// The registered part of the domain.
    domain: Box<str>,
    /// The same with look-alike letters replaced by one of them.
    shape: Box<str>,
}

impl KnownDomains {
    /// Keeps the registered parts of domains, oldest acquaintance first.
    pub fn new<'d>(domains: impl IntoIterator<Item = &'d str>) -> Self {
        let mut all: Vec<Known> = Vec::new();
        for domain in domains {
            let domain = registered(domain.trim_end_matches('.')).to_lowercase();
            let is_comparable = !domain.is_empty() && domain.len() <= DOMAIN_MAX;
            if is_comparable && all.iter().all(|known| *known.domain != *domain) {
                all.push(Known { shape: skeleton(&domain).into(), domain: domain.into() });
            }
        }
        Self { all, are_brands: false }
    }

    /// Returns the domain that another one looks like. A domain of the list looks like one only if the reader knew that
    /// one before, so that the first mail of an imitator doesn't make it an acquaintance. A brand imitates nobody.
    #[must_use]
    pub fn imitated_by(&self, domain: &str) -> Option<&str> {
        let domain = registered(domain.trim_end_matches('.'));
        if domain.is_empty() || domain.len() > DOMAIN_MAX || BRANDS.has(domain) {
            return None;
        }
        let domain = domain.to_lowercase();
        let shape = skeleton(&domain);
        let older = self.all.iter().take_while(|known| *known.domain != *domain);
        older
            .map(|known| (known, self.resembles(&domain, &shape, known)))
            .find(|(_, is)| *is)
            .map(|(known, _)| &*known.domain)
    }

    fn has(&self, domain: &str) -> bool {
        self.all.iter().any(|known| known.domain.eq_ignore_ascii_case(domain))
    }

    fn resembles(&self, domain: &str, shape: &str, known: &Known) -> bool {
        if *shape == *known.shape {
            return true;
        }
        let (Some((name, end)), Some((known_name, known_end))) = (domain.split_once('.'), known.domain.split_once('.'))
        else {
            return false;
        };
        if known_name.len() < NAME_MIN || name == known_name {
            // The same name with another ending can be the company itself.
            return false;
        }
        let (name_shape, known_shape) = (first_label(shape), first_label(&known.shape));
        self.are_brands && name.split('-').any(|part| part == known_name)
            || name_shape == known_shape
            || end == known_end && known_name.len() > NAME_MIN && is_one_edit(name_shape, known_shape)
    }
}

/// Returns the brand that a domain looks like.
pub(crate) fn imitated_brand(domain: &str) -> Option<&'static str> {
    BRANDS.imitated_by(domain)
}

fn first_label(domain: &str) -> &str {
    domain.split('.').next().unwrap_or(domain)
}

/// Returns a domain with look-alike letters replaced by one of them.
fn skeleton(domain: &str) -> String {
    let mut out = String::with_capacity(domain.len());
    let decoded = domain.chars().map(|c| match fold(c) {
        Folded::Letter(c) | Folded::Digit(c) | Folded::Pair(c, _) => c,
        _ => c,
    });
    for c in decoded {
        let c = match c {
            '0' => 'o',
            '1' | 'i' | 'j' => 'l',
            '3' => 'e',
            '4' => 'a',
            '5' => 's',
            '8' => 'b',
            c => c,
        };
        // "rn" looks like "m", and "vv" like "w".
        match (out.chars().last(), c) {
            (Some('r'), 'n') => {
                out.pop();
                out.push('m');
            }
            (Some('v'), 'v') => {
                out.pop();
                out.push('w');
            }
            _ => out.push(c),
        }
    }
    out
}

/// Returns whether one letter was changed, added or left out, or two were exchanged.
fn is_one_edit(a: &str, b: &str) -> bool {
    let same = |(x, y): &(u8, u8)| x == y;
    let front = a.bytes().zip(b.bytes()).take_while(same).count();
    let back = a.bytes().rev().zip(b.bytes().rev()).take_while(same).count().min(a.len().min(b.len()) - front);
    let start = a.floor_char_boundary(front);
    let (a, b) = (&a[start..a.ceil_char_boundary(a.len() - back)], &b[start..b.ceil_char_boundary(b.len() - back)]);
    if a.len().max(b.len()) > 2 * char::MAX_LEN_UTF8 {
        return false;
    }
    let (mut one, mut other) = (a.chars(), b.chars());
    match [one.next(), one.next(), one.next(), other.next(), other.next(), other.next()] {
        [Some(_), None, None, Some(_), None, None]
        | [None, _, _, Some(_), None, None]
        | [Some(_), None, _, None, _, _] => true,
        [Some(a), Some(b), None, Some(c), Some(d), None] => a == d && b == c,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_of_brands_and_contacts() {
        let contacts = KnownDomains::new(["acme-corp.example"]);
        for (domain, known) in [
            ("paypa1.com", "paypal.com"),
            ("rnicrosoft.com", "microsoft.com"),
            ("mlcrosoft.com", "microsoft.com"),
            ("paypal-secure.com", "paypal.com"),
            ("login.arnazon.com", "amazon.com"),
            ("раypal.com", "paypal.com"),
        ] {
            assert_eq!(imitated_brand(domain), Some(known), "{domain}");
            assert_eq!(contacts.imitated_by(domain), None, "{domain}");
        }
        for domain in [
            "acme-corq.example",
            "acmecorp.example",
            "mail.ACME-C0RP.example",
            "acme-crop.example",
            "acme-corpp.example",
        ] {
            assert_eq!(contacts.imitated_by(domain), Some("acme-corp.example"), "{domain}");
        }
        for domain in
            ["acme-corp.example", "sales.acme-corp.example", "other.example", "acme-corp.test", "асме.example"]
        {
            assert_eq!(contacts.imitated_by(domain), None, "{domain}");
        }
        for domain in ["paypal.com", "www.paypal.com", "paypal.de", "", "."] {
            assert_eq!(imitated_brand(domain), None, "{domain}");
        }
    }

    #[test]
    fn only_a_later_acquaintance_imitates() {
        let contacts = KnownDomains::new(["acme-corp.example", "acmecorp.example", "b.example"]);
        assert_eq!(contacts.imitated_by("acme-corp.example"), None);
        assert_eq!(contacts.imitated_by("acmecorp.example"), Some("acme-corp.example"));
        assert_eq!(contacts.imitated_by("b.example"), None);
    }

    #[test]
    fn one_edit_is_one_edit() {
        for (a, b, is) in [
            ("abcd", "abed", true),
            ("abcd", "abd", true),
            ("abd", "abcd", true),
            ("abcd", "acbd", true),
            ("abcd", "abcde", true),
            ("abcd", "adcb", false),
            ("abcd", "ab", false),
            ("äbcd", "öbcd", true),
            ("abc", "xyz", false),
        ] {
            assert_eq!(is_one_edit(a, b), is, "{a} {b}");
        }
    }
}
