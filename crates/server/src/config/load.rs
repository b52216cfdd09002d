//! Reads the TOML file and the environment over it (operations.md, Configuration). The only reader of the environment.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    ops::Range,
    path::{Path, PathBuf},
};

use posthouse_domain::text::distance;
use toml::{Table, Value};

use super::{
    Config,
    assemble::Draft,
    given::{Given, without_password},
    keys::{self, Key},
    problem::{ConfigError, Problem},
};

/// What the name of a variable begins with.
const PREFIX: &str = "POSTHOUSE__";
/// What is behind the name of a secret that is to be read from a file.
const FILE_SUFFIX: &str = "_file";
/// Largest configuration or secret file, in bytes.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Where the configuration comes from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// `--config`
    pub file: Option<PathBuf>,
    /// `--data-dir`: wins over every other source, and is no configuration by itself.
    pub data_dir: Option<PathBuf>,
    /// The variables of the process.
    pub variables: Vec<(String, String)>,
    /// `--http-listen` and the like.
    pub listeners: Listeners,
}

/// Addresses to listen on from the command line; one that is given wins over every other source.
#[derive(Clone, Debug, Default)]
pub struct Listeners {
    /// `--http-listen`
    pub http: Option<SocketAddr>,
    /// `--smtp-listen`
    pub smtp: Vec<SocketAddr>,
    /// `--submission-listen`
    pub submission: Vec<SocketAddr>,
}

impl Listeners {
    /// The keys that are given, as a file would give them.
    fn put_into(&self, given: &mut BTreeMap<String, Given>) {
        let text = |address: &SocketAddr| Value::String(address.to_string());
        let mut put = |key: &str, value: Value| given.insert(key.to_owned(), Given::typed(value));
        if let Some(http) = &self.http {
            put("http.listen", text(http));
        }
        for (key, addresses) in [("smtp.listen", &self.smtp), ("submission.listen", &self.submission)] {
            if !addresses.is_empty() {
                put(key, Value::Array(addresses.iter().map(text).collect()));
            }
        }
    }
}

impl Sources {
    /// The given file and directory, and the variables of this process.
    #[must_use]
    pub fn of_process(file: Option<PathBuf>, data_dir: Option<PathBuf>) -> Self {
        // Variables that are not text cannot be ours: ours are checked as text.
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
        };
        let variables = std::env::vars_os().filter_map(text).collect();
        Self { file, data_dir, variables, listeners: Listeners::default() }
    }

    /// The same with listeners of the command line.
    #[must_use]
    pub fn with_listeners(self, listeners: Listeners) -> Self {
        Self { listeners, ..self }
    }
}

/// Reads and checks the whole configuration.
///
/// # Errors
/// Every problem at once.
pub fn load(sources: &Sources) -> Result<Config, ConfigError> {
    let mut problems = Vec::new();
    let mut given: BTreeMap<String, Given> = BTreeMap::new();
    if let Some(path) = &sources.file {
        read_file(path, &mut given, &mut problems);
    }
    read_variables(&sources.variables, &mut given);
    sources.listeners.put_into(&mut given);
    let mut draft = Draft::new();
    for (name, value) in &given {
        take(name, value, &given, &mut draft, &mut problems);
    }
    // What belongs together is only worth a word when the single values are fine.
    let alone_fine = problems.is_empty();
    let mut together = Vec::new();
    let mut config = draft.finish(&mut together);
    if alone_fine {
        problems = together;
    }
    let aws = sources.variables.iter().filter(|(name, _)| name.starts_with("AWS_"));
    config.blob_options.0 = aws.cloned().collect();
    if let Some(data_dir) = &sources.data_dir {
        config.data_dir.clone_from(data_dir);
    }
    if problems.is_empty() { Ok(config) } else { Err(ConfigError(problems)) }
}

fn take(name: &str, value: &Given, given: &BTreeMap<String, Given>, draft: &mut Draft, problems: &mut Vec<Problem>) {
    let mut fail = |value: Option<String>, problem: String| {
        problems.push(Problem { key: name.to_owned(), value, problem });
    };
    if let Some(key) = known(name) {
        if let Err(problem) = (key.set)(draft, value) {
            fail((!key.secret).then(|| value.shown()), problem);
        }
        return;
    }
    let secret = name.strip_suffix(FILE_SUFFIX).and_then(known).filter(|key| key.secret);
    let Some(key) = secret else { return fail(None, unknown(name)) };
    if given.contains_key(key.name) {
        return fail(Some(value.shown()), format!("is given together with {}; keep one", key.name));
    }
    let text = value.path().and_then(|path| {
        let text = read_text(&path)?;
        (key.set)(draft, &Given::text_of(&text)).map_err(|problem| format!("the content {problem}"))
    });
    if let Err(problem) = text {
        fail(Some(value.shown()), problem);
    }
}

