//! Sender authentication with DNS data from the fuzzer, and what holds for every verification.

use std::net::IpAddr;

use posthouse_mail::{
    auth::{
        ARC_SETS_MAX, AuthInput, AuthOutcome, AuthResults, AuthVerification, DKIM_SIGNATURES_MAX, DNS_QUESTIONS_MAX,
        DNS_ROUNDS_MAX, DnsAnswer, DnsFacts, DnsQuestion, DnsRecordType, DnsRecords, verify,
    },
    trace::{authentication_results, is_foreign_claim, stored_dmarc},
};

/// The name of the receiving host.
pub(crate) const HOSTNAME: &str = "mx.host.example";
/// The time of every verification, in seconds since 1970.
pub(crate) const NOW_S: i64 = 1_700_000_000;
/// The longest explanation in bytes.
const EXPLANATION_BYTES_MAX: usize = 500;

/// DNS records from lines of the form `NAME TYPE VALUE`. A name without a record doesn't exist.
#[derive(Clone, Debug, Default)]
pub(crate) struct FuzzZone {
    /// Lower-case name, type and value of each record.
    pub(crate) records: Vec<(String, String, String)>,
}

impl FuzzZone {
    /// Reads the lines that are records.
    pub(crate) fn read<'l>(lines: impl Iterator<Item = &'l str>) -> Self {
        let record = |line: &str| {
            let mut words = line.splitn(3, ' ');
            let name = words.next()?.to_ascii_lowercase();
            Some((name, words.next()?.to_owned(), words.next().unwrap_or_default().to_owned()))
        };
        Self { records: lines.filter_map(record).collect() }
    }

    /// Returns the zone with each TXT record below `name_start` replaced by `change`.
    pub(crate) fn with_texts(&self, name_start: &str, change: impl Fn(&str) -> String) -> Self {
        let mut zone = self.clone();
        for (name, kind, value) in &mut zone.records {
            if kind == "TXT" && name.starts_with(name_start) {
                *value = change(value);
            }
        }
        zone
    }

    /// Returns the TXT records of a name.
    pub(crate) fn texts(&self, name: &str) -> Vec<&str> {
        let is_text = |record: &&(String, String, String)| record.0 == name && record.1 == "TXT";
        self.records.iter().filter(is_text).map(|(_, _, value)| value.as_str()).collect()
    }

    /// Returns whether a lookup of the name fails.
    pub(crate) fn fails(&self, name: &str) -> bool {
        self.records.iter().any(|record| record.0 == name && record.1 == "FAIL")
    }

    /// Answers a question like a resolver.
    pub(crate) fn answer(&self, question: &DnsQuestion) -> DnsAnswer {
        if self.fails(&question.name) {
            return DnsAnswer::Failed;
        }
        let named: Vec<_> = self.records.iter().filter(|record| record.0 == question.name).collect();
        let of =
            |kind: &'static str| named.iter().filter(move |record| record.1 == kind).map(|record| record.2.as_str());
        let records = match question.kind {
            DnsRecordType::Txt => DnsRecords::Txt(of("TXT").map(|text| text.as_bytes().to_vec()).collect()),
            DnsRecordType::Mx => DnsRecords::Mx(of("MX").map(|host| (10, host.to_owned())).collect()),
            DnsRecordType::A => DnsRecords::A(of("A").filter_map(|text| text.parse().ok()).collect()),
            DnsRecordType::Aaaa => DnsRecords::Aaaa(of("AAAA").filter_map(|text| text.parse().ok()).collect()),
            DnsRecordType::Ptr => DnsRecords::Ptr(of("PTR").map(str::to_owned).collect()),
            DnsRecordType::Ns => DnsRecords::Ns(of("NS").map(str::to_owned).collect()),
        };
        if named.is_empty() { DnsAnswer::NoSuchName } else { DnsAnswer::Records(records) }
    }
}

/// The SMTP session of a verification, read from a line of the form `ADDRESS HELO SENDER`.
#[derive(Clone, Debug)]
pub(crate) struct FuzzSession {
    pub(crate) client_ip: IpAddr,
    pub(crate) helo: String,
    pub(crate) mail_from: String,
}

