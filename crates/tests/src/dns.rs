//! A DNS of records that a test writes: what was not written does not exist, and any name can be made to fail.
//!
//! It never asks the network.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use posthouse_mail::auth::{Answer, Question, QuestionKind, Records};
use posthouse_server::ports::{Dns, Pending};

/// The records of a test. Clones share them.
#[derive(Clone, Default)]
pub struct FakeDns {
    zone: Arc<Mutex<Zone>>,
}

#[derive(Default)]
struct Zone {
    answers: BTreeMap<Question, Answer>,
    /// Names that get no usable answer, whatever is asked.
    failing: BTreeSet<String>,
    /// Whether nothing gets a usable answer.
    down: bool,
    /// Whether nothing gets any answer.
    silent: bool,
    /// Names below which nothing gets any answer, the name included.
    black_holes: BTreeSet<String>,
    asked: Vec<Question>,
}

impl FakeDns {
    /// A text record, beside those the name has.
    pub fn txt(&self, name: &str, text: &str) {
        self.add(name, QuestionKind::Txt, Records::Txt(vec![text.as_bytes().to_vec()]));
    }

    /// A mail exchanger, beside those the name has.
    pub fn mx(&self, name: &str, preference: u16, host: &str) {
        self.add(name, QuestionKind::Mx, Records::Mx(vec![(preference, host.to_owned())]));
    }

    /// An address record, A or AAAA, beside those the name has.
    pub fn address(&self, name: &str, address: IpAddr) {
        match address {
            IpAddr::V4(ip) => self.add(name, QuestionKind::A, Records::A(vec![ip])),
            IpAddr::V6(ip) => self.add(name, QuestionKind::Aaaa, Records::Aaaa(vec![ip])),
        }
    }

    /// The name of an address, for reverse look-ups; `name` is the reverse name (`4.3.2.1.in-addr.arpa`).
    pub fn ptr(&self, name: &str, host: &str) {
        self.add(name, QuestionKind::Ptr, Records::Ptr(vec![host.to_owned()]));
    }

    /// A name server of a zone, beside those it has.
    pub fn name_server(&self, zone: &str, host: &str) {
        self.add(zone, QuestionKind::Ns, Records::Ns(vec![host.to_owned()]));
    }

    /// Takes every record of a name away.
    pub fn remove(&self, name: &str) {
        let name = Question::new(name, QuestionKind::Txt).name;
        self.zone().answers.retain(|question, _| question.name != name);
    }

    /// Sets the answer to one question, whatever there was.
    pub fn set(&self, name: &str, kind: QuestionKind, answer: Answer) {
        self.zone().answers.insert(Question::new(name, kind), answer);
    }

    /// Makes every question about the name fail (time-out, SERVFAIL), or work again.
    pub fn fail(&self, name: &str, failing: bool) {
        let name = Question::new(name, QuestionKind::Txt).name;
        let mut zone = self.zone();
        if failing {
            zone.failing.insert(name);
        } else {
            zone.failing.remove(&name);
        }
    }

    /// Makes every question fail, or work again.
    pub fn fail_all(&self, down: bool) {
        self.zone().down = down;
    }

    /// Leaves every question without any answer, for ever, or answers the next ones again.
    pub fn silence(&self, silent: bool) {
        self.zone().silent = silent;
    }

    /// Leaves every question about the name and those below it without any answer, for ever.
    pub fn black_hole(&self, name: &str) {
        let name = Question::new(name, QuestionKind::Txt).name;
        self.zone().black_holes.insert(name);
    }

