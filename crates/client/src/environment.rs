//! The environment of the process: the only module of the client that reads it.

use std::{env, path::PathBuf};

/// The key that requests carry.
pub(crate) const API_KEY: &str = "POSTHOUSE_API_KEY";
/// The key under the name that files of `posthouse mcp --save-key` use.
pub(crate) const SERVICE_API_KEY: &str = "SERVICE_API_KEY";
/// The address of the server.
pub(crate) const BASE_URL: &str = "POSTHOUSE_BASE_URL";
/// The name of the stored profile.
pub(crate) const PROFILE: &str = "POSTHOUSE_PROFILE";

/// The variables that the client uses. An empty variable counts as absent.
#[derive(Clone, Default)]
pub(crate) struct Environment {
    /// [`API_KEY`], or [`SERVICE_API_KEY`].
    pub(crate) api_key: Option<String>,
    /// [`BASE_URL`].
    pub(crate) base_url: Option<String>,
    /// [`PROFILE`].
    pub(crate) profile: Option<String>,
    /// Directory of configuration files: `XDG_CONFIG_HOME`, or the system's.
    pub(crate) config_home: Option<PathBuf>,
    /// Home directory of the user.
    pub(crate) home: Option<PathBuf>,
    /// `NO_COLOR` (<https://no-color.org>) or a terminal without colors.
    pub(crate) no_color: bool,
}

impl Environment {
    /// Reads the environment of this process.
    pub(crate) fn of_process() -> Self {
        Self::of(|name| env::var(name).ok())
    }

    fn of(read: impl Fn(&str) -> Option<String>) -> Self {
        let text = |name: &str| read(name).filter(|value| !value.trim().is_empty());
        // A key from a file often ends with a line break.
        let key = |name: &str| text(name).map(|key| key.trim().to_owned());
        let home = text("HOME").map(PathBuf::from);
        let system = home.as_ref().map(|home| home.join(SYSTEM_CONFIG));
        Self {
            api_key: key(API_KEY).or_else(|| key(SERVICE_API_KEY)),
            base_url: text(BASE_URL),
            profile: text(PROFILE),
            config_home: text("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute()).or(system),
            home,
            no_color: text("NO_COLOR").is_some() || text("TERM").is_none_or(|terminal| terminal == "dumb"),
        }
    }
}

/// The directory of configuration files below the home directory.
#[cfg(target_os = "macos")]
const SYSTEM_CONFIG: &str = "Library/Application Support";
/// The directory of configuration files below the home directory.
#[cfg(not(target_os = "macos"))]
const SYSTEM_CONFIG: &str = ".config";

/// Returns the path of the running program.
pub(crate) fn program() -> Option<PathBuf> {
    env::current_exe().ok()
}

/// Returns the directory of temporary files.
pub(crate) fn temporary_directory() -> PathBuf {
    env::temp_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_trimmed() {
        for name in [API_KEY, SERVICE_API_KEY] {
            let environment = Environment::of(|asked| (asked == name).then(|| " ph_one\r\n".to_owned()));
            assert_eq!(environment.api_key.as_deref(), Some("ph_one"), "{name}");
        }
        assert_eq!(Environment::of(|_| Some(" \n".to_owned())).api_key, None);
    }
}
