//! The environment of the process: the only module of the client that reads it.

use std::{env, ffi::OsString, path::PathBuf};

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

/// The proxy for connections with TLS, as other programs read it: `HTTPS_PROXY` or `ALL_PROXY`, and `NO_PROXY`, also in small
/// letters. Connections without TLS, which are those to this machine and network, use none.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProxySettings {
    address: Option<String>,
    exempt: Vec<String>,
}

impl ProxySettings {
    /// Reads the environment of this process.
    pub(crate) fn of_process() -> Self {
        Self::of(|name| env::var(name).ok())
    }

    fn of(read: impl Fn(&str) -> Option<String>) -> Self {
        let text = |name: &str| {
            let small = read(&name.to_lowercase());
            small.or_else(|| read(name)).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let exempt = text("NO_PROXY").unwrap_or_default();
        let names = exempt.split([',', ' ']).map(|name| name.trim().trim_start_matches("*.").trim_start_matches('.'));
        let exempt = names.filter(|name| !name.is_empty()).map(str::to_lowercase).collect();
        Self { address: text("HTTPS_PROXY").or_else(|| text("ALL_PROXY")), exempt }
    }

    /// Returns the proxy for a host; `None` if it is reached directly.
    pub(crate) fn for_host(&self, host: &str) -> Option<&str> {
        let host = host.trim_matches(['[', ']']).to_lowercase();
        let is_here = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
        let is_exempt = |name: &String| {
            name == "*" || host == *name || host.strip_suffix(name.as_str()).is_some_and(|rest| rest.ends_with('.'))
        };
        self.address.as_deref().filter(|_| !is_here && !self.exempt.iter().any(is_exempt))
    }
}

/// The directory of configuration files below the home directory.
#[cfg(target_os = "macos")]
const SYSTEM_CONFIG: &str = "Library/Application Support";
/// The directory of configuration files below the home directory.
#[cfg(not(target_os = "macos"))]
const SYSTEM_CONFIG: &str = ".config";

/// Returns the arguments of this process.
pub(crate) fn arguments() -> impl Iterator<Item = OsString> {
    env::args_os().skip(1)
}

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

    #[test]
    fn hosts_that_are_exempt_use_no_proxy() {
        let settings = |no_proxy: &str| {
            let no_proxy = no_proxy.to_owned();
            ProxySettings::of(move |name| match name {
                "HTTPS_PROXY" => Some("http://proxy:3128".to_owned()),
                "no_proxy" => Some(no_proxy.clone()),
                _ => None,
            })
        };
        for (no_proxy, host, is_direct) in [
            ("", "mail.example.com", false),
            ("", "localhost", true),
            ("", "127.0.0.1", true),
            ("", "[::1]", true),
            ("example.com", "mail.Example.com", true),
            (".example.com, x.test", "mail.example.com", true),
            ("*.example.com", "example.com", true),
            ("ample.com", "example.com", false),
            ("*", "mail.example.com", true),
        ] {
            assert_eq!(settings(no_proxy).for_host(host).is_none(), is_direct, "{no_proxy} {host}");
        }
        assert_eq!(ProxySettings::of(|_| None).for_host("mail.example.com"), None);
    }
}
