//! Records of the Open Agentic Schema Framework 0.7.0.

use posthouse_domain::{
    agent::card::{OasfClass, Skill},
    inbox::InboxKind,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{ShownAgent, a2a::version};
use crate::views::TimestampView;

/// The version of the schema.
const SCHEMA_VERSION: &str = "0.7.0";

/// An OASF record.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OasfRecord")]
pub struct OasfRecordView {
    schema_version: &'static str,
    name: String,
    version: String,
    description: String,
    /// Who is behind the agent: its verified domain, the handle of its workspace, or the domain of its address.
    authors: Vec<String>,
    created_at: TimestampView,
    /// Skills, each with `id` or `name`.
    #[schemars(with = "Vec<Map<String, Value>>")]
    skills: Vec<Value>,
    #[schemars(with = "Vec<Map<String, Value>>")]
    domains: Vec<Value>,
    /// Where the agent is reached and described, each with `type` and `url`.
    #[schemars(with = "Vec<Map<String, Value>>")]
    locators: Vec<Value>,
    #[schemars(with = "Vec<Map<String, Value>>")]
    modules: Vec<Value>,
    /// Further facts as text.
    annotations: Map<String, Value>,
}

/// Returns the record of an agent. `is_public` adds links to public documents.
#[must_use]
pub fn record(shown: &ShownAgent<'_>, is_public: bool) -> OasfRecordView {
    let (agent, card) = (shown.agent, shown.card);
    let locator = |kind: &str, url: String| json!({ "type": kind, "url": url });
    let mut locators = Vec::new();
    if agent.kind == InboxKind::Mailbox {
        locators.push(locator("email", format!("mailto:{}", agent.address)));
    }
    if is_public {
        locators.push(locator("a2a_card", shown.urls.document(&agent.address, "agent-card.json")));
        locators.push(locator("web_page", shown.urls.page(&agent.address)));
    }
    locators.extend(card.documentation_url.as_ref().map(|url| locator("documentation", url.clone())));
    OasfRecordView {
        schema_version: SCHEMA_VERSION,
        name: card.name.clone(),
        version: version(shown),
        description: card.description.clone().unwrap_or_else(|| card.name.clone()),
        authors: vec![agent.provider()],
        created_at: card.created_at.into(),
        skills: card.capabilities.skills.iter().map(skill).collect(),
        domains: Vec::new(),
        locators,
        modules: Vec::new(),
        annotations: annotations(shown),
    }
}

fn annotations(shown: &ShownAgent<'_>) -> Map<String, Value> {
    let (agent, languages) = (shown.agent, &shown.card.capabilities.languages);
    let all = [
        ("address", Some(agent.address.clone())),
        ("assurance", Some(agent.assurance().text().to_owned())),
        ("status", Some(agent.standing(shown.now).text().to_owned())),
        ("accepts", Some(shown.types().join(","))),
        ("handle", agent.handle()),
        ("languages", (!languages.is_empty()).then(|| languages.join(","))),
    ];
    all.into_iter().filter_map(|(name, text)| Some((name.to_owned(), Value::String(text?)))).collect()
}

fn skill(skill: &Skill) -> Value {
    match &skill.oasf {
        Some(OasfClass::Id(id)) => json!({ "id": id }),
        Some(OasfClass::Name(name)) => {
            name.parse::<u64>().map_or_else(|_| json!({ "name": name }), |id| json!({ "id": id }))
        }
        None => json!({ "name": skill.name }),
    }
}
