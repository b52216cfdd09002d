//! What the issuer of identity tokens answers: its metadata (RFC 8414), tokens (RFC 6749 §5.1) and errors (RFC 6749 §5.2).

use posthouse_domain::identity::oauth::OAuthErrorCode;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use super::name_of;

/// The metadata of the issuer (RFC 8414, OpenID Connect Discovery).
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "IssuerMetadata")]
pub struct IssuerMetadataView {
    /// URL of the issuer, the claim `iss` of its tokens.
    pub issuer: String,
    /// URL to which apps send browsers.
    pub authorization_endpoint: String,
    /// URL that exchanges codes and tokens.
    pub token_endpoint: String,
    /// URL of the claims about an agent.
    pub userinfo_endpoint: String,
    /// URL of the keys that verify identity tokens.
    pub jwks_uri: String,
    /// Scopes that apps can ask for.
    pub scopes_supported: Vec<&'static str>,
    /// `code` only.
    pub response_types_supported: [&'static str; 1],
    /// `query` only.
    pub response_modes_supported: [&'static str; 1],
    /// Grants of the token endpoint.
    pub grant_types_supported: [&'static str; 3],
    /// Kinds of the claim `sub`.
    pub subject_types_supported: Vec<&'static str>,
    /// Algorithms of identity tokens.
    pub id_token_signing_alg_values_supported: [&'static str; 1],
    /// How apps can authenticate.
    pub token_endpoint_auth_methods_supported: [&'static str; 3],
    /// Methods of PKCE (RFC 7636).
    pub code_challenge_methods_supported: [&'static str; 1],
    /// Claims of identity tokens.
    pub claims_supported: Vec<String>,
    /// Whether responses name the issuer (RFC 9207).
    pub authorization_response_iss_parameter_supported: bool,
    /// Whether apps can ask for single claims.
    pub claims_parameter_supported: bool,
    /// Whether request objects are read (RFC 9101).
    pub request_parameter_supported: bool,
    /// Whether request objects are fetched (RFC 9101).
    pub request_uri_parameter_supported: bool,
}

/// Issued tokens.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "OAuthTokens")]
pub struct OAuthTokensView {
    /// Access token for the userinfo endpoint.
    pub access_token: String,
    /// Always `Bearer`.
    pub token_type: &'static str,
    /// Seconds until the access token expires.
    pub expires_in: i64,
    /// Granted scopes, separated by spaces.
    pub scope: String,
    /// Identity token, a JSON Web Token; only for a code or an assertion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_token: Option<String>,
    /// Type of the access token; only for a token exchange (RFC 8693 §2.2.1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issued_token_type: Option<&'static str>,
}

/// An error of OAuth 2.0.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "OAuthError")]
pub struct OAuthErrorView {
    /// Code of the error.
    #[schemars(schema_with = "name_of::<OAuthErrorCode>")]
    pub error: &'static str,
    /// What is wrong, for a developer.
    pub error_description: String,
}

/// The claims about an agent: `sub`, and those that the granted scopes allow.
#[derive(Debug)]
pub struct UserinfoView;

impl JsonSchema for UserinfoView {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Userinfo".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "The claims about an agent: `sub`, and those that the granted scopes allow.",
            "required": ["sub"],
            "properties": {
                "sub": { "type": "string", "description": "Identifies the agent, for this app." },
                "email": { "type": "string", "description": "Address of the agent." },
                "email_verified": { "type": "boolean" },
                "name": { "type": "string", "description": "Display name of the agent." },
                "preferred_username": { "type": "string", "description": "Handle of the agent." },
            },
            "additionalProperties": true,
        })
    }
}
