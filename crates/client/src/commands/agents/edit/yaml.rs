//! YAML, line by line: the entry is one line below the place of the MCP servers.
//!
//! YAML has more forms than lines show. So a change counts only if a parser reads the same before and after it, but for the
//! entry.

mod member;

use std::ops::Range;

use saphyr::{LoadableYamlNode as _, Mapping, Yaml};
use serde_json::json;

use super::{Entry, NAME, NewEntry, line_end, without_lines};

/// Where the entries are.
struct Place {
    /// The line with the name of the place, up to its value.
    key: Range<usize>,
    /// The value that is in the same line.
    value: String,
    /// The end of that line.
    start: usize,
    /// The indentation of the entries.
    indent: usize,
    /// The lines of our entry.
    entry: Option<Range<usize>>,
    /// Whether there is another entry.
    has_others: bool,
}

/// Returns the lines of the entry.
///
/// # Errors
/// Returns why a program can't change the file.
pub(super) fn found(place: &str, text: &str) -> Result<Option<String>, String> {
    let mut content = parsed(text)?;
    let lines = find(place, text).and_then(|found| found.entry).map(|entry| text[entry].to_owned());
    match take_entry(place, &mut content) == lines.is_some() {
        true => Ok(lines),
        false => Err(other_form(place)),
    }
}

/// Returns the text with the entry.
///
/// # Errors
/// Returns why a program can't change the file.
pub(super) fn put(place: &str, text: &str, entry: &NewEntry<'_>) -> Result<String, String> {
    let own = found(place, text)?;
    let lines = match (entry, &own) {
        (NewEntry::Text(text), _) => Some((*text).to_owned()),
        (NewEntry::Command(entry), Some(own)) => {
            let content = parsed(text)?;
            let before = member_of(place, &content).ok_or_else(|| other_form(place))?;
            Some(member::with_command(own, before, entry).ok_or_else(|| other_form(place))?)
        }
        (NewEntry::Command(_), None) => None,
    };
    let line = |indent: usize| match (entry, &lines) {
        (NewEntry::Command(entry), None) => format!("{}{}{}", " ".repeat(indent), line(entry), line_end(text)),
        (_, lines) => lines.clone().unwrap_or_default(),
    };
    let after = with_entry(place, text, line)?;
    check(place, text, &after, true)?;
    if matches!(entry, NewEntry::Command(_)) && own.is_some() {
        let (before, after) = (parsed(text)?, parsed(&after)?);
        let members = [member_of(place, &before), member_of(place, &after)].map(|one| one.and_then(member::others));
        if members[0].is_none() || members[0] != members[1] {
            return Err(other_form(place));
        }
    }
    Ok(after)
}

/// Returns the text without the entry, and without its place if that is empty then and wasn't there before.
///
/// # Errors
/// Returns why a program can't change the file.
pub(super) fn cut(place: &str, text: &str, before: Option<&str>) -> Result<String, String> {
    let after = without_entry(place, text, before);
    check(place, text, &after, false)?;
    Ok(after)
}

/// Returns whether two texts mean the same but for the entry, which the second doesn't have.
pub(super) fn is_same_rest(place: &str, text: &str, rest: &str) -> bool {
    check(place, text, rest, false).is_ok()
}

/// Returns the value of the entry.
fn member_of<'c, 'a>(place: &str, content: &'c Mapping<'a>) -> Option<&'c Yaml<'a>> {
    let (_, servers) = content.iter().find(|(key, _)| key.as_str() == Some(place))?;
    servers.as_mapping_get(NAME)
}

/// Checks that a change keeps everything else.
fn check(place: &str, before: &str, after: &str, has_entry: bool) -> Result<(), String> {
    let mut old = parsed(before)?;
    let mut new = parsed(after).map_err(|_| other_form(place))?;
    take_entry(place, &mut old);
    let is_there = take_entry(place, &mut new);
    if is_there == has_entry && old == new { Ok(()) } else { Err(other_form(place)) }
}

fn other_form(place: &str) -> String {
    format!("has {place} or its other content in a form that a program can't change")
}

/// Reads a file, which is a mapping or empty.
fn parsed(text: &str) -> Result<Mapping<'_>, String> {
    let mut documents = Yaml::load_from_str(text).map_err(|_| "is not valid YAML".to_owned())?;
    let document = documents.pop();
    match document {
        _ if !documents.is_empty() => Err("has several documents".to_owned()),
        None => Ok(Mapping::new()),
        Some(document) if document.is_null() => Ok(Mapping::new()),
        Some(Yaml::Mapping(content)) => Ok(content),
        Some(_) => Err("has no mapping at its top".to_owned()),
    }
}

