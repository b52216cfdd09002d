//! What is wrong with a configuration: every problem at once, each with the key, its value and what is allowed.
//!
//! Values of secret keys are never shown, nor those of keys that are none: a secret may stand behind a misspelt name.

use std::fmt;

/// One problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The key, or the file.
    pub key: String,
    /// Its value as given, without passwords in URLs, unless it is secret, missing or that of an unknown key.
    pub value: Option<String>,
    /// What is wrong or what is allowed, in words that follow the key.
    pub problem: String,
}

/// A configuration that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct ConfigError(pub Vec<Problem>);

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
