//! `/v1/identity/…`: the side of apps in sign-in of agents.

mod clients;

pub(super) use clients::operations;
