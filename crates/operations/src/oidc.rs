//! `/oidc/.well-known/agent-keys.json`: the keys of `/.well-known/agent-keys.json` under the path of the issuer.

use posthouse_call::{Method, Operation};

use crate::well_known::keys;

pub(crate) fn operations() -> Vec<Operation> {
    vec![keys(Operation::public(Method::Get, "/oidc/.well-known/agent-keys.json", "getAgentKeys"))]
}
