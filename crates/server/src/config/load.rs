//! Reads the TOML file and the environment, which overrides the file. Only this module reads the environment.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    ops::Range,
    path::{Path, PathBuf},
};

use posthouse_domain::text::distance;
use toml::{Table, Value};

use posthouse_app::settings::problem::{ConfigError, ConfigProblem};

use super::{
    assemble::assemble,
    configuration::Configuration,
    key::{ConfigKey, DefaultValue},
    keys,
    lookup::KeyValues,
    value::{ConfigValue, FILE_SUFFIX, PREFIX, without_password},
};

/// Largest configuration or secret file, in bytes.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The sources of the configuration.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// `--config`
    pub file: Option<PathBuf>,
    /// `--data-dir`, which overrides every other source.
    pub data_dir: Option<PathBuf>,
    /// The environment variables of the process.
    pub variables: Vec<(String, String)>,
    /// `--http-listen`, `--smtp-listen` and `--submission-listen`.
    pub listeners: Listeners,
}

/// Listener addresses from the command line, which override every other source.
#[derive(Clone, Debug, Default)]
pub struct Listeners {
    /// `--http-listen`
    pub http: Option<SocketAddr>,
    /// `--smtp-listen`
    pub smtp: Vec<SocketAddr>,
    /// `--submission-listen`
    pub submission: Vec<SocketAddr>,
}

impl Sources {
    /// Returns the options that name the configuration and the data directory, as a shell reads them.
    #[must_use]
    pub fn command_options(&self) -> String {
        self.options_with(|path| path.to_owned())
    }

    /// [`Sources::command_options`] with absolute paths.
    #[must_use]
    pub fn command_options_absolute(&self) -> String {
        self.options_with(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
    }

    fn options_with(&self, shown: impl Fn(&Path) -> PathBuf) -> String {
        let given = [("--config", &self.file), ("--data-dir", &self.data_dir)];
        let options = given.into_iter().filter_map(|(name, path)| Some((name, shown(path.as_ref()?))));
        options.map(|(name, path)| format!(" {name} {}", quoted(&path.display().to_string()))).collect()
    }

    /// Combines the file and directory with the environment variables of this process.
    #[must_use]
    pub fn of_process(file: Option<PathBuf>, data_dir: Option<PathBuf>) -> Self {
        // A variable whose name isn't UTF-8 can't be a key.
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
        };
        let variables = std::env::vars_os().filter_map(text).collect();
        Self { file, data_dir, variables, listeners: Listeners::default() }
    }

    /// Adds the options of the command as values of their keys.
    fn put_options(&self, named: &mut BTreeMap<String, ConfigValue>) {
        let text = |address: &SocketAddr| Value::String(address.to_string());
        let list = |addresses: &[SocketAddr]| Value::Array(addresses.iter().map(text).collect());
        let listed = |addresses: &[SocketAddr]| (!addresses.is_empty()).then(|| list(addresses));
        let listeners = &self.listeners;
        let options = [
            ("data_dir", self.data_dir.as_ref().map(|path| Value::String(path.display().to_string()))),
            ("http.listen", listeners.http.as_ref().map(text)),
            ("smtp.listen", listed(&listeners.smtp)),
            ("submission.listen", listed(&listeners.submission)),
        ];
        for (name, value) in options {
            if let Some(value) = value {
                named.insert(name.to_owned(), ConfigValue::from_option(value));
            }
        }
    }

    /// Sets the listener addresses from the command line.
    #[must_use]
    pub fn with_listeners(self, listeners: Listeners) -> Self {
        Self { listeners, ..self }
    }
}

/// Reads and checks the whole configuration.
///
/// # Errors
/// Returns all problems together.
pub fn load(sources: &Sources) -> Result<Configuration, ConfigError> {
    let mut problems = Vec::new();
    let mut named: BTreeMap<String, ConfigValue> = BTreeMap::new();
    if let Some(path) = &sources.file {
        read_file(path, &mut named, &mut problems);
    }
    read_variables(&sources.variables, &mut named);
    sources.put_options(&mut named);
    let mut values = values_of_keys(&named, problems);
    let mut dependent = Vec::new();
    let mut config = assemble(&mut values, &mut dependent);
    // Problems between keys are reported only if every single value is valid.
    let mut problems = values.problems;
    if problems.is_empty() {
        problems = dependent;
    }
    let aws = sources.variables.iter().filter(|(name, _)| name.starts_with("AWS_"));
    config.blob_options.0 = aws.cloned().collect();
    if let Some(data_dir) = &sources.data_dir {
        // The path may not be UTF-8.
        config.data_dir.clone_from(data_dir);
    }
    config.app.command_options = sources.command_options();
    config.app.command_options_absolute = sources.command_options_absolute();
    if problems.is_empty() { Ok(config) } else { Err(ConfigError(problems)) }
}

/// Quotes a word for a shell if it needs it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

impl Configuration {
    /// Returns the configuration without any source: the loopback profile with an embedded database.
    ///
    /// # Panics
    /// Never: the defaults are valid.
    #[must_use]
    pub fn loopback() -> Self {
        load(&Sources::default()).expect("the defaults are valid, every test starts with them")
    }
}

