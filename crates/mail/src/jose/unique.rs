//! JSON objects whose member names are unique, at every depth. Readers of repeated names disagree about which one counts
//! (RFC 8259 §4), and a signature must mean the same to all of them (RFC 7515 §4).

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// A JSON value without repeated names.
struct UniqueNames(Value);

/// Parses a JSON object; `None` if the text isn't one, or repeats a name.
pub(super) fn object(json: &[u8]) -> Option<Map<String, Value>> {
    match serde_json::from_slice(json).ok()? {
        UniqueNames(Value::Object(members)) => Some(members),
        UniqueNames(_) => None,
    }
}

impl<'de> Deserialize<'de> for UniqueNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueNamesVisitor)
    }
}

struct UniqueNamesVisitor;

impl<'de> Visitor<'de> for UniqueNamesVisitor {
    type Value = UniqueNames;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON without repeated names")
    }

    fn visit_unit<E: Error>(self) -> Result<UniqueNames, E> {
        Ok(UniqueNames(Value::Null))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<UniqueNames, E> {
        Ok(UniqueNames(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<UniqueNames, E> {
        Ok(UniqueNames(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<UniqueNames, E> {
        Ok(UniqueNames(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<UniqueNames, E> {
        Ok(UniqueNames(value.into()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<UniqueNames, E> {
        Ok(UniqueNames(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<UniqueNames, A::Error> {
        let mut list = Vec::new();
        while let Some(UniqueNames(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(UniqueNames(list.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<UniqueNames, A::Error> {
        let mut members = Map::new();
        while let Some((name, UniqueNames(value))) = entries.next_entry::<String, _>()? {
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom("a name is repeated"));
            }
        }
        Ok(UniqueNames(members.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_names_are_refused_at_every_depth() {
        let valid = r#"{"a":[1,-2,0.5,null,true,"x",{"b":{}}],"c":{"a":1}}"#;
        assert_eq!(object(valid.as_bytes()).map(Value::Object), serde_json::from_str(valid).ok());
        for json in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"{"a":{"b":1,"b":2}}"#,
            r#"{"a":[{"b":1,"b":2}]}"#,
            "[]",
            "1",
            "{",
            "{}{}",
        ] {
            assert_eq!(object(json.as_bytes()), None, "{json}");
        }
    }
}
