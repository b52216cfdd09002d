//! Links that lead elsewhere than they say.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_elsewhere() {
        assert_eq!(mismatch("www.paypal.com", "https://evil.example/x"), Some(("www.paypal.com", "evil.example")));
        assert_eq!(mismatch("https://shop.a.co.uk/x", "https://www.a.co.uk/"), None);
        assert_eq!(mismatch("Click here", "https://evil.example/x"), None);
    }
}
