//! The actor recorded with an action: the approval of a draft, or an emergency stop.

use crate::id::{ConnectorId, KeyId, UserId};

named! {
    /// The kind of actor.
    ActorKind {
        /// A person with a session.
        User = "user",
        /// An API key.
        ApiKey = "api_key",
        /// A connector that a person approved.
        Connector = "connector",
        /// The operator of the server, on the command line.
        Operator = "operator",
    }
}

/// The person, key, connector or operator that performed an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Actor {
    pub kind: ActorKind,
    /// The id of the person, key or connector; `None` for the operator.
    pub id: Option<String>,
    /// The address of a person, or the name of a key or connector.
    pub label: String,
}

impl Actor {
    /// Creates the actor of an API key with this name.
    #[must_use]
    pub fn api_key(id: KeyId, name: String) -> Self {
        Self { kind: ActorKind::ApiKey, id: Some(id.to_string()), label: name }
    }

    /// Creates the actor of a connector with this name.
    #[must_use]
    pub fn connector(id: ConnectorId, name: String) -> Self {
        Self { kind: ActorKind::Connector, id: Some(id.to_string()), label: name }
    }

    /// Creates the actor of a person with this address.
    #[must_use]
    pub fn user(id: UserId, email: String) -> Self {
        Self { kind: ActorKind::User, id: Some(id.to_string()), label: email }
    }

    /// Creates the actor of the operator. The label is the command that acted.
    #[must_use]
    pub fn operator(label: &str) -> Self {
        Self { kind: ActorKind::Operator, id: None, label: label.to_owned() }
    }
}
