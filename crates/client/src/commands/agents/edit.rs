//! Changes of configuration files that keep every other byte of them: JSON with comments, TOML and YAML.

mod json;
mod toml;
mod yaml;

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::harness::{Format, Harness};

/// The name of the MCP server in the files.
pub(super) const NAME: &str = "posthouse";

/// How the MCP server is started.
pub(super) struct Entry {
    /// The program.
    pub(super) command: String,
    /// Its arguments.
    pub(super) args: Vec<String>,
}

/// What is written as the entry.
enum NewEntry<'a> {
    /// The command of the MCP server, with what the user added to the entry that is there.
    Command(&'a Entry),
    /// The text of an entry of such a file.
    Text(&'a str),
}

/// What removal leaves.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Remains {
    /// The file with this text.
    File(String),
    /// No file: it had nothing but the entry, and there was none before.
    Nothing,
}

/// Returns the text of a file with the entry.
///
/// # Errors
/// Returns why a program can't change the file.
pub(super) fn added(harness: &Harness, text: &str, entry: &Entry) -> Result<String, String> {
    put(harness, text, &NewEntry::Command(entry))
}

/// Returns whether a file has an entry with our name.
///
/// # Errors
/// Returns why a program can't change the file.
pub(super) fn has_entry(harness: &Harness, text: &str) -> Result<bool, String> {
    Ok(found(harness, text)?.is_some())
}

/// Returns what removal leaves of a file. `before` is the file before the entry was added, if there was one: it comes back
/// byte for byte. If the file was changed meanwhile, only what was written is taken out again, or replaced by the entry of
/// before.
///
/// # Errors
/// Returns why a program can't change the file.
pub(super) fn removed(harness: &Harness, text: &str, before: Option<&str>) -> Result<Remains, String> {
    let Some(entry) = found(harness, text)? else { return Ok(Remains::File(text.to_owned())) };
    let old = before.filter(|before| put(harness, before, &NewEntry::Text(&entry)).is_ok_and(|with| with == text));
    if let Some(old) = old {
        return Ok(Remains::File(old.to_owned()));
    }
    // A copy that can't be read is as good as none.
    let own = before.and_then(|before| found(harness, before).ok().flatten());
    let rest = match (&own, before.and_then(|before| taken_out(harness, text, before, &entry))) {
        (Some(own), _) => put(harness, text, &NewEntry::Text(own))?,
        (None, Some(rest)) => rest,
        (None, None) => cut(harness, text, before)?,
    };
    let is_nothing = before.is_none() && is_blank(harness, &rest);
    Ok(if is_nothing { Remains::Nothing } else { Remains::File(rest) })
}

/// Takes out the bytes that were added to a file, with the blank lines and commas around the entry. Returns `None` if they
/// aren't in the text as they were written.
fn taken_out(harness: &Harness, text: &str, before: &str, entry: &str) -> Option<String> {
    let with = put(harness, before, &NewEntry::Text(entry)).ok()?;
    let same = |(one, other): &((usize, char), char)| one.1 == *other;
    let common = before.char_indices().zip(with.chars()).take_while(same).last();
    let start = common.map_or(0, |((at, character), _)| at + character.len_utf8());
    let (old, new) = (&before[start..], &with[start..]);
    let ends = old.chars().rev().zip(new.chars().rev()).take_while(|(one, other)| one == other);
    let end: usize = ends.map(|(character, _)| character.len_utf8()).sum();
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    if new.is_empty() || text.matches(new).count() != 1 {
        return None;
    }
    let (first, last) = text.split_once(new)?;
    // What was added may begin with the end of the last line, which the text after it needs now.
    let is_line_end =
        !matches!(harness.format, Format::Json { .. }) && new.starts_with(['\r', '\n']) && !last.is_empty();
    let needs_end = is_line_end && !first.is_empty() && !first.ends_with('\n');
    let rest = format!("{first}{old}{}{last}", if needs_end { line_end(text) } else { "" });
    keeps_the_rest(harness, text, &rest).then_some(rest)
}

