//! JSON with comments and trailing commas, as editors write it. Texts are changed in place: a parsed value would lose the
//! layout and the comments.

mod scan;

use std::ops::Range;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{NAME, line_end};
use scan::{Members, plain, scan};

/// What becomes the value of the entry.
pub(super) enum NewValue {
    /// These members, laid out as the file is.
    Members(Value),
    /// This text.
    Text(String),
}

/// How the members of an object are laid out.
struct Layout<'t> {
    /// The indentation of the members.
    indent: String,
    /// The indentation of the closing brace.
    outer: &'t str,
    /// One step of indentation.
    step: &'t str,
    line_end: &'static str,
    /// Whether the object is in one line.
    is_inline: bool,
}

/// Returns the text of the entry.
pub(super) fn found(servers: &[&str], text: &str) -> Result<Option<String>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    check(text)?;
    let (object, missing) = descend(text, servers)?;
    let member = object.find(NAME).filter(|_| missing.is_empty());
    Ok(member.map(|member| text[member.value.clone()].to_owned()))
}

/// Returns the text with the entry.
pub(super) fn put(
    servers: &[&str],
    text: &str,
    value: impl FnOnce(Option<&Value>) -> NewValue,
) -> Result<String, String> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    check(text)?;
    let (object, missing) = descend(text, servers)?;
    let layout = Layout::of(text, &object);
    let Some(member) = object.find(NAME).filter(|_| missing.is_empty()) else {
        let names: Vec<&str> = missing.iter().copied().chain([NAME]).collect();
        return checked(insert(text, &object, &layout, &layout.member(&names, &value(None))?));
    };
    let before: Value = serde_json::from_str(&plain(&text[member.value.clone()])).unwrap_or_default();
    match value(Some(&before)) {
        NewValue::Members(after) if after == before => Ok(text.to_owned()),
        after => checked(replaced(text, member.value.clone(), &layout.value(&after, &layout.indent)?)),
    }
}

/// Returns the text without the entry, and without the objects around it that are empty then and weren't there before.
pub(super) fn cut(servers: &[&str], text: &str, before: Option<&str>) -> Result<String, String> {
    check(text)?;
    let mut rest = without(text, servers, NAME)?;
    for depth in (1..=servers.len()).rev() {
        let (object, missing) = descend(&rest, &servers[..depth])?;
        let was_there = before.is_some_and(|before| {
            check(before).is_ok() && descend(before, &servers[..depth]).is_ok_and(|(_, missing)| missing.is_empty())
        });
        if !missing.is_empty() || was_there || !rest[object.inner()].trim().is_empty() {
            break;
        }
        rest = without(&rest, &servers[..depth - 1], servers[depth - 1])?;
    }
    checked(rest)
}

/// Returns whether two texts mean the same but for the entry, and the objects around it that are empty.
pub(super) fn is_same_rest(servers: &[&str], text: &str, rest: &str) -> bool {
    let value = |text: &str| {
        let mut value: Value = serde_json::from_str(&plain(text)).ok()?;
        remove(&mut value, servers);
        Some(value)
    };
    value(if text.trim().is_empty() { "{}" } else { text }) == value(if rest.trim().is_empty() { "{}" } else { rest })
}

/// Removes the entry and the objects around it that are empty then.
fn remove(value: &mut Value, names: &[&str]) {
    let Some(members) = value.as_object_mut() else { return };
    let Some((name, below)) = names.split_first() else {
        members.remove(NAME);
        return;
    };
    let Some(inner) = members.get_mut(*name) else { return };
    remove(inner, below);
    if inner.as_object().is_some_and(Map::is_empty) {
        members.remove(*name);
    }
}

fn check(text: &str) -> Result<(), String> {
    let value: Value = serde_json::from_str(&plain(text)).map_err(|_| "is not JSON".to_owned())?;
    if value.is_object() { Ok(()) } else { Err("is not a JSON object".to_owned()) }
}

fn checked(text: String) -> Result<String, String> {
    check(&text).map_err(|_| "can't be changed by a program".to_owned())?;
    Ok(text)
}

