//! TOML: the entry is a table with its subtables.

use std::ops::Range;

use serde_json::json;
use toml::{Table, Value};

use super::{Entry, NAME, NewEntry, line_end, without_lines};

/// Returns the text of the entry.
pub(super) fn found(place: &str, text: &str) -> Result<Option<String>, String> {
    let table = parse(text)?;
    let tables: Vec<&str> = tables(place, text).into_iter().map(|range| &text[range]).collect();
    if tables.is_empty() && entry_of(&table, place).is_some() {
        return Err(format!("has {place}.{NAME} in another form"));
    }
    Ok((!tables.is_empty()).then(|| tables.concat()))
}

/// Returns the text with the entry.
pub(super) fn put(place: &str, text: &str, entry: &NewEntry<'_>) -> Result<String, String> {
    found(place, text)?;
    let before = parse(text)?;
    let block = match entry {
        NewEntry::Text(text) => (*text).to_owned(),
        NewEntry::Command(entry) => block(place, entry, entry_of(&before, place)).replace('\n', line_end(text)),
    };
    let after = match tables(place, text).split_first() {
        Some((first, others)) => {
            let mut rest = text.to_owned();
            others.iter().rev().for_each(|range| rest.replace_range(range.clone(), ""));
            rest.replace_range(first.clone(), &block);
            rest
        }
        None => format!("{text}{}{block}", separator(text)),
    };
    let with = checked(place, &before, &after)?;
    let is_same = matches!(entry, NewEntry::Command(_)) && with == before;
    Ok(if is_same { text.to_owned() } else { after })
}

/// Returns the text without the entry. At the beginning and the end of the file, the blank lines that parted it go too.
pub(super) fn cut(place: &str, text: &str) -> Result<String, String> {
    let before = parse(text)?;
    let mut rest = text.to_owned();
    for range in tables(place, text).into_iter().rev() {
        rest = without_lines(&rest, range);
    }
    checked(place, &before, &rest)?;
    Ok(rest)
}

/// Returns whether two texts mean the same but for the entry.
pub(super) fn is_same_rest(place: &str, text: &str, rest: &str) -> bool {
    parse(text).is_ok_and(|before| checked(place, &before, rest).is_ok())
}

/// Returns the tables of an entry. What the user added to the one before, such as environment variables, stays.
pub(super) fn block(place: &str, entry: &Entry, before: Option<&Table>) -> String {
    // Strings of JSON are strings of TOML.
    let mut block = format!("[{place}.{NAME}]\ncommand = {}\nargs = {}\n", json!(entry.command), json!(entry.args));
    let added = |(name, _): &(&String, &Value)| !matches!(name.as_str(), "command" | "args");
    let (tables, values): (Vec<_>, Vec<_>) =
        before.into_iter().flatten().filter(added).partition(|(_, value)| value.is_table());
    for (name, value) in values {
        block.push_str(&Table::from_iter([(name.clone(), value.clone())]).to_string());
    }
    for (name, value) in tables {
        let names = [name.as_str(), NAME].into_iter().chain(place.rsplit('.'));
        let nested = names.fold(value.clone(), |value, name| Table::from_iter([(name.to_owned(), value)]).into());
        block.push_str(&format!("\n{}", toml::to_string(&nested).unwrap_or_default()));
    }
    block
}

/// Returns the places of the tables of the entry, each up to its last line that isn't blank or a comment.
fn tables(place: &str, text: &str) -> Vec<Range<usize>> {
    let ours = format!("{place}.{NAME}");
    let (mut found, mut is_ours, mut at): (Vec<Range<usize>>, _, _) = (Vec::new(), false, 0);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let content = line.trim();
        if let Some(header) = content.strip_prefix('[') {
            let name = header.trim_start_matches('[').split(']').next().unwrap_or_default();
            let name = name.replace([' ', '\t', '"', '\''], "");
            let was_ours = std::mem::replace(&mut is_ours, name == ours || name.starts_with(&format!("{ours}.")));
            if is_ours && !was_ours {
                found.push(at..end);
            }
        }
        let is_content = !content.is_empty() && !content.starts_with('#');
        if let Some(last) = found.last_mut().filter(|_| is_ours && is_content) {
            last.end = end;
        }
        at = end;
    }
    found
}

/// Returns what goes between a text and a table after it.
fn separator(text: &str) -> String {
    let line_end = line_end(text);
    let is_open = !text.is_empty() && !text.ends_with('\n');
    let is_parted = text.trim().is_empty() || text.ends_with("\n\n") || text.ends_with("\n\r\n");
    format!("{}{}", if is_open { line_end } else { "" }, if is_parted { "" } else { line_end })
}

fn parse(text: &str) -> Result<Table, String> {
    text.trim_start_matches('\u{feff}').parse().map_err(|_| "is not TOML".to_owned())
}

/// Checks that two texts differ in the entry alone, and returns the second.
fn checked(place: &str, before: &Table, after: &str) -> Result<Table, String> {
    let after = parse(after).map_err(|_| format!("has {place} in a form that a program can't change"))?;
    let rest = |table: &Table| {
        let mut rest = table.clone();
        let names: Vec<&str> = place.split('.').collect();
        remove(&mut rest, &names);
        rest
    };
    if rest(before) == rest(&after) { Ok(after) } else { Err("can't be changed by a program".to_owned()) }
}

/// Removes the entry and the tables around it that are empty then.
fn remove(table: &mut Table, names: &[&str]) {
    let Some((name, below)) = names.split_first() else {
        table.remove(NAME);
        return;
    };
    let Some(inner) = table.get_mut(*name).and_then(Value::as_table_mut) else { return };
    remove(inner, below);
    if inner.is_empty() {
        table.remove(*name);
    }
}

fn entry_of<'t>(table: &'t Table, place: &str) -> Option<&'t Table> {
    let mut names = place.split('.').chain([NAME]);
    names.try_fold(table, |table, name| table.get(name)?.as_table())
}
