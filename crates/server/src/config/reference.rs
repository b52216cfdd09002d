//! Renders `docs/reference/configuration.md` from the declarations of the keys.

use std::fmt::Write;

use super::{
    key::{ConfigKey, DefaultValue},
    keys::{self, FIRST_KEYS, SECTIONS, Section},
};

/// The text around the generated parts, which replace `{first}` and `{sections}`.
const PAGE: &str = include_str!("reference.md");

/// The section of the plans.
const PLANS: &str = "plans";

/// Renders the page.
#[must_use]
pub fn reference() -> String {
    let mut first = String::from("| Key | Default | Meaning |\n|---|---|---|\n");
    for key in FIRST_KEYS.iter().filter_map(|name| keys::find(name)) {
        let _ = writeln!(first, "| [`{}`](#{}) | {} | {} |", key.name, anchor(key), default(key), key.help);
    }
    let sections: Vec<String> = SECTIONS.iter().map(section).collect();
    PAGE.replace("{first}\n", &first).replace("{sections}\n", &sections.join("\n"))
}

fn section(section: &Section) -> String {
    let mut text = match section.name {
        "" => format!("## {}\n", section.title),
        name => format!("## {} (`{name}`)\n", section.title),
    };
    if !section.intro.is_empty() {
        let _ = write!(text, "\n{}\n", section.intro);
    }
    let keys = keys::keys().filter(|key| key.section() == section.name);
    match section.name {
        PLANS => text.push_str(&plans(&keys.collect::<Vec<_>>())),
        _ => keys.for_each(|key| {
            let _ = write!(text, "\n{}", entry(key));
        }),
    }
    text
}

/// Renders one table for the keys of all plans, which differ only in their defaults, and the properties of the first.
fn plans(keys: &[&ConfigKey]) -> String {
    let parts = |key: &ConfigKey| key.name.trim_start_matches("plans.").split_once('.');
    let mut names: Vec<&str> = Vec::new();
    let mut rows: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for key in keys {
        let Some((plan, member)) = parts(key) else { continue };
        if !names.contains(&plan) {
            names.push(plan);
        }
        match rows.iter_mut().find(|(known, ..)| *known == member) {
            Some((.., defaults)) => defaults.push(default(key)),
            None => rows.push((member, key.help, vec![default(key)])),
        }
    }
    let heads: Vec<String> = names.iter().map(|name| format!("`plans.{name}`")).collect();
    let mut text = format!("\n| Key | Meaning | {} |\n|---|---|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    for (member, help, defaults) in rows {
        let _ = writeln!(text, "| `{member}` | {help} | {} |", defaults.join(" | "));
    }
    if let Some(key) = keys.first() {
        let _ = write!(text, "\n- Type: {}\n", key.expected());
        let _ = writeln!(text, "- Example: `{}`", key.line(&key.example()));
        let _ = writeln!(text, "- Environment: such as `{}`", key.variable());
    }
    text
}

/// Renders the heading and the properties of one key.
fn entry(key: &ConfigKey) -> String {
    let mut text = format!("### `{}`\n\n{}\n\n", key.name, key.help);
    let _ = writeln!(text, "- Type: {}", key.expected());
    let _ = writeln!(text, "- Default: {}", default(key));
    let _ = writeln!(text, "- Example: `{}`", key.line(&key.example()));
    let flag = key.flag.map(|flag| format!(", or the option `{flag}`")).unwrap_or_default();
    let _ = writeln!(text, "- Environment: `{}`{flag}", key.variable());
    if key.is_secret {
        let _ = writeln!(text, "- Secret: never shown. `{}` reads it from a file.", key.file_name());
    }
    text
}

fn default(key: &ConfigKey) -> String {
    match key.default() {
        DefaultValue::Value(value) => format!("`{value}`"),
        DefaultValue::Text(text) => text.to_owned(),
    }
}

/// Returns the anchor of the heading of a key: the heading without its punctuation.
fn anchor(key: &ConfigKey) -> String {
    key.name.replace('.', "")
}
