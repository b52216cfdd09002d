//! Names of hosts in a text, which programs and people take for links.

use psl::{Psl as _, Type};

/// Names of products that are written like hosts. Nobody can choose one to point somewhere else.
const PRODUCTS: &[&str] = &["asp.net", "vb.net", "ado.net", "ml.net", "socket.io", "readme.md"];
/// Ends of the names of products and files that are no top-level domains: `Node.js/Express` is no host.
const FILE_ENDS: &[&str] = &[
    "js", "jsx", "ts", "tsx", "mjs", "json", "yaml", "yml", "toml", "xml", "html", "htm", "css", "csv", "txt", "pdf",
    "doc", "docx", "odt", "xls", "xlsx", "ods", "ppt", "pptx", "odp", "png", "jpg", "jpeg", "gif", "svg", "webp",
    "ics",
];
/// The first character of the scripts that are written without blanks between words (Thai and those behind it).
const FIRST_WITHOUT_BLANKS: char = '\u{e00}';
/// The full stops of East Asian scripts, which hosts can have instead of dots (UTS #46) and which end sentences.
const IDEOGRAPHIC_STOPS: [char; 2] = ['\u{3002}', '\u{ff61}'];
/// Punctuation outside of ASCII, which no host has: first and last of each range.
const PUNCTUATION: &[(char, char)] = &[
    ('\u{80}', '\u{bf}'),
    ('\u{2000}', '\u{206f}'),
    ('\u{2e00}', '\u{2e7f}'),
    ('\u{3000}', '\u{303f}'),
    ('\u{fe10}', '\u{fe1f}'),
    ('\u{fe30}', '\u{fe6f}'),
];

/// A part of a text that has only characters of hosts.
struct Candidate<'a> {
    /// What stands before it.
    before: &'a str,
    text: &'a str,
    /// What stands behind it.
    after: &'a str,
}

/// Returns whether a text has the name of a host. The text is in the compatible form (NFKC) and in lower case.
#[must_use]
pub(super) fn has_host(text: &str) -> bool {
    // A dot in each script; the other full stop of UTS #46 (U+FF0E) is an ASCII one in the compatible form.
    let stops = text.replace(IDEOGRAPHIC_STOPS, ".");
    let is_ascii_end = |word: &Candidate<'_>| word.text.rsplit('.').next().is_some_and(|end| end.is_ascii());
    let all = |text, is_part: fn(char) -> bool, is_checked: &dyn Fn(&Candidate<'_>) -> bool| {
        candidates(text, is_part).filter(|word| is_checked(word)).any(|word| word.is_host())
    };
    all(text, is_host_char, &|_| true)
        // A name in Latin letters inside a text without blanks.
        || all(text, is_spaced_host_char, &|_| true)
        // A sentence ends with such a stop, so the next word must be a Latin one to make a host.
        || stops != text && (all(&stops, is_host_char, &is_ascii_end) || all(&stops, is_spaced_host_char, &is_ascii_end))
}

fn is_host_char(c: char) -> bool {
    match c {
        '.' | '-' => true,
        _ if c.is_ascii() => c.is_ascii_alphanumeric(),
        // Symbols such as emojis are hosts in practice.
        _ => !c.is_whitespace() && !PUNCTUATION.iter().any(|(first, last)| (*first..=*last).contains(&c)),
    }
}

fn is_spaced_host_char(c: char) -> bool {
    is_host_char(c) && c < FIRST_WITHOUT_BLANKS
}

fn candidates(text: &str, is_part: fn(char) -> bool) -> impl Iterator<Item = Candidate<'_>> {
    let pieces = text.split_inclusive(move |c| !is_part(c)).scan(0, |end, piece| {
        *end += piece.len();
        Some((*end - piece.len(), piece))
    });
    let words = pieces.flat_map(move |(start, piece)| {
        let word = piece.trim_end_matches(|c| !is_part(c));
        // Several dots separate words.
        let ends = word.match_indices("..").map(|(at, _)| at).chain([word.len()]);
        let starts = [0].into_iter().chain(word.match_indices("..").map(|(at, dots)| at + dots.len()));
        starts.zip(ends).map(move |(from, to)| (start + from, start + to)).collect::<Vec<_>>()
    });
    words.filter_map(move |(from, to)| {
        let from = to - text[from..to].trim_start_matches(['.', '-']).len();
        let word = text[from..to].trim_end_matches(['.', '-']);
        let (before, after) = (&text[..from], &text[from + word.len()..]);
        word.contains('.').then_some(Candidate { before, text: word, after })
    })
}

