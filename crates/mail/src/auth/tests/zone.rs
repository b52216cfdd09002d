//! A small DNS zone in the SPF suite's format: lists of records, with timeouts between them.

use super::{DnsAnswer, DnsQuestion, DnsRecordType, DnsRecords};
use saphyr::Yaml;
use std::collections::HashMap;

/// Longest chain of aliases that is followed.
const ALIASES_MAX: usize = 8;

/// One entry of a name in the zone.
enum ZoneEntry {
    Timeout,
    Record(String, Vec<String>),
}

/// Names with their entries in order.
pub(super) struct Zone {
    names: HashMap<String, Vec<ZoneEntry>>,
}

/// Returns the text of a scalar, or of all scalars in a list.
fn texts(value: &Yaml<'_>) -> Vec<String> {
    match value.as_sequence() {
        Some(list) => list.iter().flat_map(texts).collect(),
        None => match (value.as_str(), value.as_integer()) {
            (Some(text), _) => vec![text.to_owned()],
            (None, Some(number)) => vec![number.to_string()],
            (None, None) => panic!("neither text nor number: {value:?}"),
        },
    }
}

fn entry(value: &Yaml<'_>) -> ZoneEntry {
    match value.as_mapping() {
        None => {
            assert_eq!(value.as_str(), Some("TIMEOUT"));
            ZoneEntry::Timeout
        }
        Some(map) => {
            let (kind, value) = map.iter().next().expect("one record type");
            ZoneEntry::Record(kind.as_str().expect("a type").to_owned(), texts(value))
        }
    }
}

impl Zone {
    /// Reads `zonedata`. Records of type SPF count as text records if a name has no TXT records.
    pub(super) fn read(zone: &Yaml<'_>) -> Self {
        let mut names = HashMap::new();
        for (name, list) in zone.as_mapping().expect("a zone") {
            let mut entries: Vec<ZoneEntry> = list.as_sequence().expect("a list").iter().map(entry).collect();
            let has_text = entries.iter().any(|e| matches!(e, ZoneEntry::Record(kind, _) if kind == "TXT"));
            for entry in &mut entries {
                if let ZoneEntry::Record(kind, _) = entry
                    && kind == "SPF"
                    && !has_text
                {
                    "TXT".clone_into(kind);
                }
            }
            entries.retain(|e| !matches!(e, ZoneEntry::Record(_, value) if *value == ["NONE"]));
            let name = name.as_str().expect("a name").to_ascii_lowercase();
            names.insert(name, entries);
        }
        Self { names }
    }

    /// Answers a question like a resolver.
    pub(super) fn resolve(&self, question: &DnsQuestion) -> DnsAnswer {
        self.follow(&question.name, question.kind, ALIASES_MAX)
    }

    fn follow(&self, name: &str, kind: DnsRecordType, aliases_left: usize) -> DnsAnswer {
        let Some(entries) = self.names.get(name) else {
            return DnsAnswer::NoSuchName;
        };
        let wanted = match kind {
            DnsRecordType::Txt => "TXT",
            DnsRecordType::Mx => "MX",
            DnsRecordType::A => "A",
            DnsRecordType::Aaaa => "AAAA",
            DnsRecordType::Ptr => "PTR",
            DnsRecordType::Ns => "NS",
        };
        let mut found = Vec::new();
        for entry in entries {
            match entry {
                ZoneEntry::Timeout if found.is_empty() => return DnsAnswer::Failed,
                ZoneEntry::Timeout => break,
                ZoneEntry::Record(kind, value) if kind == wanted && *value == ["TIMEOUT"] => return DnsAnswer::Failed,
                ZoneEntry::Record(kind, value) if kind == wanted => found.push(value),
                ZoneEntry::Record(kind, value) if kind == "CNAME" && aliases_left > 0 => {
                    return self.follow(&value[0].to_ascii_lowercase(), wanted_kind(wanted), aliases_left - 1);
                }
                ZoneEntry::Record(..) => {}
            }
        }
        if found.is_empty() {
            return DnsAnswer::NoData;
        }
        DnsAnswer::Records(records(kind, &found))
    }
}

fn wanted_kind(name: &str) -> DnsRecordType {
    match name {
        "TXT" => DnsRecordType::Txt,
        "MX" => DnsRecordType::Mx,
        "A" => DnsRecordType::A,
        "AAAA" => DnsRecordType::Aaaa,
        _ => DnsRecordType::Ptr,
    }
}

fn records(kind: DnsRecordType, found: &[&Vec<String>]) -> DnsRecords {
    match kind {
        DnsRecordType::Txt => DnsRecords::Txt(found.iter().map(|strings| bytes(&strings.concat())).collect()),
        DnsRecordType::Mx => DnsRecords::Mx(
            found.iter().map(|value| (value[0].parse().expect("a preference"), value[1].clone())).collect(),
        ),
        DnsRecordType::A => DnsRecords::A(found.iter().map(|value| value[0].parse().expect("an address")).collect()),
        DnsRecordType::Aaaa => {
            DnsRecords::Aaaa(found.iter().map(|value| value[0].parse().expect("an address")).collect())
        }
        DnsRecordType::Ns => DnsRecords::Ns(found.iter().map(|value| value[0].clone()).collect()),
        DnsRecordType::Ptr => DnsRecords::Ptr(found.iter().map(|value| value[0].clone()).collect()),
    }
}

/// Decodes a string of the suite, which writes bytes above 127 as characters with the same number.
fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(0xff)).collect()
}
