//! A small DNS zone as the SPF suite writes it: record lists with time-outs in between.

use super::{Answer, Question, QuestionKind, Records};
use saphyr::Yaml;
use std::collections::HashMap;

/// Longest chain of aliases followed.
const ALIASES_MAX: usize = 8;

/// One entry of a name.
enum Entry {
    Timeout,
    Record(String, Vec<String>),
}

/// Names with their entries in order.
pub(super) struct Zone {
    names: HashMap<String, Vec<Entry>>,
}

/// Text of a scalar, or of the scalars of a list.
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

fn entry(value: &Yaml<'_>) -> Entry {
    match value.as_mapping() {
        None => {
            assert_eq!(value.as_str(), Some("TIMEOUT"));
            Entry::Timeout
        }
        Some(map) => {
            let (kind, value) = map.iter().next().expect("one record type");
            Entry::Record(kind.as_str().expect("a type").to_owned(), texts(value))
        }
    }
}

impl Zone {
    /// Reads `zonedata`. Records of the type SPF stand for text records where a name has no others.
    pub(super) fn read(zone: &Yaml<'_>) -> Self {
        let mut names = HashMap::new();
        for (name, list) in zone.as_mapping().expect("a zone") {
            let mut entries: Vec<Entry> = list.as_sequence().expect("a list").iter().map(entry).collect();
            let has_text = entries.iter().any(|e| matches!(e, Entry::Record(kind, _) if kind == "TXT"));
            for entry in &mut entries {
                if let Entry::Record(kind, _) = entry
                    && kind == "SPF"
                    && !has_text
                {
                    "TXT".clone_into(kind);
                }
            }
            entries.retain(|e| !matches!(e, Entry::Record(_, value) if *value == ["NONE"]));
            let name = name.as_str().expect("a name").to_ascii_lowercase();
            names.insert(name, entries);
        }
        Self { names }
    }

    /// Answers as a resolver would.
    pub(super) fn resolve(&self, question: &Question) -> Answer {
        self.follow(&question.name, question.kind, ALIASES_MAX)
    }

    fn follow(&self, name: &str, kind: QuestionKind, aliases_left: usize) -> Answer {
        let Some(entries) = self.names.get(name) else {
            return Answer::NoSuchName;
        };
        let wanted = match kind {
            QuestionKind::Txt => "TXT",
            QuestionKind::Mx => "MX",
            QuestionKind::A => "A",
            QuestionKind::Aaaa => "AAAA",
            QuestionKind::Ptr => "PTR",
            QuestionKind::Ns => "NS",
        };
        let mut found = Vec::new();
        for entry in entries {
            match entry {
                Entry::Timeout if found.is_empty() => return Answer::Failed,
                Entry::Timeout => break,
                Entry::Record(kind, value) if kind == wanted && *value == ["TIMEOUT"] => return Answer::Failed,
                Entry::Record(kind, value) if kind == wanted => found.push(value),
                Entry::Record(kind, value) if kind == "CNAME" && aliases_left > 0 => {
                    return self.follow(&value[0].to_ascii_lowercase(), wanted_kind(wanted), aliases_left - 1);
                }
                Entry::Record(..) => {}
            }
        }
        if found.is_empty() {
            return Answer::NoData;
        }
        Answer::Records(records(kind, &found))
    }
}

fn wanted_kind(name: &str) -> QuestionKind {
    match name {
        "TXT" => QuestionKind::Txt,
        "MX" => QuestionKind::Mx,
        "A" => QuestionKind::A,
        "AAAA" => QuestionKind::Aaaa,
        _ => QuestionKind::Ptr,
    }
}

fn records(kind: QuestionKind, found: &[&Vec<String>]) -> Records {
    match kind {
        QuestionKind::Txt => Records::Txt(found.iter().map(|strings| bytes(&strings.concat())).collect()),
        QuestionKind::Mx => {
            Records::Mx(found.iter().map(|value| (value[0].parse().expect("a preference"), value[1].clone())).collect())
        }
        QuestionKind::A => Records::A(found.iter().map(|value| value[0].parse().expect("an address")).collect()),
        QuestionKind::Aaaa => Records::Aaaa(found.iter().map(|value| value[0].parse().expect("an address")).collect()),
        QuestionKind::Ns => Records::Ns(found.iter().map(|value| value[0].clone()).collect()),
        QuestionKind::Ptr => Records::Ptr(found.iter().map(|value| value[0].clone()).collect()),
    }
}

/// The suite writes bytes above 127 as characters of the same number.
fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(0xff)).collect()
}
