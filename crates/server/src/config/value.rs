//! A configured value before it is parsed by its type.

use std::path::PathBuf;

use toml::Value;

use super::configuration::ValueSource;

/// The prefix of environment variables.
pub(super) const PREFIX: &str = "POSTHOUSE__";
/// The suffix of a key whose secret is read from a file.
pub(super) const FILE_SUFFIX: &str = "_file";

/// A value from one of the sources.
#[derive(Clone, Debug)]
pub(super) struct ConfigValue {
    value: Value,
    /// Whether text may represent a number, a flag or a list.
    is_untyped: bool,
    /// The source; a value of a secret's file has the source of the key that names the file.
    pub(super) source: ValueSource,
    pub(super) secret_file: Option<PathBuf>,
}

impl ConfigValue {
    /// Creates a value from the configuration file.
    pub(super) fn from_item(value: Value) -> Self {
        Self { value, is_untyped: false, source: ValueSource::File, secret_file: None }
    }

    /// Creates a value from an environment variable.
    pub(super) fn from_text(text: &str) -> Self {
        let value = Value::String(text.to_owned());
        Self { value, is_untyped: true, source: ValueSource::Environment, secret_file: None }
    }

    /// Creates a value from an option of the command.
    pub(super) fn from_option(value: Value) -> Self {
        Self { source: ValueSource::CommandLine, ..Self::from_item(value) }
    }

    /// Creates a value from the file that this value names.
    pub(super) fn with_content(&self, path: PathBuf, content: &str) -> Self {
        Self { source: self.source, secret_file: Some(path), ..Self::from_text(content) }
    }

    /// Returns the value as it was written.
    pub(super) fn toml(&self) -> &Value {
        &self.value
    }

    /// Renders the value for an error, without the passwords of URLs.
    pub(super) fn shown(&self) -> String {
        without_passwords(&self.value).to_string()
    }

    /// Returns text that is not empty, without white space around it.
    pub(super) fn text(&self) -> Option<String> {
        let text = self.value.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Returns a boolean.
    pub(super) fn flag(&self) -> Option<bool> {
        match &self.value {
            Value::Boolean(flag) => Some(*flag),
            Value::String(text) if self.is_untyped => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// Returns a whole number.
    pub(super) fn whole(&self) -> Option<i64> {
        match &self.value {
            Value::Integer(number) => Some(*number),
            Value::String(text) if self.is_untyped => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// Returns the items of a list.
    pub(super) fn items(&self) -> Option<Vec<Value>> {
        match &self.value {
            Value::Array(items) => Some(items.clone()),
            Value::String(text) if self.is_untyped => Some(untyped_items(text)),
            _ => None,
        }
    }
}

fn untyped_items(text: &str) -> Vec<Value> {
    let array = format!("a = {text}").parse::<toml::Table>().ok().and_then(|mut table| table.remove("a"));
    if let Some(Value::Array(items)) = array {
        return items;
    }
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| Value::String(part.to_owned())).collect()
}

/// Applies [`without_password`] to every text in a value.
fn without_passwords(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(without_password(text)),
        Value::Array(items) => Value::Array(items.iter().map(without_passwords).collect()),
        other => other.clone(),
    }
}

/// Hides the user information of a URL, which is everything before its last `@`, even if the URL is malformed.
pub(super) fn without_password(text: &str) -> String {
    let Some((before, host)) = text.rsplit_once('@') else { return text.to_owned() };
    // Without a colon it is an email address.
    let Some((scheme, rest)) = before.split_once(':') else { return text.to_owned() };
    let slashes = &rest[..rest.len() - rest.trim_start_matches('/').len()];
    format!("{scheme}:{slashes}***@{host}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_of_urls_are_not_shown() {
        let table = [
            ("https://u:sekrit@h/p", "https://***@h/p"),
            ("s3://user:sek@rit/x@bucket/p", "s3://***@bucket/p"),
            ("https:/u:sekrit@h", "https:/***@h"),
            ("u:sekrit@h", "u:***@h"),
            ("ops@example.com", "ops@example.com"),
            ("https://example.com:8080/", "https://example.com:8080/"),
        ];
        for (text, shown) in table {
            assert_eq!(without_password(text), shown);
            let list = ConfigValue::from_item(Value::Array(vec![Value::String(text.to_owned())]));
            assert_eq!(list.shown(), format!("[\"{shown}\"]"));
        }
    }
}
