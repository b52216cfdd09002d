//! What a command works with: the options, the server with its key, and the output.

use url::Url;

use crate::{
    api::Api,
    environment::Environment,
    error::ClientError,
    http::Http,
    options::ClientOptions,
    output::Output,
    profiles::{ConfigFile, DEFAULT_PROFILE, Profile},
};

/// The address of a service that runs on this machine without configuration.
const DEFAULT_BASE_URL: &str = "http://127.0.0.1:8080";

/// What a command works with.
pub(crate) struct Session {
    options: ClientOptions,
    /// The environment of the process.
    pub(crate) environment: Environment,
    /// Where results go.
    pub(crate) output: Output,
}

/// A server and the key for it.
pub(crate) struct Credentials {
    /// The address of the server.
    pub(crate) base: Url,
    /// The key, if one is known.
    pub(crate) key: Option<String>,
}

impl Session {
    /// Creates the session of a command.
    pub(crate) fn new(options: ClientOptions, environment: Environment) -> Self {
        let output = Output::new(&options, &environment);
        Self { options, environment, output }
    }

    /// Returns the name of the profile that is used.
    pub(crate) fn profile(&self) -> String {
        self.options.profile(&self.environment).unwrap_or_else(|| DEFAULT_PROFILE.to_owned())
    }

    /// Returns the address of the server that the options or the environment name.
    pub(crate) fn given_base_url(&self) -> Option<String> {
        self.options.base_url(&self.environment)
    }

    /// Returns the profile that the options or the environment name.
    pub(crate) fn given_profile(&self) -> Option<String> {
        self.options.profile(&self.environment)
    }

    /// Returns the API of the server, with the key of the environment or of the profile.
    ///
    /// # Errors
    /// Fails if there is no key, or if the stored key is for another server.
    pub(crate) fn api(&self) -> Result<Api, ClientError> {
        let credentials = self.credentials()?;
        let Some(key) = credentials.key else {
            let base = &credentials.base;
            let text = format!(
                "no API key for {}; run posthouse login{}, or set POSTHOUSE_API_KEY",
                base.as_str().trim_end_matches('/'),
                self.login_options()
            );
            return Err(ClientError::Failed(text));
        };
        Ok(Api::new(Http::new(credentials.base)?, Some(key)))
    }

    /// Returns the server and its key, if one is known.
    ///
    /// # Errors
    /// Fails if the address is invalid, or if the stored key is for another server.
    pub(crate) fn credentials(&self) -> Result<Credentials, ClientError> {
        if let Some(name) = self.options.chosen_profile() {
            match ConfigFile::read(&self.environment)?.profile(name) {
                Some(stored) => {
                    return matched(self.options.chosen_base_url().map(|text| base_url(&text)).transpose()?, stored);
                }
                // The key of the environment may be that of another workspace.
                None if self.environment.api_key.is_some() => {
                    let problem = format!("no profile is named {name}; run posthouse login --profile {name}");
                    return Err(ClientError::Failed(problem));
                }
                None => {}
            }
        }
        let given = self.options.base_url(&self.environment).map(|text| base_url(&text)).transpose()?;
        let stored = match (&self.environment.api_key, &given) {
            // Then nothing is needed from the file.
            (Some(_), Some(_)) => None,
            (Some(_), None) => ConfigFile::read(&self.environment).ok().and_then(|file| file.profile(&self.profile())),
            (None, _) => ConfigFile::read(&self.environment)?.profile(&self.profile()),
        }
        .unwrap_or_default();
        if let Some(key) = &self.environment.api_key {
            let home = stored.base_url.as_deref().map(base_url).transpose()?;
            return Ok(Credentials { base: given.or(home).unwrap_or_else(default_base), key: Some(key.clone()) });
        }
        matched(given, stored)
    }

