//! Labels of messages, threads and contacts.

use posthouse_domain::label::{self, LABEL_CHARS_MAX, LabelChange};
use serde_json::{Map, Value, json};

use super::{
    BodyValue, BoundedList, Problems,
    kinds::{check_line, string},
    member,
};

/// The characters that [`check_label`] accepts, as a pattern of JSON Schema (ECMA-262): a line without commas and
/// without the white space of Unicode.
const LABEL_PATTERN: &str = r"^[^\u0000-\u0020,\u007F-\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]+$";

/// A label: 1 to 64 characters, without whitespace, commas and control characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label(pub String);

/// A label that callers can add to messages: any [`Label`] except system labels other than `ai:needs-human`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddableLabel(pub String);

/// A label that callers can add and remove: any [`Label`] except system labels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UserLabel(pub String);

impl From<Label> for String {
    fn from(label: Label) -> Self {
        label.0
    }
}

impl From<AddableLabel> for String {
    fn from(label: AddableLabel) -> Self {
        label.0
    }
}

impl From<UserLabel> for String {
    fn from(label: UserLabel) -> Self {
        label.0
    }
}

pub(super) fn check_label(text: &str) -> Result<(), String> {
    check_line(text, 1, LABEL_CHARS_MAX)?;
    if text.chars().any(|c| c.is_whitespace() || c == ',') {
        return Err("must not contain whitespace or commas".to_owned());
    }
    Ok(())
}

impl BodyValue for Label {
    fn schema() -> Value {
        json!({
            "type": "string", "title": "Label", "minLength": 1, "maxLength": LABEL_CHARS_MAX, "pattern": LABEL_PATTERN,
        })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        string(value, path, problems, |text| check_label(text).map(|()| Self(text.to_owned())))
    }
}

/// Returns the schema of a system label.
fn system_labels() -> Value {
    json!({ "pattern": format!("^(?:{}|(?:{})$)", label::SYSTEM_PREFIXES.join("|"), label::SYSTEM.join("|")) })
}

/// Reads a label that a condition allows.
fn allowed_label(text: &str, is_allowed: fn(&str) -> bool) -> Result<String, String> {
    check_label(text)?;
    if !is_allowed(text) {
        return Err(format!("{text} is a system label, which only the service adds and removes"));
    }
    Ok(text.to_owned())
}

impl BodyValue for UserLabel {
    fn schema() -> Value {
        let mut schema = <Label as BodyValue>::schema();
        schema["title"] = "UserLabel".into();
        schema["not"] = system_labels();
        schema
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        string(value, path, problems, |text| allowed_label(text, |text| !label::is_system(text)).map(Self))
    }
}

impl BodyValue for AddableLabel {
    fn schema() -> Value {
        let mut schema = <Label as BodyValue>::schema();
        schema["title"] = "AddableLabel".into();
        schema["anyOf"] = json!([{ "const": label::NEEDS_HUMAN }, { "not": system_labels() }]);
        schema
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        string(value, path, problems, |text| allowed_label(text, label::is_addable).map(Self))
    }
}

/// Reports labels that one request adds and removes.
pub fn no_label_both_ways(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let labels = |name: &str| given.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let added = labels("add_labels");
    for (at, label) in labels("remove_labels").iter().enumerate() {
        if let Some(text) = label.as_str().filter(|_| added.contains(label)) {
            let path = member(path, &format!("remove_labels[{at}]"));
            problems.add::<()>(&path, format!("{text} is in add_labels too"));
        }
    }
}

/// Converts the labels of a request into a change.
#[must_use]
pub fn label_change<A: Into<String>, R: Into<String>>(
    add: Option<BoundedList<A, 0, 50>>,
    remove: Option<BoundedList<R, 0, 50>>,
) -> LabelChange {
    LabelChange { add: label_texts(add), remove: label_texts(remove) }
}

fn label_texts<L: Into<String>>(labels: Option<BoundedList<L, 0, 50>>) -> Vec<String> {
    labels.map_or(Vec::new(), |list| list.0.into_iter().map(L::into).collect())
}
