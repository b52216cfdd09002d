//! A DNS whose records a test writes. Names without records don't exist, and any name can be made to fail.
//!
//! It never queries the network.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use posthouse_app::ports::{BoxFuture, Dns};
use posthouse_mail::auth::{DnsAnswer, DnsQuestion, DnsRecordType, DnsRecords};

/// The DNS records of a test. Clones share them.
#[derive(Clone, Default)]
pub struct FakeDns {
    zone: Arc<Mutex<FakeZone>>,
}

#[derive(Default)]
struct FakeZone {
    answers: BTreeMap<DnsQuestion, DnsAnswer>,
    /// Names whose lookups fail, for every type.
    failing: BTreeSet<String>,
    /// Whether every lookup fails.
    down: bool,
    /// Whether no query is ever answered.
    silent: bool,
    /// Names for which, including every name below them, no query is ever answered.
    unanswered: BTreeSet<String>,
    queries: Vec<DnsQuestion>,
}

impl FakeDns {
    /// Adds a TXT record.
    pub fn txt(&self, name: &str, text: &str) {
        self.add(name, DnsRecordType::Txt, DnsRecords::Txt(vec![text.as_bytes().to_vec()]));
    }

    /// Adds an MX record.
    pub fn mx(&self, name: &str, preference: u16, host: &str) {
        self.add(name, DnsRecordType::Mx, DnsRecords::Mx(vec![(preference, host.to_owned())]));
    }

    /// Adds an A or AAAA record.
    pub fn address(&self, name: &str, address: IpAddr) {
        match address {
            IpAddr::V4(ip) => self.add(name, DnsRecordType::A, DnsRecords::A(vec![ip])),
            IpAddr::V6(ip) => self.add(name, DnsRecordType::Aaaa, DnsRecords::Aaaa(vec![ip])),
        }
    }

    /// Adds a PTR record; `name` is the reverse name (`4.3.2.1.in-addr.arpa`).
    pub fn ptr(&self, name: &str, host: &str) {
        self.add(name, DnsRecordType::Ptr, DnsRecords::Ptr(vec![host.to_owned()]));
    }

    /// Adds an NS record of a zone.
    pub fn name_server(&self, zone: &str, host: &str) {
        self.add(zone, DnsRecordType::Ns, DnsRecords::Ns(vec![host.to_owned()]));
    }

    /// Removes every record of a name.
    pub fn remove(&self, name: &str) {
        let name = DnsQuestion::new(name, DnsRecordType::Txt).name;
        self.zone().answers.retain(|question, _| question.name != name);
    }

    /// Sets the answer to one question, replacing any earlier one.
    pub fn set(&self, name: &str, kind: DnsRecordType, answer: DnsAnswer) {
        self.zone().answers.insert(DnsQuestion::new(name, kind), answer);
    }

    /// Makes every lookup of the name fail (timeout, SERVFAIL), or work again.
    pub fn fail(&self, name: &str, failing: bool) {
        let name = DnsQuestion::new(name, DnsRecordType::Txt).name;
        let mut zone = self.zone();
        if failing {
            zone.failing.insert(name);
        } else {
            zone.failing.remove(&name);
        }
    }

    /// Makes every lookup fail, or work again.
    pub fn fail_all(&self, down: bool) {
        self.zone().down = down;
    }

    /// Never answers queries from now on, or answers them again.
    pub fn silence(&self, silent: bool) {
        self.zone().silent = silent;
    }

    /// Never answers queries for the name and for the names below it.
    pub fn never_answer_below(&self, name: &str) {
        let name = DnsQuestion::new(name, DnsRecordType::Txt).name;
        self.zone().unanswered.insert(name);
    }

    /// Adds the records of zone file lines as the service writes them, `name. TTL IN TYPE value`.
    ///
    /// # Panics
    /// Panics if a line can't be parsed.
    pub fn import_zone(&self, zone: &str) {
        for line in zone.lines() {
            let mut words = line.splitn(5, ' ');
            let mut word = || words.next().unwrap_or_else(|| panic!("not a zone file line: {line}"));
            let (name, _, _, kind, value) = (word(), word(), word(), word(), word());
            match kind {
                "MX" => {
                    let (preference, host) = value.split_once(' ').expect("an exchanger has a preference");
                    self.mx(name, preference.parse().expect("a preference is a number"), host.trim_end_matches('.'));
                }
                "TXT" => self.txt(name, &value.split('"').skip(1).step_by(2).collect::<String>()),
                "A" => self.address(name, value.parse().expect("an A record has an address")),
                other => panic!("unsupported type {other}: {line}"),
            }
        }
    }

