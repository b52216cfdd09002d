//! Keys of `agents` and `identity`.

use crate::config::{
    key::{ConfigKey, DefaultValue, Key, keys, value},
    types::{Flag, HttpUrl, ValueType},
};

keys! {
    MESSAGING: bool = "agents.messaging" => {
        kind: Flag,
        default: value(true),
        example: false,
        help: "Delivers messages between inboxes of this server as signed agent messages. If `false`, they are \
            ordinary mail without signatures.",
    }
    DIRECTORY: bool = "agents.directory" => {
        kind: Flag,
        default: value(true),
        example: false,
        help: "Serves agent cards, handles and the agent directory.",
    }
    AGENT_KEYS: bool = "agents.agent_keys" => {
        kind: Flag,
        default: value(true),
        example: false,
        help: "Lets agents register keys of their own and sign messages with them.",
    }
    PUBLIC_DIRECTORY: bool = "agents.public_directory" => {
        kind: Flag,
        default: DefaultValue::Text("`false`; `true` in the loopback profile"),
        example: true,
        help: "Serves public agent cards to everyone, without an API key.",
    }
    ISSUER: String = "identity.issuer" => {
        kind: HttpUrl,
        default: DefaultValue::Text("`base_url` followed by `/oidc`"),
        example: "https://id.example.com",
        help: "Issuer of identity tokens and of the signatures of agent messages. It must lead to `/oidc` of this \
            server. Signatures name it, so change it before the first use only.",
    }
    CLAIMS_NAMESPACE: String = "identity.claims_namespace" => {
        kind: HttpUrl,
        default: DefaultValue::Text("`identity.issuer` followed by `/claims`"),
        example: "https://example.com/claims",
        help: "Prefix of the claims in identity tokens that no standard defines: `agent`, `mailbox` and `workspace`.",
    }
}