fn known(name: &str) -> Option<&'static Key> {
    keys::keys().find(|key| key.name == name)
}

/// What an unknown key is told: that it is a section, the nearest known one, or the keys of its section.
fn unknown(name: &str) -> String {
    let inside = format!("{name}.");
    let mut of_section = keys::keys().filter(|key| key.name.starts_with(&inside));
    if let Some(example) = of_section.clone().find_map(example).or_else(|| Some(of_section.next()?.name.to_owned())) {
        return format!("is a section and has no value itself; set keys in it, such as {example}");
    }
    let files = keys::keys().filter(|key| key.secret).map(|key| format!("{}{FILE_SUFFIX}", key.name));
    let names: Vec<String> = keys::keys().map(|key| key.name.to_owned()).chain(files).collect();
    let edits_max = name.chars().count().div_ceil(3).clamp(1, 5);
    let nearest = names.iter().map(|known| (distance(name, known), known)).min();
    if let Some((edits, nearest)) = nearest.filter(|(edits, _)| *edits <= edits_max) {
        let _ = edits;
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
    format!("is not a key; there are {}", siblings.join(", "))
}

/// A key with its default, as it stands in a file; none where the default is told in words.
fn example(key: &Key) -> Option<String> {
    let value = key.default.strip_prefix('`')?.strip_suffix('`').filter(|value| !value.contains('`'))?;
    let is_text = format!("a = {value}").parse::<Table>().is_err();
    Some(if is_text { format!("{} = \"{value}\"", key.name) } else { format!("{} = {value}", key.name) })
}

fn read_file(path: &Path, given: &mut BTreeMap<String, Given>, problems: &mut Vec<Problem>) {
    let read = read_text(path)
        .and_then(|text| text.parse::<Table>().map_err(|error| broken(&text, error.message(), error.span())));
    match read {
        Ok(table) => flatten("", table, given),
        Err(problem) => problems.push(Problem { key: path.display().to_string(), value: None, problem }),
    }
}

/// What is said of a file that is no TOML: where, and not what stands there, which may be a secret.
fn broken(text: &str, message: &str, span: Option<Range<usize>>) -> String {
    let message = message.trim_end();
    let Some(before) = span.and_then(|span| text.get(..span.start)) else {
        return format!("is not valid TOML: {message}");
    };
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|letter| *letter != '\n').count() + 1;
    format!("is not valid TOML at line {line}, column {column}: {message}")
}

/// Turns nested tables into dotted names.
fn flatten(prefix: &str, table: Table, given: &mut BTreeMap<String, Given>) {
    for (name, value) in table {
        let name = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
        match value {
            Value::Table(inner) => flatten(&name, inner, given),
            value => {
                given.insert(name, Given::typed(value));
            }
        }
    }
}

/// `POSTHOUSE__SECTION__KEY=value`; an empty value is as good as none.
fn read_variables(variables: &[(String, String)], given: &mut BTreeMap<String, Given>) {
    for (name, value) in variables {
        let Some(name) = name.strip_prefix(PREFIX) else { continue };
        let name = name.to_ascii_lowercase().replace("__", ".");
        // The variable of a secret wins over the file's way of giving it, whichever of its two names it bears.
        let other = name.strip_suffix(FILE_SUFFIX).map_or_else(|| format!("{name}{FILE_SUFFIX}"), str::to_owned);
        given.remove(&other);
        if value.is_empty() {
            given.remove(&name);
        } else {
            given.insert(name, Given::text_of(value));
        }
    }
}

fn read_text(path: &Path) -> Result<String, String> {
    // A URL that was meant for the key itself is no path, and may have a password in it.
    let shown = without_password(&path.display().to_string());
    let failed = |error: std::io::Error| format!("the file {shown} cannot be read: {error}");
    if std::fs::metadata(path).map_err(failed)?.len() > FILE_BYTES_MAX {
        return Err(format!("the file {shown} is larger than {FILE_BYTES_MAX} bytes"));
    }
    std::fs::read_to_string(path).map_err(failed)
}
