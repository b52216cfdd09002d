//! Who did something that others look up later: the approval of a draft, an emergency stop (contract §5.1, §11.5).

named! {
    /// What kind of actor.
    ActorKind {
        /// A person with a session.
        User = "user",
        /// An API key.
        ApiKey = "api_key",
        /// A connector that a person approved.
        Connector = "connector",
        /// Who runs the server, by its commands.
        Operator = "operator",
    }
}

/// Who did something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Actor {
    /// What kind.
    pub kind: ActorKind,
    /// The id of the person or the key; the operator has none.
    pub id: Option<String>,
    /// The address of a person, the name of a key.
    pub label: String,
}
