//! Domain types as request values.

use posthouse_domain::{
    inbox::Username,
    metrics::{MetricsBound, MetricsBucket},
    secret::SecretText,
};
use serde_json::{Value, json};

use super::{BodyValue, Problems, QueryValue, expected};

impl BodyValue for Username {
    fn schema() -> Value {
        json!({
            "type": "string", "minLength": 1, "maxLength": 64,
            "pattern": "^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$",
        })
    }

    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let Some(text) = value.as_str() else { return expected("a string", value, path, problems) };
        Username::parse(text).map_err(|problem| problems.add::<()>(path, problem)).ok()
    }
}

impl QueryValue for MetricsBound {
    fn schema() -> Value {
        json!({ "type": "string", "description": "An ISO 8601 time, or a date such as 2026-01-31." })
    }
    fn read(text: &str) -> Result<Self, String> {
        // An unencoded '+' of a UTC offset arrives as a space.
        MetricsBound::parse(&text.replace(' ', "+"))
    }
}

impl QueryValue for MetricsBucket {
    fn schema() -> Value {
        json!({ "type": "string", "enum": ["hour", "day"], "default": "day" })
    }
    fn read(text: &str) -> Result<Self, String> {
        match text {
            "hour" => Ok(MetricsBucket::Hour),
            "day" => Ok(MetricsBucket::Day),
            _ => Err("must be `hour` or `day`".to_owned()),
        }
    }
}

impl QueryValue for SecretText {
    fn schema() -> Value {
        json!({ "type": "string" })
    }
    fn read(text: &str) -> Result<Self, String> {
        Ok(Self(text.to_owned()))
    }
}
