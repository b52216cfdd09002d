//! An entry that is there already: its command changes, and what the user added, such as environment variables, stays.

use saphyr::{Scalar, Yaml};
use serde_json::{Map, Value, json};

use super::{super::line_end, Entry, NAME, depth, is_content, name_of};

/// The members that start the MCP server.
const STARTING: [&str; 2] = ["command", "args"];

/// Returns the lines of an entry with another command. Returns `None` for an entry that a program can't change.
pub(super) fn with_command(lines: &str, before: &Yaml<'_>, entry: &Entry) -> Option<String> {
    let before = json_of(before)?;
    if before["command"] == json!(entry.command) && before["args"] == json!(entry.args) {
        return Some(lines.to_owned());
    }
    let (first, below) = lines.split_at(lines.find('\n').map_or(lines.len(), |end| end + 1));
    let value = first.split_once(':')?.1.split(" #").next()?.trim();
    let line_end = line_end(lines);
    match below.lines().find(|line| is_content(line)) {
        Some(child) if value.is_empty() => Some(format!("{first}{}", members(below, depth(child), entry))),
        None if !first.contains(" #") => {
            let indent = " ".repeat(depth(first));
            let mut whole = before.as_object().cloned().unwrap_or_default();
            whole.extend(starting(entry));
            Some(format!("{indent}{NAME}: {}{line_end}", Value::Object(whole)))
        }
        _ => None,
    }
}

/// Returns the members of an entry but for its command, in any order. Returns `None` for what isn't JSON.
pub(super) fn others(entry: &Yaml<'_>) -> Option<Map<String, Value>> {
    let mut members = match json_of(entry)? {
        Value::Null => Map::new(),
        value => value.as_object().cloned()?,
    };
    members.retain(|name, _| !STARTING.contains(&name.as_str()));
    Some(members)
}

fn starting(entry: &Entry) -> Map<String, Value> {
    let values = [json!(entry.command), json!(entry.args)];
    STARTING.into_iter().map(str::to_owned).zip(values).collect()
}

/// Returns the lines below the name of an entry, with another command.
fn members(below: &str, indent: usize, entry: &Entry) -> String {
    let values = starting(entry);
    let line = |name: &str| format!("{}{name}: {}{}", " ".repeat(indent), values[name], line_end(below));
    let (mut out, mut is_replaced, mut missing) = (String::new(), false, STARTING.to_vec());
    for text in below.split_inclusive('\n') {
        let is_member = is_content(text) && depth(text) == indent && !text.trim_start().starts_with('-');
        if is_member {
            let name = name_of(text);
            is_replaced = STARTING.contains(&name);
            if is_replaced {
                missing.retain(|one| *one != name);
                out.push_str(&line(name));
            }
        }
        // Comments and blank lines stay, and so do the other members.
        if !is_replaced || !is_content(text) {
            out.push_str(text);
        }
    }
    missing.into_iter().rev().fold(out, |out, name| format!("{}{out}", line(name)))
}

/// Returns a value as JSON; `None` for one that JSON doesn't have.
fn json_of(value: &Yaml<'_>) -> Option<Value> {
    Some(match value {
        Yaml::Value(Scalar::Null) => Value::Null,
        Yaml::Value(Scalar::Boolean(value)) => json!(value),
        Yaml::Value(Scalar::Integer(value)) => json!(value),
        Yaml::Value(Scalar::FloatingPoint(value)) => json!(value.into_inner()),
        Yaml::Value(Scalar::String(value)) => json!(value),
        Yaml::Sequence(items) => Value::Array(items.iter().map(json_of).collect::<Option<_>>()?),
        Yaml::Mapping(members) => {
            let member = |(name, value): (&Yaml<'_>, &Yaml<'_>)| Some((name.as_str()?.to_owned(), json_of(value)?));
            Value::Object(members.iter().map(member).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}