/// Takes the entry out of a file, and its place if that is empty then. Returns whether it was there.
fn take_entry<'a>(place: &'a str, content: &mut Mapping<'a>) -> bool {
    let (key, name) = (Yaml::value_from_str(place), Yaml::value_from_str(NAME));
    let Some(servers) = content.get_mut(&key) else { return false };
    let was_there = servers.as_mapping_mut().is_some_and(|servers| servers.remove(&name).is_some());
    if servers.is_null() || servers.as_mapping().is_some_and(|servers| servers.is_empty()) {
        content.remove(&key);
    }
    was_there
}

fn with_entry(place: &str, text: &str, lines: impl Fn(usize) -> String) -> Result<String, String> {
    let line_end = line_end(text);
    let mut out = text.to_owned();
    let Some(found) = find(place, text) else {
        if !out.is_empty() && !out.ends_with('\n') {
            out.push_str(line_end);
        }
        if !out.trim().is_empty() {
            out.push_str(line_end);
        }
        return Ok(format!("{out}{place}:{line_end}{}", lines(2)));
    };
    match (found.value.as_str(), found.entry) {
        ("", Some(range)) => out.replace_range(range, &lines(found.indent)),
        ("", None) if text[..found.start].ends_with('\n') => out.insert_str(found.start, &lines(found.indent)),
        ("", None) => out.push_str(&format!("{line_end}{}", lines(found.indent))),
        ("{}", _) => out.replace_range(found.key.start..found.start, &format!("{place}:{line_end}{}", lines(2))),
        _ => return Err(format!("has {place} in a form that a program can't change")),
    }
    Ok(out)
}

fn without_entry(place: &str, text: &str, before: Option<&str>) -> String {
    let mut out = text.to_owned();
    let Some(Place { key, start, entry: Some(range), has_others, .. }) = find(place, text) else { return out };
    let was_there = before.is_some_and(|before| find(place, before).is_some());
    if has_others || range.start != start {
        out.replace_range(range, "");
    } else if was_there {
        out.replace_range(key.start..range.end, &format!("{place}: {{}}{}", line_end(text)));
    } else {
        return without_lines(text, key.start..range.end);
    }
    out
}

/// Returns the line of an entry without its indentation. JSON is YAML.
pub(super) fn line(entry: &Entry) -> String {
    format!("{NAME}: {{ command: {}, args: {} }}", json!(entry.command), json!(entry.args))
}

fn find(place: &str, text: &str) -> Option<Place> {
    let name = format!("{place}:");
    let mut lines = lines(text).skip_while(|(_, line)| !line.starts_with(&name));
    let (first, line) = lines.next()?;
    let key = first.start..first.start + name.len();
    let value = line[name.len()..].split(" #").next().unwrap_or_default().trim().to_owned();
    let is_below = |(_, line): &(Range<usize>, &str)| !is_content(line) || depth(line) > 0 || line.starts_with('-');
    let below: Vec<(Range<usize>, &str)> = lines.take_while(is_below).collect();
    let is_list = below.iter().find(|(_, line)| is_content(line)).is_some_and(|(_, line)| line.trim().starts_with('-'));
    let value = if is_list { "[]".to_owned() } else { value };
    let indent = below.iter().find(|(_, line)| is_content(line)).map_or(2, |(_, line)| depth(line));
    let is_entry = |line: &str| is_content(line) && depth(line) == indent;
    let ours = below.iter().position(|(_, line)| is_entry(line) && name_of(line) == NAME);
    let entry = ours.map(|at| {
        // A comment in front of the next entry belongs to that one.
        let inside = |line: &str| !line.trim().is_empty() && depth(line) > indent;
        let end = below[at + 1..].iter().take_while(|(_, line)| line.trim().is_empty() || inside(line));
        let last = end.filter(|(_, line)| inside(line)).last().map_or(below[at].0.end, |(range, _)| range.end);
        below[at].0.start..last
    });
    let has_others = below.iter().any(|(_, line)| is_entry(line) && name_of(line) != NAME);
    Some(Place { key, value, start: first.end, indent, entry, has_others })
}

/// Returns the lines with their places. The places include the ends of the lines.
fn lines(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start..at, line.trim_end_matches(['\r', '\n']))
    })
}

fn is_content(line: &str) -> bool {
    !line.trim().is_empty() && !line.trim_start().starts_with('#')
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn name_of(line: &str) -> &str {
    line.trim_start().split(':').next().unwrap_or_default().trim_matches(['"', '\''])
}
