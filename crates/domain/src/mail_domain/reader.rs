//! Reads the DNS answers gathered so far and notes which are missing.

use posthouse_mail::auth::{DnsAnswer, DnsFacts, DnsQuestion, DnsRecordType, DnsRecords};

/// The error for an answer that is still missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Need;

/// Reads DNS answers and collects the questions that have no answer yet.
pub(super) struct Reader<'f> {
    pub(super) facts: &'f DnsFacts,
    pub(super) missing: Vec<DnsQuestion>,
}

impl<'f> Reader<'f> {
    pub(super) fn query(&mut self, name: &str, kind: DnsRecordType) -> Result<&'f DnsAnswer, Need> {
        let question = DnsQuestion::new(name, kind);
        if let Some(answer) = self.facts.get(&question) {
            return Ok(answer);
        }
        self.need([question]);
        Err(Need)
    }

    /// Notes questions that have no answer yet.
    pub(super) fn need(&mut self, questions: impl IntoIterator<Item = DnsQuestion>) {
        for question in questions {
            if !self.missing.contains(&question) {
                self.missing.push(question);
            }
        }
    }

    pub(super) fn texts(&mut self, name: &str) -> Result<Option<Vec<String>>, Need> {
        Ok(match self.query(name, DnsRecordType::Txt)? {
            DnsAnswer::Records(DnsRecords::Txt(texts)) => {
                Some(texts.iter().map(|text| String::from_utf8_lossy(text).trim().to_owned()).collect())
            }
            DnsAnswer::Failed => None,
            _ => Some(Vec::new()),
        })
    }
}
