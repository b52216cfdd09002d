//! Sign-in with an agent: apps, identity tokens, the browser flow, and the endpoints that apps call
//! (`docs/reference/identity.md`).

pub mod agents;
pub mod approvals;
pub mod authorize;
pub mod clients;
pub mod credentials;
pub mod exchange;
pub mod failure;
pub mod mint;
mod record;
pub mod signing;
mod standing;
pub mod userinfo;
