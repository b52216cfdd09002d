//! A2A agent cards (Agent2Agent protocol 1.0). Members that the protocol requires and cards don't have get defaults.

use posthouse_domain::{agent::card::Skill, inbox::InboxKind};
use serde_json::{Value, json};

use super::ShownAgent;

/// The version of the protocol that the card follows.
const PROTOCOL_VERSION: &str = "1.0";
/// The binding: messages through this service, as mail or as agent messages.
const BINDING: &str = "RELAY";

/// Returns the A2A card of a listed agent, without signatures.
#[must_use]
pub fn card(shown: &ShownAgent<'_>) -> Value {
    let (agent, card) = (shown.agent, shown.card);
    let modes = card.capabilities.effective_input_modes();
    let page = shown.urls.page(&agent.address);
    let url = match agent.kind {
        InboxKind::Mailbox => format!("mailto:{}", agent.address),
        InboxKind::Identity => page.clone(),
    };
    let mut out = json!({
        "name": card.name,
        "description": card.description.as_deref().unwrap_or(&card.name),
        "supportedInterfaces": [{ "url": url, "protocolBinding": BINDING, "protocolVersion": PROTOCOL_VERSION }],
        "provider": { "organization": agent.provider(), "url": page },
        "version": version(shown),
        "capabilities": { "streaming": false, "pushNotifications": false },
        "defaultInputModes": modes,
        "defaultOutputModes": modes,
        "skills": skills(shown),
    });
    if let Some(url) = &card.documentation_url {
        out["documentationUrl"] = json!(url);
    }
    out
}

/// Returns the version of a card: the time of its last change.
pub(super) fn version(shown: &ShownAgent<'_>) -> String {
    format!("1.0.{}", shown.card.updated_at.seconds())
}

fn skills(shown: &ShownAgent<'_>) -> Vec<Value> {
    let card = shown.card;
    let view = |skill: &Skill| {
        let description = skill.description.as_deref().unwrap_or(&skill.name);
        // The protocol wants a tag.
        let tags = if skill.tags.is_empty() { std::slice::from_ref(&skill.id) } else { skill.tags.as_slice() };
        json!({ "id": skill.id, "name": skill.name, "description": description, "tags": tags })
    };
    if card.capabilities.skills.is_empty() {
        // The protocol wants a skill: what every agent of this service can do.
        let description = card.description.as_deref().unwrap_or(&card.name);
        return vec![json!({ "id": "message", "name": card.name, "description": description, "tags": ["message"] })];
    }
    card.capabilities.skills.iter().map(view).collect()
}
