//! What the suite wants to find.

use futures_util::stream::BoxStream;
use posthouse_mcp::{Additions, Failure, FailureKind, Request, Revision};
use serde_json::{Map, Value, json};

use crate::{asking::Questions, content, rounds::Rounds};

/// The additions for the suite.
#[derive(Default)]
pub(crate) struct Fixtures {
    questions: Questions,
    rounds: Rounds,
}

impl Additions for Fixtures {
    fn entries(&self, list: &str) -> Vec<Value> {
        match list {
            "tools" => content::tools(),
            "resources" => content::resources(),
            "resourceTemplates" => content::templates(),
            "prompts" => content::prompts(),
            _ => Vec::new(),
        }
    }

    fn capabilities(&self, revision: Revision) -> Map<String, Value> {
        // The stateless revision has neither.
        if revision.is_stateless() {
            return Map::new();
        }
        [("logging", json!({})), ("resources", json!({ "subscribe": true }))]
            .map(|(name, v)| (name.to_owned(), v))
            .into_iter()
            .collect()
    }

    fn answer(&self, request: &Request, revision: Revision) -> Option<Result<Value, Failure>> {
        let name = text(request, "name");
        match (request.method.as_str(), revision.is_stateless()) {
            ("tools/call", true) if name == "test_missing_capability" => Some(sampled(request)),
            ("tools/call" | "prompts/get", true) => {
                self.rounds.answer(request).or_else(|| content::answer(request).map(Ok))
            }
            ("logging/setLevel" | "resources/subscribe" | "resources/unsubscribe", false) => Some(Ok(json!({}))),
            _ => content::answer(request).map(Ok),
        }
    }

    fn stream(&self, request: &Request, revision: Revision) -> Option<BoxStream<'static, String>> {
        if request.method == "tools/call" { self.questions.stream(request, revision) } else { None }
    }

    fn receive(&self, response: &Map<String, Value>) -> bool {
        self.questions.receive(response)
    }
}

/// Returns a parameter; empty if it is missing.
pub(crate) fn text<'a>(request: &'a Request, name: &str) -> &'a str {
    request.params.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns whether the client declares a capability with the request.
pub(crate) fn declares(request: &Request, capability: &str) -> bool {
    let meta = request.params.get("_meta").unwrap_or(&Value::Null);
    meta["io.modelcontextprotocol/clientCapabilities"][capability].is_object()
}

/// Answers the tool that needs a client which samples.
fn sampled(request: &Request) -> Result<Value, Failure> {
    if declares(request, "sampling") {
        return Ok(content::said("The client can sample."));
    }
    let missing = json!({ "requiredCapabilities": { "sampling": {} } });
    Err(Failure::new(FailureKind::MissingCapability, "This tool needs a client that samples.").with_data(missing))
}