impl Candidate<'_> {
    /// Returns whether it is an address of the Internet, or stands where only a host can.
    fn is_host(&self) -> bool {
        let labels: Vec<&str> = self.text.split('.').collect();
        let Some(last) = labels.last().filter(|_| labels.len() > 1) else { return false };
        if labels.iter().all(|label| label.parse::<u8>().is_ok()) {
            return labels.len() == 4 && self.is_used();
        }
        let is_name = last.chars().count() > 1 && !last.chars().next().is_some_and(char::is_numeric);
        if !is_name {
            return false;
        }
        if self.is_used() {
            return !FILE_ENDS.contains(last);
        }
        labels.first() == Some(&"www") || is_top_level(last) && !PRODUCTS.contains(&self.text)
    }

    /// Returns whether it has a path or port, or stands behind slashes as in a URL.
    fn is_used(&self) -> bool {
        let mut after = self.after.chars();
        let has_more = match (after.next(), after.next()) {
            (Some('/' | '\\'), Some(next)) => next.is_alphanumeric() || "?#~_-.%".contains(next),
            (Some('?' | '#'), Some(next)) => next.is_alphanumeric(),
            (Some(':'), Some(next)) => next.is_ascii_digit(),
            _ => false,
        };
        has_more || self.before.ends_with("//") || self.before.ends_with("\\\\")
    }
}

/// Returns whether a label is a top-level domain by the Public Suffix List. Two labels before it reach a rule such as
/// `*.ck`, too.
fn is_top_level(label: &str) -> bool {
    let name = format!("a.b.{label}");
    psl::List.suffix(name.as_bytes()).is_some_and(|suffix| suffix.is_known() && suffix.typ() == Some(Type::Icann))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_hosts_are_found_wherever_they_stand() {
        for host in [
            "example.net",
            "example.de",
            "evil.shop",
            "evil.co.uk",
            "evil.zip",
            "a.b.ck",
            "xn--e1afmkfd.xn--p1ai",
            "пример.рф",
            "例子.中国",
            "evil.example/path",
            "evil.example:8080",
            "//evil.example",
            "//evil.example/x",
            "\\\\evil.example\\share",
            "1.2.3.4/x",
            "1.2.3.4:80",
            "//1.2.3.4",
            "www.evil.example",
            "i❤.ws",
            "evil。com",
            "evil｡com",
            "例子。com",
            "evil.com.",
            "evil.com?x",
            "sub.evil.com#x",
        ] {
            for text in [
                host.to_owned(),
                format!("see {host} now"),
                format!("({host})"),
                format!("\"{host}\","),
                format!("[x]({host})"),
                format!("*{host}*"),
                format!("_{host}_"),
                format!("a,{host};b"),
                format!("—{host}—"),
                format!("联系{host}获取"),
                format!("name(at){host}"),
                format!("x={host}&y"),
                format!("wait...{host}"),
            ] {
                let is_other = |c: char| !c.is_ascii();
                // Inside a text without blanks, the end of an own name isn't known.
                let is_joined = text.starts_with('联') && (host.contains(is_other) || host.ends_with(['x', 'h']));
                assert!(is_joined || has_host(&text), "{text}");
            }
        }
    }

    #[test]
    fn prose_has_no_hosts() {
        for prose in [
            "node.js",
            "vue.js and next.js",
            "node.js/express",
            "asp.net",
            ".net",
            "c#/.net 8",
            "socket.io",
            "readme.md",
            "e.g.",
            "e.g. quotes",
            "i.e.",
            "u.s.",
            "u.s.a.",
            "ph.d.",
            "etc.",
            "etc...",
            "a.m./p.m.",
            "z.b.",
            "d.h.",
            "v1.2",
            "v1.2.3",
            "version 1.2.3.4",
            "3.14",
            "10.30am",
            "1.5x",
            "$1.50",
            "24/7",
            "and/or",
            "no.1",
            "st.gallen",
            "j.r.r. tolkien",
            "wait...what",
            "yes.",
            "10:30",
            "3:1",
            "t.j.maxx",
            "config.yaml",
            "report.pdf",
            "data.csv/xlsx",
            "答えます。日本語で対応。",
            "在线。中国。",
            "“quoted”.",
            "100.000,00 €",
            "rev.a",
            "file.tar",
        ] {
            assert!(!has_host(prose), "{prose}");
            assert!(!has_host(&format!("({prose})")), "{prose}");
        }
    }

    #[test]
    fn every_kind_of_top_level_domain_is_known() {
        for label in ["com", "net", "de", "uk", "ck", "bd", "shop", "museum", "xn--p1ai", "рф", "中国", "भारत", "zip"]
        {
            assert!(is_top_level(label), "{label}");
        }
        for label in ["js", "pdf", "example", "test", "localhost", "g", "gallen", "x"] {
            assert!(!is_top_level(label), "{label}");
        }
    }
}