/// Returns the object that these members lead to. If some are missing, returns the last object and the missing ones.
fn descend<'n>(text: &str, names: &'n [&'n str]) -> Result<(Members, &'n [&'n str]), String> {
    let unreadable = || "is not JSON".to_owned();
    let mut object = scan(text, 0).ok_or_else(unreadable)?;
    for (depth, name) in names.iter().enumerate() {
        if object.list.iter().filter(|member| member.name == *name).count() > 1 {
            return Err(format!("has {name} twice"));
        }
        let Some(member) = object.find(name) else { return Ok((object, &names[depth..])) };
        if !text[member.value.clone()].starts_with('{') {
            return Err(format!("has a member {name} that is not an object"));
        }
        object = scan(text, member.value.start).ok_or_else(unreadable)?;
    }
    Ok((object, &[]))
}

/// Adds a member to the end of an object.
fn insert(text: &str, object: &Members, layout: &Layout<'_>, member: &str) -> String {
    let inner = object.inner();
    let content_end = inner.start + text[inner.clone()].trim_end().len();
    let before = if layout.is_inline { " ".to_owned() } else { format!("{}{}", layout.line_end, layout.indent) };
    let Some(last) = object.list.last() else {
        let is_bare = content_end == inner.start;
        let (end, after) = match is_bare {
            true => (inner.end, format!("{}{}", layout.line_end, layout.outer)),
            false => (content_end, String::new()),
        };
        return replaced(text, content_end..end, &format!("{before}{member}{after}"));
    };
    let whole = replaced(text, content_end..content_end, &format!("{before}{member}"));
    if last.comma.is_some() { whole } else { replaced(&whole, last.value.end..last.value.end, ",") }
}

/// Removes a member and the comma that it needed.
fn without(text: &str, names: &[&str], name: &str) -> Result<String, String> {
    let (object, _) = descend(text, names)?;
    let Some(at) = object.list.iter().position(|member| member.name == name) else { return Ok(text.to_owned()) };
    let member = &object.list[at];
    let start = text[..member.start].trim_end().len();
    let end = member.comma.map_or(member.value.end, |comma| comma + 1);
    let is_last = at + 1 == object.list.len();
    let inner = object.inner();
    if object.list.len() == 1 && text[inner.start..start].trim().is_empty() && text[end..inner.end].trim().is_empty() {
        return Ok(replaced(text, inner, ""));
    }
    // A comment in the line before must still end.
    let is_line_end =
        text[start..member.start].contains('\n') && !text[end..].trim_start_matches(' ').starts_with(['\r', '\n']);
    let rest = replaced(text, start..end, if is_line_end { line_end(text) } else { "" });
    match at.checked_sub(1).and_then(|before| object.list[before].comma) {
        Some(comma) if is_last && member.comma.is_none() => Ok(replaced(&rest, comma..comma + 1, "")),
        _ => Ok(rest),
    }
}

fn replaced(text: &str, range: Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..range.start], &text[range.end..])
}

impl<'t> Layout<'t> {
    fn of(text: &'t str, object: &Members) -> Self {
        let outer = leading_blanks(text, object.open);
        let step = step(text);
        let first = object.list.first().map(|member| leading(text, member.start));
        let indent = match first {
            Some(before) if before.trim().is_empty() => before.to_owned(),
            _ => format!("{outer}{step}"),
        };
        let is_inline = !object.list.is_empty() && !text[object.inner()].contains('\n');
        Self { indent, outer, step, line_end: line_end(text), is_inline }
    }

    /// Returns a member whose name is the last of these names, inside of objects that have the others.
    fn member(&self, names: &[&str], value: &NewValue) -> Result<String, String> {
        let (opened, last) = names.split_at(names.len() - 1);
        let (mut start, mut end, mut indent) = (String::new(), String::new(), self.indent.clone());
        for name in opened {
            let inner = format!("{indent}{}", self.step);
            let (first, close) = match self.is_inline {
                true => (String::new(), String::new()),
                false => (format!("{}{inner}", self.line_end), format!("{}{indent}", self.line_end)),
            };
            start.push_str(&format!("\"{name}\": {{{first}"));
            end.insert_str(0, &format!("{close}}}"));
            indent = inner;
        }
        Ok(format!("{start}\"{}\": {}{end}", last.concat(), self.value(value, &indent)?))
    }

    fn value(&self, value: &NewValue, indent: &str) -> Result<String, String> {
        match value {
            NewValue::Text(text) => Ok(text.clone()),
            NewValue::Members(members) if self.is_inline => Ok(members.to_string()),
            NewValue::Members(members) => {
                let lines = pretty(members, self.step).ok_or("can't be written as JSON")?;
                Ok(lines.replace('\n', &format!("{}{indent}", self.line_end)))
            }
        }
    }
}

/// Returns what is before a place in its line.
fn leading(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    &text[start..at]
}

/// Returns the indentation of the line that a place is in.
fn leading_blanks(text: &str, at: usize) -> &str {
    let line = leading(text, at);
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns the indentation of the first indented line, or two blanks.
fn step(text: &str) -> &str {
    let first = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    first.map_or("  ", |line| &line[..line.len() - line.trim_start_matches([' ', '\t']).len()])
}

fn pretty(value: &Value, step: &str) -> Option<String> {
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(step.as_bytes());
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, formatter)).ok()?;
    String::from_utf8(out).ok()
}
