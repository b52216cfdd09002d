//! JSON whose object names are unique (RFC 8259 §4, RFC 7493 §2.3), with limits on its values and its depth.
//!
//! Parsers differ in which of two members with one name they use. A proxy that checks a body could read it differently
//! from this service, so such a body is refused.
//!
//! A value takes up to 100 times the memory of its text (`[0]`), so values are counted while they are parsed, and
//! parsing stops at the limit.

use std::{cell::Cell, fmt};

use posthouse_domain::error::LimitName;
use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};

/// Limits on one JSON document of a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JsonLimits {
    /// Most values: objects, arrays, texts, numbers, booleans and nulls.
    pub values_max: usize,
    /// Deepest nesting of arrays and objects.
    pub depth_max: usize,
}

/// Why a text is not acceptable JSON.
#[derive(Debug)]
pub enum JsonProblem {
    /// It is not JSON, or repeats a name.
    Invalid(serde_json::Error),
    /// It exceeds this limit, which has this value.
    Limit(LimitName, usize),
}

/// Parses a JSON document.
///
/// # Errors
/// Returns a problem if it is not JSON, repeats a name in an object, or exceeds a limit.
pub fn parse(bytes: &[u8], limits: JsonLimits) -> Result<Value, JsonProblem> {
    let count = ValueCount { limits, values: Cell::new(0), exceeded: Cell::new(None) };
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    let parsed = Strict { count: &count, depth: 0 }.deserialize(&mut parser);
    let parsed = parsed.and_then(|value| parser.end().map(|()| value));
    parsed.map_err(|error| match count.exceeded.get() {
        Some(LimitName::JsonDepth) => JsonProblem::Limit(LimitName::JsonDepth, limits.depth_max),
        Some(limit) => JsonProblem::Limit(limit, limits.values_max),
        None => JsonProblem::Invalid(error),
    })
}

/// The values parsed so far.
struct ValueCount {
    limits: JsonLimits,
    values: Cell<usize>,
    exceeded: Cell<Option<LimitName>>,
}

/// Parses a value inside of `depth` arrays and objects.
#[derive(Clone, Copy)]
struct Strict<'a> {
    count: &'a ValueCount,
    depth: usize,
}

impl Strict<'_> {
    /// Counts the next value.
    fn enter<E: Error>(self) -> Result<(), E> {
        let values = self.count.values.get() + 1;
        self.count.values.set(values);
        if values > self.count.limits.values_max { Err(self.exceed(LimitName::JsonValues)) } else { Ok(()) }
    }

    /// Returns the parser of the items of an array or object.
    fn nested<E: Error>(self) -> Result<Self, E> {
        let depth = self.depth + 1;
        if depth > self.count.limits.depth_max {
            return Err(self.exceed(LimitName::JsonDepth));
        }
        Ok(Self { depth, ..self })
    }

    fn exceed<E: Error>(self, limit: LimitName) -> E {
        self.count.exceeded.set(Some(limit));
        E::custom(limit.text())
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.enter()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }
    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }
    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }
    fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
        Number::from_f64(number).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }
    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }
    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let nested = self.nested()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(nested)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let nested = self.nested()?;
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if object.contains_key(&name) {
                return Err(A::Error::custom(format_args!("the name {name:?} is repeated in one object")));
            }
            object.insert(name, members.next_value_seed(nested)?);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: JsonLimits = JsonLimits { values_max: 100, depth_max: 8 };

    fn exceeded(text: &str) -> Option<LimitName> {
        match parse(text.as_bytes(), LIMITS) {
            Ok(_) => None,
            Err(JsonProblem::Limit(limit, max)) => {
                assert_eq!(max, if limit == LimitName::JsonDepth { 8 } else { 100 });
                Some(limit)
            }
            Err(JsonProblem::Invalid(error)) => panic!("{text}: {error}"),
        }
    }

    /// Every shape of small values is accepted at the limit and refused beyond it, before the rest of the text is read.
    #[test]
    fn values_are_counted_in_every_shape() {
        // The item, and the values in it.
        for (item, values) in [("0", 1), ("[0]", 2), ("[]", 1), ("{}", 1), ("\"\"", 1), ("{\"a\":[null]}", 3)] {
            let most = (LIMITS.values_max - 1) / values;
            let list = |count: usize| vec![item; count].join(",");
            assert_eq!(exceeded(&format!("[{}]", list(most))), None, "{most} of {item}");
            assert_eq!(exceeded(&format!("[{}]", list(most + 1))), Some(LimitName::JsonValues), "{item}");
            assert_eq!(exceeded(&format!("[{},", list(most + 1))), Some(LimitName::JsonValues), "{item}");
        }
        let members = |count: usize| (0..count).map(|at| format!("\"{at}\":0")).collect::<Vec<_>>().join(",");
        assert_eq!(exceeded(&format!("{{{}}}", members(99))), None);
        assert_eq!(exceeded(&format!("{{{}}}", members(100))), Some(LimitName::JsonValues));
    }

    #[test]
    fn depth_is_counted_in_arrays_and_objects() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
            let levels = open.matches(['[', '{']).count();
            let nested = |times: usize| format!("{}0{}", open.repeat(times), close.repeat(times));
            assert_eq!(exceeded(&nested(LIMITS.depth_max / levels)), None, "{open}");
            assert_eq!(exceeded(&nested(LIMITS.depth_max / levels + 1)), Some(LimitName::JsonDepth), "{open}");
            assert_eq!(exceeded(&open.repeat(1_000)), Some(LimitName::JsonDepth), "{open}");
        }
    }
}
