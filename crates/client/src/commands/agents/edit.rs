//! Changes of configuration files that keep everything else in them: JSON, TOML and YAML.

use serde::Serialize;
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

/// Returns the text of a file with the entry, or without it.
///
/// # Errors
/// Returns why a program can't change the file.
pub(super) fn edited(harness: &Harness, text: &str, entry: Option<&Entry>) -> Result<String, String> {
    match harness.format {
        Format::Json { .. } => json_edited(harness, text, entry),
        Format::Toml => toml_edited(harness, text, entry),
        Format::Yaml => yaml_edited(harness, text, entry),
    }
}

/// Returns whether a file has nothing: no text, or only the place of the entries.
pub(super) fn is_blank(harness: &Harness, text: &str) -> bool {
    match harness.format {
        Format::Json { .. } => {
            let value: Value = serde_json::from_str(text).unwrap_or_default();
            is_empty_below(&value, harness.servers)
        }
        Format::Toml => text.trim().is_empty(),
        Format::Yaml => {
            let key = format!("{}:", harness.servers.join("."));
            text.lines().all(|line| line.trim().is_empty() || line.trim() == key)
        }
    }
}

/// Returns whether a value is an object that has at most the next of these members, and that the same holds for it.
fn is_empty_below(value: &Value, members: &[&str]) -> bool {
    let Some(object) = value.as_object() else { return false };
    match members.split_first() {
        _ if object.is_empty() => true,
        Some((first, rest)) => object.len() == 1 && object.get(*first).is_some_and(|below| is_empty_below(below, rest)),
        None => false,
    }
}

/// Returns the entry in the form of the file.
fn block(harness: &Harness, entry: &Entry) -> String {
    let strings = |values: &[String]| Value::from(values.to_vec()).to_string();
    match harness.format {
        Format::Json { .. } => format!("{}: {}", Value::from(NAME), json_entry(harness, entry)),
        Format::Toml => format!(
            "[{}.{NAME}]\ncommand = {}\nargs = {}\n",
            harness.servers.join("."),
            Value::from(entry.command.as_str()),
            strings(&entry.args)
        ),
        // A JSON string is a YAML string.
        Format::Yaml => {
            format!("{NAME}: {{ command: {}, args: {} }}", Value::from(entry.command.as_str()), strings(&entry.args))
        }
    }
}

/// Returns what a person adds to a file that a program can't change.
pub(super) fn by_hand(harness: &Harness, entry: &Entry) -> String {
    let block = block(harness, entry);
    match harness.format {
        Format::Toml => format!("add {}", block.trim().replace('\n', " ; ")),
        Format::Json { .. } | Format::Yaml => format!("add {block} to {}", harness.servers.join(".")),
    }
}

fn json_entry(harness: &Harness, entry: &Entry) -> Value {
    let mut object = Map::new();
    if harness.format == (Format::Json { with_type: true }) {
        object.insert("type".into(), "stdio".into());
    }
    object.insert("command".into(), entry.command.as_str().into());
    object.insert("args".into(), json!(entry.args));
    object.into()
}

fn json_edited(harness: &Harness, text: &str, entry: Option<&Entry>) -> Result<String, String> {
    let mut root: Value = if text.trim().is_empty() {
        json!({})
    } else {
        serde_json::from_str(text).map_err(|_| "is not plain JSON (it may have comments)".to_owned())?
    };
    let mut object = root.as_object_mut().ok_or("is not a JSON object")?;
    for name in harness.servers {
        if entry.is_none() && !object.contains_key(*name) {
            return Ok(text.to_owned());
        }
        let below = object.entry(*name).or_insert_with(|| json!({}));
        object = below.as_object_mut().ok_or_else(|| format!("has a member {name} that is not an object"))?;
    }
    let before = object.get(NAME).cloned();
    match entry {
        Some(entry) => {
            // What the user added, such as environment variables, stays.
            let mut merged = before.clone().filter(Value::is_object).unwrap_or_else(|| json!({}));
            for (name, value) in json_entry(harness, entry).as_object().cloned().unwrap_or_default() {
                merged[name] = value;
            }
            object.insert(NAME.into(), merged);
        }
        None => {
            object.shift_remove(NAME);
        }
    }
    if object.get(NAME) == before.as_ref() {
        return Ok(text.to_owned());
    }
    pretty(&root, indentation(text)).ok_or_else(|| "can't be written as JSON".to_owned())
}

