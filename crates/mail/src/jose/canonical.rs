//! Canonical JSON (RFC 8785).

use serde_json::{Number, Value};

/// Returns the canonical form of a JSON value: no spaces, members sorted by UTF-16 code units, and numbers as
/// ECMAScript writes them. Every number counts as an IEEE 754 double (RFC 8785 §3.2.2.3), as in the programs that verify.
#[must_use]
pub fn canonical_json(value: &Value) -> String {
    let mut value = value.clone();
    to_doubles(&mut value);
    // A value of finite numbers and text always has a canonical form.
    serde_json_canonicalizer::to_string(&value).unwrap_or_default()
}

/// Replaces integers that a double can't represent by the nearest double.
fn to_doubles(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(double) = number.as_f64().and_then(Number::from_f64) {
                *number = double;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(to_doubles),
        Value::Object(members) => members.values_mut().for_each(to_doubles),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        canonical_json(&serde_json::from_str(text).expect("JSON"))
    }

    #[test]
    fn members_are_sorted_by_utf16_code_units() {
        // RFC 8785 §3.2.3.
        let text = r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",
            "\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#;
        let values: Vec<String> = serde_json::from_str::<Value>(&canonical(text))
            .expect("JSON")
            .as_object()
            .expect("an object")
            .values()
            .map(|value| value.as_str().unwrap_or_default().to_owned())
            .collect();
        let expected = [
            "Carriage Return",
            "One",
            "Control",
            "Latin Small Letter O With Diaeresis",
            "Euro Sign",
            "Emoji: Grinning Face",
            "Hebrew Letter Dalet With Dagesh",
        ];
        assert_eq!(values, expected);
    }

    #[test]
    fn numbers_and_text_have_the_form_of_ecmascript() {
        // RFC 8785 §3.2.4.
        let text = r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
            "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#;
        let expected = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
            \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(canonical(text), expected);
    }

    #[test]
    fn numbers_are_doubles() {
        let cases = [
            ("9007199254740993", "9007199254740992"),
            ("18446744073709551615", "18446744073709552000"),
            ("-9007199254740993", "-9007199254740992"),
            ("1.0", "1"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("1e21", "1e+21"),
            ("100000000000000000000", "100000000000000000000"),
            ("42", "42"),
        ];
        for (text, expected) in cases {
            assert_eq!(canonical(text), expected, "{text}");
        }
    }
}
