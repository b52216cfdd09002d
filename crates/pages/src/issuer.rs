//! `/oidc/…`: the issuer of identity tokens, an OpenID Connect provider (`docs/reference/identity.md`). Apps and browsers
//! call it without an API key. Errors of the token and userinfo endpoints have the form of OAuth 2.0 (RFC 6749 §5.2).

mod authorize;
mod documents;
mod token;
mod userinfo;

use posthouse_http::prelude::*;

use crate::oauth::{self, Preflight};

pub(crate) fn routes() -> Vec<Route> {
    let preflight = |path, name| {
        let operation =
            Operation::public(Method::Options, path, name).summary("Allows apps in browsers to call the endpoint.");
        oauth::preflight(operation, Preflight { methods: "GET, POST", fields: "authorization, content-type" })
    };
    let mut routes = documents::routes();
    routes.extend(authorize::routes());
    routes.extend(token::routes());
    routes.extend(userinfo::routes());
    routes.push(preflight(token::PATH, "preflightToken"));
    routes.push(preflight(userinfo::PATH, "preflightUserinfo"));
    routes
}