/// Returns the indentation of the first indented line, or two blanks.
fn indentation(text: &str) -> &str {
    let first = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    first.map_or("  ", |line| &line[..line.len() - line.trim_start().len()])
}

fn pretty(value: &Value, indentation: &str) -> Option<String> {
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(indentation.as_bytes());
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, formatter)).ok()?;
    out.push(b'\n');
    String::from_utf8(out).ok()
}

fn toml_edited(harness: &Harness, text: &str, entry: Option<&Entry>) -> Result<String, String> {
    let parse =
        |text: &str| text.parse::<toml::Table>().map_err(|_| "is not TOML that a program can change".to_owned());
    parse(text)?;
    let header = format!("{}.{NAME}", harness.servers.join("."));
    let mut kept: Vec<&str> = Vec::new();
    let mut is_ours = false;
    for line in text.lines() {
        if let Some(name) = line.trim_start().strip_prefix('[') {
            let name = name.trim_start_matches('[').split(']').next().unwrap_or_default().replace([' ', '"'], "");
            is_ours = name == header || name.starts_with(&format!("{header}."));
        }
        if !is_ours {
            kept.push(line);
        }
    }
    while kept.last().is_some_and(|line| line.trim().is_empty()) {
        kept.pop();
    }
    let mut out = kept.join("\n");
    if !out.is_empty() {
        out.push('\n');
    }
    if let Some(entry) = entry {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&block(harness, entry));
    }
    let is_same = parse(&out)? == parse(text)?;
    Ok(if is_same { text.to_owned() } else { out })
}

fn yaml_edited(harness: &Harness, text: &str, entry: Option<&Entry>) -> Result<String, String> {
    let key = format!("{}:", harness.servers.join("."));
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let Some(at) = lines.iter().position(|line| line.starts_with(&key)) else {
        let Some(entry) = entry else { return Ok(text.to_owned()) };
        let mut out = text.trim_end().to_owned();
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        return Ok(format!("{out}{key}\n  {}\n", block(harness, entry)));
    };
    let value = lines[at][key.len()..].split(" #").next().unwrap_or_default().trim().to_owned();
    match value.as_str() {
        "" => {}
        "{}" => lines[at] = key.clone(),
        _ => return Err(format!("has {key} in one line")),
    }
    let is_content = |line: &String| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let depth = |line: &String| line.len() - line.trim_start_matches(' ').len();
    let child = lines[at + 1..].iter().find(|line| is_content(line)).map(depth).filter(|depth| *depth > 0);
    let indent = child.unwrap_or(2);
    let end = lines[at + 1..].iter().position(|line| is_content(line) && depth(line) == 0);
    let end = end.map_or(lines.len(), |end| at + 1 + end);
    let is_ours = |line: &String| {
        let name = line.trim_start().split(':').next().unwrap_or_default().trim_matches(['"', '\'']);
        depth(line) == indent && name == NAME
    };
    if let Some(first) = (at + 1..end).find(|line| is_content(&lines[*line]) && is_ours(&lines[*line])) {
        // A comment in front of the next entry belongs to that one.
        let below = |line: &usize| !lines[*line].trim().is_empty() && depth(&lines[*line]) <= indent;
        let last = (first + 1..end).find(below).unwrap_or(end);
        lines.drain(first..last);
    }
    if let Some(entry) = entry {
        lines.insert(at + 1, format!("{}{}", " ".repeat(indent), block(harness, entry)));
    }
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests;
