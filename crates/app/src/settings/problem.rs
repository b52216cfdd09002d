//! The problems of a configuration: all at once, each with its key, value and the allowed values.
//!
//! Values of secret keys are never shown, nor those of unknown keys: a misspelled key may hold a secret.

use std::fmt;

/// A problem of one key or file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigProblem {
    /// The key, or the file.
    pub key: String,
    /// The value as given, without passwords in URLs; `None` if it is secret or missing, or if the key is unknown.
    pub value: Option<String>,
    /// What is wrong or what is allowed, as a phrase that follows the key.
    pub problem: String,
}

/// The problems of a configuration that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct ConfigError(pub Vec<ConfigProblem>);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            match &problem.value {
                Some(value) => write!(f, "config: {} = {value}: {}", problem.key, problem.problem)?,
                None => write!(f, "config: {}: {}", problem.key, problem.problem)?,
            }
        }
        Ok(())
    }
}