    /// Returns the answer to a question without recording the query.
    #[must_use]
    pub fn answer(&self, question: &DnsQuestion) -> DnsAnswer {
        self.zone().answer(question)
    }

    /// Returns every recorded query, in order.
    #[must_use]
    pub fn queries(&self) -> Vec<DnsQuestion> {
        self.zone().queries.clone()
    }

    fn add(&self, name: &str, kind: DnsRecordType, more: DnsRecords) {
        let question = DnsQuestion::new(name, kind);
        let mut zone = self.zone();
        let together = match (zone.answers.remove(&question), more) {
            // A name has a record once (RFC 2181 §5).
            (Some(DnsAnswer::Records(DnsRecords::Txt(a))), DnsRecords::Txt(mut b)) => {
                b.retain(|text| !a.contains(text));
                DnsRecords::Txt([a, b].concat())
            }
            (Some(DnsAnswer::Records(DnsRecords::Mx(a))), DnsRecords::Mx(b)) => DnsRecords::Mx([a, b].concat()),
            (Some(DnsAnswer::Records(DnsRecords::A(a))), DnsRecords::A(b)) => DnsRecords::A([a, b].concat()),
            (Some(DnsAnswer::Records(DnsRecords::Aaaa(a))), DnsRecords::Aaaa(b)) => DnsRecords::Aaaa([a, b].concat()),
            (Some(DnsAnswer::Records(DnsRecords::Ptr(a))), DnsRecords::Ptr(b)) => DnsRecords::Ptr([a, b].concat()),
            (Some(DnsAnswer::Records(DnsRecords::Ns(a))), DnsRecords::Ns(b)) => DnsRecords::Ns([a, b].concat()),
            (_, more) => more,
        };
        zone.answers.insert(question, DnsAnswer::Records(together));
    }

    fn zone(&self) -> MutexGuard<'_, FakeZone> {
        self.zone.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FakeZone {
    fn answer(&self, question: &DnsQuestion) -> DnsAnswer {
        if self.down || self.failing.contains(&question.name) {
            return DnsAnswer::Failed;
        }
        if let Some(answer) = self.answers.get(question) {
            return answer.clone();
        }
        let known = self.answers.keys().any(|other| other.name == question.name);
        if known { DnsAnswer::NoData } else { DnsAnswer::NoSuchName }
    }
}

impl Dns for FakeDns {
    fn lookup(&self, question: DnsQuestion) -> BoxFuture<'_, DnsAnswer> {
        let mut zone = self.zone();
        let answer = zone.answer(&question);
        zone.queries.push(question);
        let name = zone.queries.last().map(|query| query.name.clone()).unwrap_or_default();
        let is_below =
            |parent: &String| name.strip_suffix(parent).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        if zone.silent || zone.unanswered.iter().any(is_below) {
            return Box::pin(std::future::pending());
        }
        Box::pin(std::future::ready(answer))
    }

    fn is_served(&self) -> BoxFuture<'_, bool> {
        let is_served = !self.zone().down;
        Box::pin(std::future::ready(is_served))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_written_records_exist_and_names_can_fail() {
        let dns = FakeDns::default();
        let ask = |name: &str, kind| dns.lookup(DnsQuestion::new(name, kind));
        assert_eq!(ask("a.example", DnsRecordType::Txt).await, DnsAnswer::NoSuchName);
        dns.txt("a.example", "one");
        dns.txt("A.example.", "two");
        let both = DnsRecords::Txt(vec![b"one".to_vec(), b"two".to_vec()]);
        assert_eq!(ask("a.example", DnsRecordType::Txt).await, DnsAnswer::Records(both));
        assert_eq!(ask("a.example", DnsRecordType::Mx).await, DnsAnswer::NoData);
        dns.fail("a.example", true);
        assert_eq!(ask("a.example", DnsRecordType::Txt).await, DnsAnswer::Failed);
        dns.fail("a.example", false);
        dns.fail_all(true);
        assert_eq!(ask("b.example", DnsRecordType::A).await, DnsAnswer::Failed);
        assert_eq!(dns.queries().len(), 5);
    }
}
