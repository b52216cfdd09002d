//! Links that lead elsewhere than they say, and domains that look like others.

use std::sync::LazyLock;

use crate::fold::{Folded, fold};

/// Bytes of the longest domain that is compared.
const DOMAIN_MAX: usize = 64;
/// Letters of a name from which one other letter makes a look-alike.
const NAME_MIN: usize = 5;

/// Domains of well-known brands.
static BRANDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("../data/brands.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| line.split(',')).map(str::trim).filter(|domain| !domain.is_empty()).collect()
});

/// Returns the host of a URL, or of a text that is a URL or a domain.
pub(crate) fn host(url: &str) -> Option<&str> {
    let url = url.trim();
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next()?.rsplit('@').next()?.split(':').next()?;
    let is_host = host.len() <= 253
        && host.contains('.')
        && host.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'))
        && host.rsplit('.').next().is_some_and(|end| end.len() >= 2 && end.chars().all(char::is_alphabetic));
    is_host.then_some(host)
}

/// Returns the registered part of a host: its last two labels, or three below a short second level.
pub(crate) fn registered(host: &str) -> &str {
    let labels: Vec<usize> = host.rmatch_indices('.').map(|(at, _)| at).collect();
    let is_short = |from: usize, to: usize| to - from <= 4;
    let keep = match labels[..] {
        [last, second, ..] if host.len() - last <= 3 && is_short(second, last) => labels.get(2).copied(),
        [_, second, ..] => Some(second),
        _ => None,
    };
    keep.map_or(host, |at| &host[at + 1..])
}

/// Returns the domain that a text names and the other one that its link leads to.
pub(crate) fn mismatch<'a>(label: &'a str, target: &'a str) -> Option<(&'a str, &'a str)> {
    let label = label.trim();
    if label.contains(char::is_whitespace) || !target.starts_with("http") {
        return None;
    }
    let (named, real) = (host(label)?, host(target)?);
    (!registered(named).eq_ignore_ascii_case(registered(real))).then_some((named, real))
}

/// Returns the domain that another one looks like: of the reader's contacts or of a brand.
pub(crate) fn look_alike<'a>(domain: &str, contacts: &[&'a str]) -> Option<&'a str>
where
    'static: 'a,
{
    let domain = registered(domain.trim_end_matches('.'));
    if domain.len() > DOMAIN_MAX || domain.is_empty() {
        return None;
    }
    let is_own = |known: &&&str| registered(known).eq_ignore_ascii_case(domain);
    if contacts.iter().any(|known| is_own(&known)) || BRANDS.iter().any(|known| is_own(&known)) {
        return None;
    }
    let seen = skeleton(domain);
    let is_alike = |known: &&&str| resembles(domain, &seen, registered(known));
    contacts.iter().find(|known| is_alike(known)).or_else(|| BRANDS.iter().find(|known| is_alike(known))).copied()
}

fn resembles(domain: &str, seen: &str, known: &str) -> bool {
    let (Some((name, end)), Some((known_name, known_end))) = (domain.split_once('.'), known.split_once('.')) else {
        return false;
    };
    let shape = skeleton(known);
    if seen == shape {
        return true;
    }
    let (seen_name, shape_name) = (seen.split('.').next().unwrap_or(seen), shape.split('.').next().unwrap_or(&shape));
    if known_name.len() < NAME_MIN {
        return false;
    }
    let is_joined = name.split('-').any(|part| part == known_name) && name != known_name;
    // The same letters with another ending can be the company itself.
    is_joined && BRANDS.contains(&known)
        || seen_name == shape_name && name != known_name
        || name != known_name && end == known_end && is_one_edit(seen_name, shape_name) && known_name.len() > NAME_MIN
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
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let front = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let back = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let back = back.min(a.len() - front).min(b.len() - front);
    let (a, b) = (&a[front..a.len() - back], &b[front..b.len() - back]);
    match (a, b) {
        ([_], [_]) | ([], [_]) | ([_], []) => true,
        ([one, two], [other, second]) => one == second && two == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_elsewhere() {
        assert_eq!(mismatch("www.paypal.com", "https://evil.example/x"), Some(("www.paypal.com", "evil.example")));
        assert_eq!(mismatch("https://shop.a.co.uk/x", "https://www.a.co.uk/"), None);
        assert_eq!(mismatch("Click here", "https://evil.example/x"), None);
    }

    #[test]
    fn look_alikes_of_brands_and_contacts() {
        for (domain, known) in [
            ("paypa1.com", "paypal.com"),
            ("rnicrosoft.com", "microsoft.com"),
            ("mlcrosoft.com", "microsoft.com"),
            ("paypal-secure.com", "paypal.com"),
            ("login.arnazon.com", "amazon.com"),
            ("раypal.com", "paypal.com"),
            ("acme-corq.example", "acme-corp.example"),
            ("acmecorp.example", "acme-corp.example"),
        ] {
            assert_eq!(look_alike(domain, &["acme-corp.example"]), Some(known), "{domain}");
        }
        for domain in [
            "paypal.com",
            "www.paypal.com",
            "acme-corp.example",
            "sales.acme-corp.example",
            "other.example",
            "paypal.de",
        ] {
            assert_eq!(look_alike(domain, &["acme-corp.example"]), None, "{domain}");
        }
    }
}
