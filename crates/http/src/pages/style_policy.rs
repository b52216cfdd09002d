//! The content security policy of the pages that load nothing but their own style.

use axum::http::HeaderValue;
use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

/// Where the forms of a page go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormTarget {
    /// To this server.
    Server,
    /// The page has no form.
    None,
}

/// Returns the policy of a page with this style sheet, which the policy names by its hash.
#[must_use]
pub fn style_policy(style: &str, forms: FormTarget) -> HeaderValue {
    let hash = STANDARD.encode(Sha256::digest(style.as_bytes()));
    let forms = match forms {
        FormTarget::Server => "'self'",
        FormTarget::None => "'none'",
    };
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; form-action {forms}; base-uri 'none'; frame-ancestors 'none'"
    );
    HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}