impl FuzzSession {
    /// Reads the line. Missing parts have defaults, and each is at most as long as SMTP allows (RFC 5321 §4.5.3.1).
    pub(crate) fn read(line: &str) -> Self {
        let mut words = line.splitn(3, ' ').map(|word| word.chars().take(254).collect::<String>());
        let client_ip = words.next().and_then(|word| word.parse().ok()).unwrap_or(IpAddr::from([192, 0, 2, 3]));
        Self {
            client_ip,
            helo: words.next().unwrap_or_else(|| "helo.example".to_owned()),
            mail_from: words.next().unwrap_or_default(),
        }
    }

    /// Returns the input of a verification of `raw`.
    pub(crate) fn input<'i>(&'i self, raw: &'i [u8]) -> AuthInput<'i> {
        AuthInput {
            raw,
            client_ip: self.client_ip,
            helo: &self.helo,
            mail_from: &self.mail_from,
            hostname: HOSTNAME,
            now_s: NOW_S,
        }
    }
}

/// Verifies a message and returns the verdicts with the facts they rest on. Checks the questions of every round, that
/// the verdicts are a function of the facts, and that they can be written and read back.
pub(crate) fn verdicts(input: AuthInput<'_>, zone: &FuzzZone) -> (AuthResults, DnsFacts, Vec<DnsQuestion>) {
    let mut verification = AuthVerification::begin(input);
    let (mut facts, mut asked) = (DnsFacts::new(), Vec::new());
    let mut results = None;
    for _ in 0..DNS_ROUNDS_MAX {
        match verification.evaluate(&facts) {
            AuthOutcome::Verdicts(found) => {
                results = Some(*found);
                break;
            }
            AuthOutcome::NeedsDns(questions) => {
                assert!(!questions.is_empty(), "a round without questions");
                for question in questions {
                    assert!(is_name(&question.name), "no resolver can look up {question:?}");
                    assert!(facts.get(&question).is_none(), "{question:?} was answered already");
                    facts.insert(question.clone(), zone.answer(&question));
                    asked.push(question);
                }
                assert!(facts.len() <= DNS_QUESTIONS_MAX);
            }
        }
    }
    let results = match results {
        Some(results) => {
            let at_once = verify(&input, &facts);
            assert_eq!(at_once, AuthOutcome::Verdicts(Box::new(results.clone())), "the rounds changed the verdicts");
            results
        }
        None => verification.conclude(&facts),
    };
    check_bounds(&results);
    check_header(&results);
    (results, facts, asked)
}

fn check_bounds(results: &AuthResults) {
    assert!(results.dkim.len() <= DKIM_SIGNATURES_MAX && results.arc.sets <= ARC_SETS_MAX);
    for spf in [&results.spf, &results.helo_spf] {
        assert!(spf.explanation.as_ref().is_none_or(|text| text.len() <= EXPLANATION_BYTES_MAX));
    }
}

/// Checks that the Authentication-Results field is one line of printable ASCII that only this host can have written,
/// and that its DMARC result can be read back (RFC 8601).
fn check_header(results: &AuthResults) {
    let value = authentication_results(HOSTNAME, results);
    assert!(value.bytes().all(|byte| (0x20..0x7f).contains(&byte)), "{value}");
    assert!(is_foreign_claim(&value, HOSTNAME), "{value}");
    let stored = stored_dmarc(&value).expect("a written result has a DMARC part");
    assert_eq!(stored.result, results.dmarc.result.as_str(), "{value}");
    assert_eq!(stored.domain, results.dmarc.domain, "{value}");
}

/// Returns whether DNS can hold the name (RFC 1035 §2.3.4): a second implementation.
fn is_name(name: &str) -> bool {
    let labels_fit = name.split('.').all(|label| (1..=63).contains(&label.len()));
    name.len() <= 253 && labels_fit && name.is_ascii() && !name.bytes().any(|byte| byte.is_ascii_uppercase())
}