/// Assigns the named values to their keys, and reads secrets from their files.
fn values_of_keys(named: &BTreeMap<String, ConfigValue>, problems: Vec<ConfigProblem>) -> KeyValues {
    let mut values = KeyValues::new(problems);
    for (name, value) in named {
        let mut fail = |value: Option<String>, problem: String| {
            values.problems.push(ConfigProblem { key: name.clone(), value, problem });
        };
        if let Some(key) = keys::find(name) {
            values.set(key, value.clone());
            continue;
        }
        let secret = name.strip_suffix(FILE_SUFFIX).and_then(keys::find).filter(|key| key.is_secret);
        let Some(key) = secret else {
            fail(None, unknown(name));
            continue;
        };
        if named.contains_key(key.name) {
            fail(Some(value.shown()), format!("is given together with {}; keep one", key.name));
            continue;
        }
        let Some(path) = value.text().map(PathBuf::from) else {
            fail(Some(value.shown()), "must be the path of a file".to_owned());
            continue;
        };
        match read_text(&path) {
            Ok(content) => values.set(key, value.with_content(path, &content)),
            Err(problem) => fail(Some(value.shown()), problem),
        }
    }
    values
}

/// Describes an unknown key: it is a section, or the nearest known key, or the keys of its section.
fn unknown(name: &str) -> String {
    let inside = format!("{name}.");
    let mut of_section = keys::keys().filter(|key| key.name.starts_with(&inside));
    if let Some(example) =
        of_section.clone().find_map(default_line).or_else(|| Some(of_section.next()?.name.to_owned()))
    {
        return format!("is a section and has no value of its own; set keys in it, such as {example}");
    }
    let files = keys::keys().filter(|key| key.is_secret).map(ConfigKey::file_name);
    let names: Vec<String> = keys::keys().map(|key| key.name.to_owned()).chain(files).collect();
    let edits_max = name.chars().count().div_ceil(3).clamp(1, 5);
    let nearest = names.iter().map(|known| (distance(name, known), known)).min();
    if let Some((_, nearest)) = nearest.filter(|(edits, _)| *edits <= edits_max) {
        return format!("is not a key; did you mean {nearest}?");
    }
    let section = name.split_once('.').map(|(section, _)| format!("{section}."));
    let same = |known: &&String| match &section {
        Some(section) => known.starts_with(section.as_str()),
        None => !known.contains('.'),
    };
    let siblings: Vec<&str> = names.iter().filter(same).map(String::as_str).collect();
    if siblings.is_empty() {
        let mut sections: Vec<&str> = names.iter().filter_map(|name| Some(name.split_once('.')?.0)).collect();
        sections.dedup();
        return format!("is not a key; sections are {}", sections.join(", "));
    }
    format!("is not a key; keys are {}", siblings.join(", "))
}

/// Returns a key with its default as a line of the file, if the default is a value.
fn default_line(key: &ConfigKey) -> Option<String> {
    match key.default() {
        DefaultValue::Value(value) => Some(key.line(&value)),
        DefaultValue::Text(_) => None,
    }
}

fn read_file(path: &Path, named: &mut BTreeMap<String, ConfigValue>, problems: &mut Vec<ConfigProblem>) {
    let read = read_text(path)
        .and_then(|text| text.parse::<Table>().map_err(|error| broken(&text, error.message(), error.span())));
    match read {
        Ok(table) => flatten("", table, named),
        Err(problem) => problems.push(ConfigProblem { key: path.display().to_string(), value: None, problem }),
    }
}

/// Describes a TOML syntax error by its position. The line itself isn't shown, because it may have a secret.
fn broken(text: &str, message: &str, span: Option<Range<usize>>) -> String {
    let message = message.trim_end();
    let Some(before) = span.and_then(|span| text.get(..span.start)) else {
        return format!("is not valid TOML: {message}");
    };
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|char| *char != '\n').count() + 1;
    format!("is not valid TOML at line {line}, column {column}: {message}")
}

/// Flattens nested tables into dotted names.
fn flatten(prefix: &str, table: Table, named: &mut BTreeMap<String, ConfigValue>) {
    for (name, value) in table {
        let name = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
        match value {
            Value::Table(inner) => flatten(&name, inner, named),
            value => {
                named.insert(name, ConfigValue::from_item(value));
            }
        }
    }
}

/// Reads variables such as `POSTHOUSE__SECTION__KEY=value`. An empty value counts as not set.
fn read_variables(variables: &[(String, String)], named: &mut BTreeMap<String, ConfigValue>) {
    for (name, value) in variables {
        let Some(name) = name.strip_prefix(PREFIX) else { continue };
        let name = name.to_ascii_lowercase().replace("__", ".");
        // A secret can be set as NAME or NAME_file; the variable overrides both in the file.
        let other = name.strip_suffix(FILE_SUFFIX).map_or_else(|| format!("{name}{FILE_SUFFIX}"), str::to_owned);
        named.remove(&other);
        if value.is_empty() {
            named.remove(&name);
        } else {
            named.insert(name, ConfigValue::from_text(value));
        }
    }
}

fn read_text(path: &Path) -> Result<String, String> {
    // The path may be a URL with a password, set as NAME_file by mistake.
    let shown = without_password(&path.display().to_string());
    let failed = |error: std::io::Error| format!("the file {shown} cannot be read: {error}");
    if std::fs::metadata(path).map_err(failed)?.len() > FILE_BYTES_MAX {
        return Err(format!("the file {shown} is larger than {FILE_BYTES_MAX} bytes"));
    }
    std::fs::read_to_string(path).map_err(failed)
}

/// Returns the arguments of this process, without its name.
pub(crate) fn arguments() -> impl Iterator<Item = std::ffi::OsString> {
    std::env::args_os().skip(1)
}
