//! Errors and parameters of the OAuth endpoints (RFC 6749, RFC 6750, RFC 8693, OpenID Connect Core).

named! {
    /// An error code of the OAuth endpoints, the value of `error`.
    OAuthErrorCode {
        /// A parameter is missing, malformed or repeated.
        InvalidRequest = "invalid_request",
        /// The app is unknown, or its authentication failed.
        InvalidClient = "invalid_client",
        /// The code or token is invalid, was used, or has expired.
        InvalidGrant = "invalid_grant",
        /// The app may not use the grant.
        UnauthorizedClient = "unauthorized_client",
        /// The grant is unknown.
        UnsupportedGrantType = "unsupported_grant_type",
        /// The response type is unknown.
        UnsupportedResponseType = "unsupported_response_type",
        /// The scope is larger than allowed.
        InvalidScope = "invalid_scope",
        /// The token is for another service.
        InvalidTarget = "invalid_target",
        /// The agent denied the sign-in.
        AccessDenied = "access_denied",
        /// The sign-in needs an agent.
        LoginRequired = "login_required",
        /// Request objects are not supported.
        RequestNotSupported = "request_not_supported",
        /// Request objects by reference are not supported.
        RequestUriNotSupported = "request_uri_not_supported",
        /// Too many sign-ins wait.
        TemporarilyUnavailable = "temporarily_unavailable",
        /// The access token is invalid, was revoked, or has expired.
        InvalidToken = "invalid_token",
        /// A redirect URI of a new client is not allowed.
        InvalidRedirectUri = "invalid_redirect_uri",
        /// The metadata of a new client is not allowed.
        InvalidClientMetadata = "invalid_client_metadata",
        /// An unexpected error.
        ServerError = "server_error",
    }
}

/// An error of an OAuth endpoint.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {description}", code.text())]
pub struct OAuthError {
    pub code: OAuthErrorCode,
    /// What is wrong, for a developer: printable ASCII without quotes and backslashes (RFC 6749 §5.2).
    pub description: String,
}

impl OAuthError {
    /// Creates an error. Characters that its description can't have are replaced.
    #[must_use]
    pub fn new(code: OAuthErrorCode, description: impl Into<String>) -> Self {
        let fits = |c: char| matches!(c, ' '..='~') && !matches!(c, '"' | '\\');
        let description = description.into().chars().map(|c| if fits(c) { c } else { '\'' }).collect();
        Self { code, description }
    }

    /// Creates `invalid_request`.
    #[must_use]
    pub fn invalid(description: impl Into<String>) -> Self {
        Self::new(OAuthErrorCode::InvalidRequest, description)
    }

    /// Creates `invalid_grant`.
    #[must_use]
    pub fn grant(description: impl Into<String>) -> Self {
        Self::new(OAuthErrorCode::InvalidGrant, description)
    }
}

/// The parameters of a request, in any order.
#[derive(Clone, Debug, Default)]
pub struct OAuthParameters(pub Vec<(String, String)>);

impl OAuthParameters {
    /// Returns a parameter. An empty one counts as omitted (RFC 6749 §3.1).
    ///
    /// # Errors
    /// Returns `invalid_request` if it is repeated, or contains U+0000, which PostgreSQL can't store.
    pub fn one(&self, name: &str) -> Result<Option<&str>, OAuthError> {
        let mut values = self.0.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(OAuthError::invalid(format!("{name} must not be repeated."))),
            (Some(value), None) if value.contains('\0') => {
                Err(OAuthError::invalid(format!("{name} must not contain the character U+0000.")))
            }
            (value, None) => Ok(value.filter(|value| !value.is_empty())),
        }
    }

    /// Returns the values of a parameter that may be repeated, without empty ones.
    pub fn all<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p str> {
        let values = self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str());
        values.filter(|value| !value.is_empty())
    }

    /// Returns a parameter that must be present.
    ///
    /// # Errors
    /// Returns `invalid_request` if it is missing or repeated.
    pub fn required(&self, name: &str) -> Result<&str, OAuthError> {
        self.one(name)?.ok_or_else(|| OAuthError::invalid(format!("{name} is required.")))
    }

    /// Returns a parameter of at most `max` bytes.
    ///
    /// # Errors
    /// Returns `invalid_request` if it is longer, or repeated.
    pub fn bounded(&self, name: &str, max: usize) -> Result<Option<&str>, OAuthError> {
        match self.one(name)? {
            Some(value) if value.len() > max => {
                Err(OAuthError::invalid(format!("{name} must have at most {max} bytes.")))
            }
            value => Ok(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_occurs_once_and_an_empty_one_is_omitted() {
        let pairs = [("a", "1"), ("b", ""), ("c", "1"), ("c", "1")];
        let given = OAuthParameters(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec());
        assert_eq!((given.one("a"), given.one("b"), given.one("d")), (Ok(Some("1")), Ok(None), Ok(None)));
        let zero = OAuthParameters(vec![("a".to_owned(), "x\0".to_owned())]);
        assert_eq!(zero.one("a").expect_err("U+0000").code, OAuthErrorCode::InvalidRequest);
        assert_eq!(given.one("c").expect_err("twice").code, OAuthErrorCode::InvalidRequest);
        assert!(given.required("b").is_err() && given.bounded("a", 0).is_err() && given.bounded("a", 1).is_ok());
    }

    #[test]
    fn descriptions_are_printable_ascii() {
        assert_eq!(OAuthError::invalid("\"é\"\n`x` \\").description, "''''`x` '");
    }
}
