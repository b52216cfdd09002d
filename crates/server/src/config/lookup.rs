//! [`KeyValues`]: the values of all sources by key, and the problems found in them.

use std::collections::BTreeMap;

use posthouse_app::settings::problem::ConfigProblem;

use super::{
    configuration::SetKey,
    key::{ConfigKey, DefaultValue, Key},
    types::InvalidValue,
    value::ConfigValue,
};

/// The values of all sources by key. Keys without a value have their default.
pub(super) struct KeyValues {
    values: BTreeMap<&'static str, ConfigValue>,
    pub(super) problems: Vec<ConfigProblem>,
}

impl KeyValues {
    /// Creates the values, with the problems found in the sources.
    pub(super) fn new(problems: Vec<ConfigProblem>) -> Self {
        Self { values: BTreeMap::new(), problems }
    }

    /// Sets the value of a key.
    pub(super) fn set(&mut self, key: &ConfigKey, value: ConfigValue) {
        self.values.insert(key.name, value);
    }

    /// Returns the keys with a value and their sources.
    pub(super) fn set_keys(&self) -> Vec<SetKey> {
        let name = |name: &str, value: &ConfigValue| match value.secret_file {
            Some(_) => format!("{name}{}", super::value::FILE_SUFFIX),
            None => name.to_owned(),
        };
        self.values.iter().map(|(key, value)| SetKey { name: name(key, value), source: value.source }).collect()
    }

    /// Returns the value of a key that has a default value.
    pub(super) fn get<T>(&mut self, key: &Key<T>) -> T {
        self.find(key).expect("keys without a default value are read with find, and the tests read every default")
    }

    /// Returns the value of a key, or `None` if neither a source nor the declaration has a valid one. An invalid value
    /// is recorded as a problem, and the default takes its place.
    pub(super) fn find<T>(&mut self, key: &Key<T>) -> Option<T> {
        let declaration = &key.declaration;
        if let Some(value) = self.values.get(declaration.name) {
            match (key.parse)(value) {
                Ok(parsed) => return Some(parsed),
                Err(invalid) => {
                    let problem = problem_of(declaration, value, invalid);
                    self.problems.push(problem);
                }
            }
        }
        match declaration.default() {
            DefaultValue::Value(value) => (key.parse)(&ConfigValue::from_item(value)).ok(),
            DefaultValue::Text(_) => None,
        }
    }
}

/// Describes an invalid value: the key, the value unless it is secret, what is expected, and an example.
fn problem_of(key: &ConfigKey, value: &ConfigValue, InvalidValue(detail): InvalidValue) -> ConfigProblem {
    let detail = detail.map(|detail| format!(" ({detail})")).unwrap_or_default();
    let problem = format!("must be {}{detail}; for example: {}", key.expected(), key.line(&key.example()));
    match &value.secret_file {
        Some(path) => ConfigProblem {
            key: key.file_name(),
            value: Some(format!("{:?}", path.display().to_string())),
            problem: format!("the content of the file {problem}"),
        },
        None => ConfigProblem { key: key.name.to_owned(), value: (!key.is_secret).then(|| value.shown()), problem },
    }
}
