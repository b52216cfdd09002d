//! DNS as values: the questions an evaluation asks and the answers it was given.
//!
//! Never looks anything up. An evaluation reads [`DnsFacts`]; what it does not find there it names, and the caller
//! brings the answers and evaluates again.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Most distinct DNS questions one message may cause. SPF alone may legally cause about 20 and in hostile cases over
/// 100 (RFC 7208 §4.6.4); whatever is asked beyond this is treated as a temporary failure.
pub const QUESTIONS_MAX: usize = 100;

/// Most rounds of "evaluate, look up, evaluate again" a caller should run before [`super::Verification::conclude`].
/// Nested SPF includes need one each; ordinary mail needs two to four.
pub const ROUNDS_MAX: usize = 16;

/// Longest domain name in its textual form without the root's dot (RFC 1035 §2.3.4).
const NAME_BYTES_MAX: usize = 253;

/// Longest label of a domain name (RFC 1035 §2.3.4).
const LABEL_BYTES_MAX: usize = 63;

/// The record type a [`Question`] asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QuestionKind {
    /// Text records.
    Txt,
    /// Mail exchangers.
    Mx,
    /// IPv4 addresses.
    A,
    /// IPv6 addresses.
    Aaaa,
    /// Names of an address; the question's name is the reverse name (`4.3.2.1.in-addr.arpa`).
    Ptr,
    /// Name servers of a zone.
    Ns,
}

/// One DNS question.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Question {
    /// Name in lower case and without a trailing dot. It came from mail or DNS: labels fit RFC 1035 in length, but may
    /// hold any printable ASCII character.
    pub name: String,
    /// Type asked for.
    pub kind: QuestionKind,
}

impl Question {
    /// A question about `name`, normalised to lower case without the trailing dot.
    #[must_use]
    pub fn new(name: &str, kind: QuestionKind) -> Self {
        let name = name.strip_suffix('.').unwrap_or(name);
        Self { name: name.to_ascii_lowercase(), kind }
    }
}

/// Records of one type, as an [`Answer`] carries them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Records {
    /// Text records, the strings of each record joined without a separator (RFC 7208 §3.3, RFC 6376 §3.6.2.2).
    Txt(Vec<Vec<u8>>),
    /// Preference and host of each mail exchanger.
    Mx(Vec<(u16, String)>),
    /// IPv4 addresses.
    A(Vec<Ipv4Addr>),
    /// IPv6 addresses.
    Aaaa(Vec<Ipv6Addr>),
    /// Host names of an address.
    Ptr(Vec<String>),
    /// Name servers of a zone.
    Ns(Vec<String>),
}

/// What DNS said to one [`Question`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Records of the type asked for, in the order received.
    Records(Records),
    /// The name does not exist (NXDOMAIN).
    NoSuchName,
    /// The name exists, but has no record of the type.
    NoData,
    /// No usable answer: time-out, SERVFAIL, refused. May be different later.
    Failed,
}

/// Everything DNS has said so far about one message.
#[derive(Debug, Clone, Default)]
pub struct DnsFacts {
    answers: HashMap<Question, Answer>,
}

impl DnsFacts {
    /// No facts yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes the answer to a question. A later answer to the same question replaces the earlier one.
    pub fn insert(&mut self, question: Question, answer: Answer) {
        self.answers.insert(question, answer);
    }

    /// The answer to a question, where it is known.
    #[must_use]
    pub fn get(&self, question: &Question) -> Option<&Answer> {
        self.answers.get(question)
    }

    /// Number of questions answered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// True when nothing is known yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }
}

/// The evaluation cannot go on before a missing question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pending;

/// The facts as one evaluation sees them, and the questions it found missing.
#[derive(Debug)]
pub(crate) struct Lookup<'f> {
    facts: &'f DnsFacts,
    missing: Vec<Question>,
    /// True: an unknown answer counts as a temporary failure instead of becoming a question.
    conclude: bool,
}

impl<'f> Lookup<'f> {
    /// Reads `facts`. With `conclude` no question is ever missing.
    pub(crate) fn new(facts: &'f DnsFacts, conclude: bool) -> Self {
        Self { facts, missing: Vec::new(), conclude }
    }

    /// The questions found missing, each once.
    pub(crate) fn into_missing(self) -> Vec<Question> {
        self.missing
    }

