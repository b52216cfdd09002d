//! The declaration of a configuration key. Everything that is known of a key is in its declaration in
//! [`keys`](super::keys): parser, errors and the reference page come from there.

use toml::Value;

use super::{
    types::InvalidValue,
    value::{ConfigValue, FILE_SUFFIX, PREFIX},
};

/// A configuration key.
#[derive(Clone, Copy, Debug)]
pub struct ConfigKey {
    /// The dotted name.
    pub name: &'static str,
    /// What the value means, in full sentences.
    pub help: &'static str,
    /// Whether the value is never shown and can be read from a file with `NAME_file`.
    pub is_secret: bool,
    /// The option of `posthouse serve` that sets the key.
    pub flag: Option<&'static str>,
    pub(super) default: fn() -> DefaultValue,
    pub(super) example: fn() -> Value,
    pub(super) expected: fn() -> String,
}

/// The value of a key that no source sets.
#[derive(Clone, PartialEq, Debug)]
pub enum DefaultValue {
    /// A value, parsed like one from the file.
    Value(Value),
    /// No value. The text says what happens instead.
    Text(&'static str),
}

impl ConfigKey {
    /// Returns the default.
    #[must_use]
    pub fn default(&self) -> DefaultValue {
        (self.default)()
    }

    /// Describes the allowed values, completing "must be …".
    #[must_use]
    pub fn expected(&self) -> String {
        (self.expected)()
    }

    /// Returns a valid value.
    #[must_use]
    pub fn example(&self) -> Value {
        (self.example)()
    }

    /// Returns the section, which is empty for a key without one.
    #[must_use]
    pub fn section(&self) -> &'static str {
        self.name.split_once('.').map_or("", |(section, _)| section)
    }

    /// Returns the environment variable of the key.
    #[must_use]
    pub fn variable(&self) -> String {
        format!("{PREFIX}{}", self.name.replace('.', "__").to_ascii_uppercase())
    }

    /// Returns the key that names a file with this secret.
    pub(super) fn file_name(&self) -> String {
        format!("{}{FILE_SUFFIX}", self.name)
    }

    /// Renders a value of this key as a line of the configuration file.
    pub(super) fn line(&self, value: &Value) -> String {
        format!("{} = {value}", self.name)
    }
}

/// A key with the parser of its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key<T: 'static> {
    pub(super) declaration: ConfigKey,
    pub(super) parse: fn(&ConfigValue) -> Result<T, InvalidValue>,
}

/// Returns a default that is a value.
pub(super) fn value(value: impl Into<Value>) -> DefaultValue {
    DefaultValue::Value(value.into())
}

/// Returns a default that is a number.
pub(super) fn number(number: u64) -> DefaultValue {
    value(i64::try_from(number).unwrap_or(i64::MAX))
}

/// Returns a default or an example that is a list.
pub(super) fn list<const N: usize>(items: [&str; N]) -> Value {
    Value::Array(items.iter().map(|item| Value::String((*item).to_owned())).collect())
}

/// Declares keys: a constant for each, and the table `KEYS`. A key without one of the members doesn't compile.
macro_rules! keys {
    (@ secret) => { true };
    (@) => { false };
    ($(
        $(#[$secrecy:ident])? $constant:ident: $output:ty = $name:expr => {
            kind: $kind:expr,
            default: $default:expr,
            example: $example:expr,
            $(flag: $flag:literal,)?
            help: $help:expr,
        }
    )*) => {
        $(
            pub(in crate::config) const $constant: Key<$output> = Key {
                declaration: ConfigKey {
                    name: $name,
                    help: $help,
                    is_secret: keys!(@ $($secrecy)?),
                    flag: keys!(@@ $($flag)?),
                    default: || $default,
                    example: || toml::Value::from($example),
                    expected: || $kind.expected(),
                },
                parse: |value| $kind.parse(value),
            };
        )*
        /// The keys of this file, in the order of the reference.
        pub(in crate::config) const KEYS: &[ConfigKey] = &[$($constant.declaration),*];
    };
    (@@ $flag:literal) => { Some($flag) };
    (@@) => { None };
}
pub(super) use keys;