/// Returns whether two texts mean the same but for the entry, which the second doesn't have.
fn keeps_the_rest(harness: &Harness, text: &str, rest: &str) -> bool {
    let place = harness.servers.join(".");
    found(harness, rest) == Ok(None)
        && match harness.format {
            Format::Json { .. } => json::is_same_rest(harness.servers, text, rest),
            Format::Toml => toml::is_same_rest(&place, text, rest),
            Format::Yaml => yaml::is_same_rest(&place, text, rest),
        }
}

/// Returns what to do to a file that a program can't change.
pub(super) fn by_hand(harness: &Harness, entry: Option<&Entry>) -> String {
    let place = harness.servers.join(".");
    match (entry, harness.format) {
        (None, Format::Toml) => format!("remove the table [{place}.{NAME}]"),
        (None, Format::Json { .. } | Format::Yaml) => format!("remove {NAME} from {place}"),
        (Some(entry), Format::Toml) => format!("add {}", toml::block(&place, entry, None).trim().replace('\n', " ; ")),
        (Some(entry), Format::Yaml) => format!("add {} to {place}", yaml::line(entry)),
        (Some(entry), Format::Json { .. }) => format!("add \"{NAME}\": {} to {place}", members(harness, entry, None)),
    }
}

/// Returns the text of the entry in a file.
fn found(harness: &Harness, text: &str) -> Result<Option<String>, String> {
    match harness.format {
        Format::Json { .. } => json::found(harness.servers, text),
        Format::Toml => toml::found(&harness.servers.join("."), text),
        Format::Yaml => yaml::found(&harness.servers.join("."), text),
    }
}

fn put(harness: &Harness, text: &str, entry: &NewEntry<'_>) -> Result<String, String> {
    match harness.format {
        Format::Json { .. } => json::put(harness.servers, text, |before| match entry {
            NewEntry::Command(entry) => json::NewValue::Members(members(harness, entry, before)),
            NewEntry::Text(text) => json::NewValue::Text((*text).to_owned()),
        }),
        Format::Toml => toml::put(&harness.servers.join("."), text, entry),
        Format::Yaml => yaml::put(&harness.servers.join("."), text, entry),
    }
}

fn cut(harness: &Harness, text: &str, before: Option<&str>) -> Result<String, String> {
    let place = harness.servers.join(".");
    match harness.format {
        Format::Json { .. } => json::cut(harness.servers, text, before),
        Format::Toml => toml::cut(&place, text),
        Format::Yaml => yaml::cut(&place, text, before),
    }
}

fn is_blank(harness: &Harness, text: &str) -> bool {
    let is_empty_object = matches!(harness.format, Format::Json { .. }) && text.trim() == "{}";
    is_empty_object || text.trim().is_empty()
}

/// Returns the members of the entry in JSON. What the user added, such as environment variables, stays.
fn members(harness: &Harness, entry: &Entry, before: Option<&Value>) -> Value {
    let mut members = before.and_then(Value::as_object).cloned().unwrap_or_else(Map::new);
    if harness.format == (Format::Json { with_type: true }) {
        members.insert("type".into(), "stdio".into());
    }
    members.insert("command".into(), entry.command.as_str().into());
    members.insert("args".into(), json!(entry.args));
    members.into()
}

/// Returns a text without some of its lines, and without the blank ones around them at its beginning or end.
fn without_lines(text: &str, range: Range<usize>) -> String {
    let (first, last) = (&text[..range.start], &text[range.end..]);
    if last.trim().is_empty() {
        let kept = first.trim_end_matches(['\r', '\n']);
        return format!("{kept}{}", if kept.is_empty() { "" } else { line_end(text) });
    }
    let is_start = first.trim().is_empty();
    format!("{first}{}", if is_start { last.trim_start_matches(['\r', '\n']) } else { last })
}

/// Returns how the lines of a text end.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests;