    /// The answer to `name`/`kind`. A name that no DNS message can carry does not exist.
    pub(crate) fn ask(&mut self, name: &str, kind: QuestionKind) -> Result<&'f Answer, Pending> {
        if !is_queryable(name) {
            return Ok(&Answer::NoSuchName);
        }
        let question = Question::new(name, kind);
        if let Some(answer) = self.facts.get(&question) {
            return Ok(answer);
        }
        if self.conclude || self.facts.len() >= QUESTIONS_MAX {
            return Ok(&Answer::Failed);
        }
        let room = self.facts.len() + self.missing.len() < QUESTIONS_MAX;
        if room && !self.missing.contains(&question) {
            self.missing.push(question);
        }
        Err(Pending)
    }

    /// Text records of `name`.
    pub(crate) fn txt(&mut self, name: &str) -> Result<Found<'f, Vec<u8>>, Pending> {
        Ok(match self.ask(name, QuestionKind::Txt)? {
            Answer::Records(Records::Txt(list)) => Found::Records(list),
            other => Found::without_records(other),
        })
    }

    /// Addresses of `name` in the family of `like`.
    pub(crate) fn addresses(&mut self, name: &str, like: IpAddr) -> Result<Addresses, Pending> {
        let kind = if like.is_ipv4() { QuestionKind::A } else { QuestionKind::Aaaa };
        Ok(match self.ask(name, kind)? {
            Answer::Records(Records::A(list)) => Addresses::Records(list.iter().copied().map(IpAddr::from).collect()),
            Answer::Records(Records::Aaaa(list)) => {
                Addresses::Records(list.iter().copied().map(IpAddr::from).collect())
            }
            Answer::Failed => Addresses::Failed,
            _ => Addresses::Records(Vec::new()),
        })
    }
}

/// Outcome of a look-up for records of type `T`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Found<'f, T> {
    /// The records, perhaps none.
    Records(&'f [T]),
    /// The name does not exist.
    NoSuchName,
    /// Temporary failure.
    Failed,
}

impl<T> Found<'_, T> {
    fn without_records(answer: &Answer) -> Self {
        match answer {
            Answer::Failed => Found::Failed,
            Answer::NoSuchName => Found::NoSuchName,
            Answer::NoData | Answer::Records(_) => Found::Records(&[]),
        }
    }
}

/// Outcome of an address look-up.
#[derive(Debug)]
pub(crate) enum Addresses {
    /// The addresses, perhaps none.
    Records(Vec<IpAddr>),
    /// Temporary failure.
    Failed,
}

/// True when a DNS message can carry the name (RFC 1035 §2.3.4) and it is ASCII.
pub(crate) fn is_queryable(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    !name.is_empty()
        && name.is_ascii()
        && name.len() <= NAME_BYTES_MAX
        && name.split('.').all(|label| !label.is_empty() && label.len() <= LABEL_BYTES_MAX)
}

/// The reverse name of an address (RFC 1035 §3.5, RFC 3596 §2.5).
pub(crate) fn reverse_name(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(v4) => {
            let [a, b, c, d] = v4.octets();
            format!("{d}.{c}.{b}.{a}.in-addr.arpa")
        }
        IpAddr::V6(v6) => {
            let mut name = String::with_capacity(72);
            for octet in v6.octets().iter().rev() {
                name.push_str(&format!("{:x}.{:x}.", octet & 0xf, octet >> 4));
            }
            name + "ip6.arpa"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_no_dns_message_carries_are_not_asked() {
        let long_label = format!("{}.example", "a".repeat(64));
        let long_name = "abcdefg.".repeat(32);
        for name in ["", ".", "a..b", "ü.example", long_label.as_str(), long_name.as_str()] {
            assert!(!is_queryable(name), "{name}");
        }
        for name in ["example", "example.", "a b%.example", "_dmarc.example"] {
            assert!(is_queryable(name), "{name}");
        }
    }

    #[test]
    fn reverse_names_follow_the_address_family() {
        assert_eq!(reverse_name(IpAddr::from([1, 2, 3, 4])), "4.3.2.1.in-addr.arpa");
        let v6: IpAddr = "2001:db8::1".parse().expect("a literal address");
        assert_eq!(reverse_name(v6), "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa");
    }

    #[test]
    fn the_number_of_questions_is_bounded() {
        let mut facts = DnsFacts::new();
        let mut lookup = Lookup::new(&facts, false);
        for n in 0..QUESTIONS_MAX + 5 {
            assert!(lookup.ask(&format!("n{n}.example"), QuestionKind::A).is_err());
        }
        let missing = lookup.into_missing();
        assert_eq!(missing.len(), QUESTIONS_MAX);
        for question in missing {
            facts.insert(question, Answer::NoData);
        }
        let mut lookup = Lookup::new(&facts, false);
        assert_eq!(lookup.ask("another.example", QuestionKind::A), Ok(&Answer::Failed));
        assert!(lookup.into_missing().is_empty());
    }
}
