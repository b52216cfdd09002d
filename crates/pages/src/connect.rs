//! `/oauth/…`: the authorization server of connectors, programs that a person allows to act in the workspace
//! (`docs/reference/connectors.md`). Programs and browsers call it without an API key. It is not the issuer of identity
//! tokens, which is at `/oidc/…`.

mod authorize;
mod documents;
mod register;
mod revoke;
mod token;

use posthouse_http::prelude::*;

use crate::oauth::{self, Preflight};

pub(crate) fn routes() -> Vec<Route> {
    let preflight = |path, name| {
        let operation =
            Operation::public(Method::Options, path, name).summary("Allows programs in browsers to call the endpoint.");
        let fields = "authorization, content-type, mcp-protocol-version";
        oauth::preflight(operation, Preflight { methods: "POST", fields })
    };
    let mut routes = documents::routes();
    routes.extend(authorize::routes());
    routes.extend(token::routes());
    routes.extend(register::routes());
    routes.extend(revoke::routes());
    routes.push(preflight(token::PATH, "preflightConnectorToken"));
    routes.push(preflight(register::PATH, "preflightClientRegistration"));
    routes.push(preflight(revoke::PATH, "preflightTokenRevocation"));
    routes
}