    /// Returns the address of the server for a new login: a stored key for another one is replaced.
    ///
    /// # Errors
    /// Fails if the address is invalid.
    pub(crate) fn login_base(&self, file: &ConfigFile) -> Result<Url, ClientError> {
        let stored = || file.profile(&self.profile()).and_then(|profile| profile.base_url);
        let given = self.options.base_url(&self.environment).or_else(stored);
        given.map_or_else(|| Ok(default_base()), |text| base_url(&text))
    }

    /// Prints the notice of the server's operator, if a response had one.
    pub(crate) fn show_notice(&self, api: &Api) {
        if let Some(notice) = api.take_notice() {
            self.output.warn(&format!("Notice of the server's operator: {notice}"));
        }
    }

    /// Returns the options of `posthouse login` for the server and profile of this command, each after a blank. What the
    /// environment names, a login uses too.
    pub(crate) fn login_options(&self) -> String {
        let base = self.options.chosen_base_url().map(|base| format!(" --base-url {base}"));
        let profile = self.options.profile(&self.environment).map(|name| format!(" --profile {name}"));
        [base, profile].into_iter().flatten().collect()
    }

    /// Returns the server of [`Session::credentials`] and, in place of the key of another server, why there is none.
    ///
    /// # Errors
    /// Fails if the address is invalid.
    pub(crate) fn credentials_or_reason(&self) -> Result<(Credentials, String), ClientError> {
        let none = || format!("no key; run posthouse login{}, or set POSTHOUSE_API_KEY", self.login_options());
        match (self.credentials(), self.given_base_url()) {
            (Err(ClientError::Failed(reason)), Some(given)) => {
                Ok((Credentials { base: base_url(&given)?, key: None }, reason))
            }
            (credentials, _) => Ok((credentials?, none())),
        }
    }
}

/// Returns the server and the stored key, which goes only to the server that it was stored for.
fn matched(given: Option<Url>, stored: Profile) -> Result<Credentials, ClientError> {
    let home = stored.base_url.as_deref().map(base_url).transpose()?;
    match (given, home) {
        (Some(given), Some(home)) if given != home && stored.api_key.is_some() => {
            let shown = |url: &Url| url.as_str().trim_end_matches('/').to_owned();
            Err(ClientError::Failed(format!(
                "the stored key is for {}; run posthouse login --base-url {} --profile NAME for another server",
                shown(&home),
                shown(&given)
            )))
        }
        (given, home) => Ok(Credentials { base: given.or(home).unwrap_or_else(default_base), key: stored.api_key }),
    }
}

fn default_base() -> Url {
    Url::parse(DEFAULT_BASE_URL).expect("the default address is a URL")
}

/// Reads the address of a server.
///
/// # Errors
/// Fails if it is no URL of a server.
pub(crate) fn base_url(text: &str) -> Result<Url, ClientError> {
    let wrong = |why: &str| {
        // A password in a URL must not be printed.
        ClientError::Usage(format!("--base-url {why}; write it as https://HOST or http://HOST:PORT"))
    };
    let url = Url::parse(text.trim()).map_err(|_| wrong("is not a URL"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(wrong("must begin with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("must not contain a user name or password"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("must not contain ? or #"));
    }
    let mut url = url;
    // People copy the address of the API, whose paths begin with the version.
    let path = url.path().trim_end_matches('/').trim_end_matches("/v1").trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_servers_are_checked_and_normal() {
        for (text, expected) in [
            ("https://mail.example", "https://mail.example/"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"),
            ("HTTPS://Mail.example:443/base//", "https://mail.example/base"),
            ("https://mail.example/v1/", "https://mail.example/"),
        ] {
            assert_eq!(base_url(text).unwrap().as_str(), expected);
        }
        for text in ["", "mail.example", "ftp://x", "https://a:secret@x", "https://x?a", "https://x#a"] {
            let error = base_url(text).unwrap_err();
            assert!(error.exit_code() == 2 && error.to_string().contains("https://HOST"), "{text}: {error}");
            assert!(!error.to_string().contains("secret"));
        }
    }
}