    /// Takes in lines of a zone file as the service writes them, `name. TTL IN TYPE value`, and addresses.
    ///
    /// # Panics
    /// Where a line is none.
    pub fn import(&self, zone: &str) {
        for line in zone.lines() {
            let mut words = line.splitn(5, ' ');
            let mut word = || words.next().unwrap_or_else(|| panic!("no line of a zone file: {line}"));
            let (name, _, _, kind, value) = (word(), word(), word(), word(), word());
            match kind {
                "MX" => {
                    let (preference, host) = value.split_once(' ').expect("an exchanger has a preference");
                    self.mx(name, preference.parse().expect("a preference is a number"), host.trim_end_matches('.'));
                }
                "TXT" => self.txt(name, &value.split('"').skip(1).step_by(2).collect::<String>()),
                "A" => self.address(name, value.parse().expect("an A record has an address")),
                other => panic!("{other} is not read here: {line}"),
            }
        }
    }

    /// The answer to a question, at once.
    #[must_use]
    pub fn answer(&self, question: &Question) -> Answer {
        self.zone().answer(question)
    }

    /// Every question asked so far, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<Question> {
        self.zone().asked.clone()
    }

    fn add(&self, name: &str, kind: QuestionKind, more: Records) {
        let question = Question::new(name, kind);
        let mut zone = self.zone();
        let together = match (zone.answers.remove(&question), more) {
            (Some(Answer::Records(Records::Txt(a))), Records::Txt(b)) => Records::Txt([a, b].concat()),
            (Some(Answer::Records(Records::Mx(a))), Records::Mx(b)) => Records::Mx([a, b].concat()),
            (Some(Answer::Records(Records::A(a))), Records::A(b)) => Records::A([a, b].concat()),
            (Some(Answer::Records(Records::Aaaa(a))), Records::Aaaa(b)) => Records::Aaaa([a, b].concat()),
            (Some(Answer::Records(Records::Ptr(a))), Records::Ptr(b)) => Records::Ptr([a, b].concat()),
            (Some(Answer::Records(Records::Ns(a))), Records::Ns(b)) => Records::Ns([a, b].concat()),
            (_, more) => more,
        };
        zone.answers.insert(question, Answer::Records(together));
    }

    fn zone(&self) -> MutexGuard<'_, Zone> {
        self.zone.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Zone {
    fn answer(&self, question: &Question) -> Answer {
        if self.down || self.failing.contains(&question.name) {
            return Answer::Failed;
        }
        if let Some(answer) = self.answers.get(question) {
            return answer.clone();
        }
        let known = self.answers.keys().any(|other| other.name == question.name);
        if known { Answer::NoData } else { Answer::NoSuchName }
    }
}

impl Dns for FakeDns {
    fn lookup(&self, question: Question) -> Pending<'_, Answer> {
        let mut zone = self.zone();
        let answer = zone.answer(&question);
        zone.asked.push(question);
        let name = zone.asked.last().map(|asked| asked.name.clone()).unwrap_or_default();
        let is_below =
            |hole: &String| name.strip_suffix(hole).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        if zone.silent || zone.black_holes.iter().any(is_below) {
            return Box::pin(std::future::pending());
        }
        Box::pin(std::future::ready(answer))
    }

    fn is_served(&self) -> Pending<'_, bool> {
        let is_served = !self.zone().down;
        Box::pin(std::future::ready(is_served))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_not_written_does_not_exist() {
        let dns = FakeDns::default();
        let ask = |name: &str, kind| dns.lookup(Question::new(name, kind));
        assert_eq!(ask("a.example", QuestionKind::Txt).await, Answer::NoSuchName);
        dns.txt("a.example", "one");
        dns.txt("A.example.", "two");
        let both = Records::Txt(vec![b"one".to_vec(), b"two".to_vec()]);
        assert_eq!(ask("a.example", QuestionKind::Txt).await, Answer::Records(both));
        assert_eq!(ask("a.example", QuestionKind::Mx).await, Answer::NoData);
        dns.fail("a.example", true);
        assert_eq!(ask("a.example", QuestionKind::Txt).await, Answer::Failed);
        dns.fail("a.example", false);
        dns.fail_all(true);
        assert_eq!(ask("b.example", QuestionKind::A).await, Answer::Failed);
        assert_eq!(dns.asked().len(), 5);
    }
}
