//! The server: from a request to its result.

mod completion;
mod files;
pub(crate) mod listing;
mod prompts;
mod resources;
mod tasks;
mod tools;

use std::{borrow::Cow, sync::Arc};

use posthouse_app::Service;
use posthouse_call::Operation;
use serde_json::{Map, Value, json};

use crate::additions::{Additions, MessageStream};
use crate::catalogue;
use crate::client::Client;
use crate::events::{self, EventCatalogue};
use crate::guidance;
use crate::invoke::{Invoker, OperationTable};
use crate::protocol::{Failure, FailureKind, Request, Revision};
use crate::tool::{Profile, Tool};

/// The name of the server.
const SERVER_NAME: &str = "posthouse";
/// The version of the server.
const SERVER_VERSION: &str = env!("CARGO_PKG_VERSION");
/// For how long clients may keep lists, in milliseconds. They depend on the key, whose permissions rarely change.
const LIST_TTL_MS: u64 = 300_000;

/// Answers the requests of clients.
pub struct McpServer {
    operations: OperationTable,
    tools: Vec<ListedTool>,
    events: EventCatalogue,
    additions: Option<Box<dyn Additions>>,
}

/// A tool with its entry in lists.
struct ListedTool {
    tool: Tool,
    entry: Value,
}

impl McpServer {
    /// Creates a server over these operations.
    #[must_use]
    pub fn new(operations: Vec<Operation>) -> Self {
        let callable = operations.into_iter().filter(Operation::is_callable);
        let operations: OperationTable = callable.map(|operation| (operation.name, operation)).collect();
        let list = |tool: Tool| ListedTool { entry: listing::entry(&tool, &operations), tool };
        let tools = catalogue::tools(&operations).into_iter().map(list).collect();
        Self { operations, tools, events: EventCatalogue::new(), additions: None }
    }

    /// Adds what isn't of the service.
    #[must_use]
    pub fn with_additions(self, additions: Box<dyn Additions>) -> Self {
        Self { additions: Some(additions), ..self }
    }

    /// Answers a request.
    ///
    /// # Errors
    /// Returns an error of JSON-RPC for a request that isn't one of the protocol. A tool that fails is a result.
    pub async fn answer(
        &self,
        service: &Arc<Service>,
        client: &Client<'_>,
        request: &Request,
        revision: Revision,
    ) -> Result<Value, Failure> {
        let Client { caller, source, profile: _ } = client;
        let invoker = Invoker { service, operations: &self.operations, caller, source, revision };
        // A handshake is forgotten, so only the stateless revision tells it with the call.
        let knows_tasks = revision.is_stateless() && tasks::are_known_to(request);
        if let Some(result) = self.additions.as_ref().and_then(|added| added.answer(request, revision)) {
            return result.map(|result| finished(result, revision));
        }
        let result = match (request.method.as_str(), revision.is_stateless()) {
            ("initialize", false) => self.initialize(request, client),
            ("ping", false) => json!({}),
            ("server/discover", true) => kept(self.discover(client), "private"),
            ("tools/list" | "prompts/list" | "resources/templates/list", _) if has_cursor(request) => {
                return Err(Failure::no_more_pages(&request.method));
            }
            ("tools/list", _) => kept(self.list(client, knows_tasks), "private"),
            ("tools/call", _) => self.call(&invoker, client.profile, request, knows_tasks).await?,
            (method, true) if method.starts_with("tasks/") => {
                tasks::answer(|name| self.tool(name, client.profile).ok(), &invoker, request).await?
            }
            ("resources/list", _) => kept(self.extended(resources::list(&invoker, request).await?), "private"),
            ("resources/templates/list", _) => kept(self.extended(resources::templates(&self.operations)), "public"),
            ("resources/read", _) => kept_briefly(resources::read(&invoker, request).await?),
            ("prompts/list", _) => kept(self.extended(prompts::list(&self.usable_tools(client))), "private"),
            ("prompts/get", _) => prompts::get(request, &self.usable_tools(client))?,
            ("completion/complete", _) => completion::complete(&invoker, request).await?,
            (method, _) => match events::answer(&self.events, service, client, request).await {
                Some(result) => result?,
                None => return Err(no_method(method, revision)),
            },
        };
        Ok(finished(result, revision))
    }
}

impl McpServer {
    fn list(&self, client: &Client<'_>, knows_tasks: bool) -> Value {
        let mut entries = self.list_tools(client);
        if knows_tasks {
            entries.iter_mut().for_each(tasks::extend_entry);
        }
        self.extended(json!({ "tools": entries }))
    }

    /// Adds the entries that aren't of the service to the end of a list, once: on its last page.
    fn extended(&self, mut result: Value) -> Value {
        if let Some(added) = &self.additions
            && result["nextCursor"].is_null()
        {
            for (name, list) in result.as_object_mut().into_iter().flatten() {
                list.as_array_mut().into_iter().for_each(|list| list.extend(added.entries(name)));
            }
        }
        result
    }

    /// Answers the handshake. A client that asks for a revision without a handshake, or an unknown one, gets the newest
    /// one with a handshake.
    fn initialize(&self, request: &Request, client: &Client<'_>) -> Value {
        let asked = request.params.get("protocolVersion").and_then(Value::as_str).and_then(Revision::parse);
        let revision = asked.filter(|revision| !revision.is_stateless()).unwrap_or(Revision::NEWEST_WITH_HANDSHAKE);
        json!({
            "protocolVersion": revision.text(),
            "capabilities": self.capabilities(revision),
            "serverInfo": server_info(),
            "instructions": guidance::instructions(&self.usable_tools(client)),
        })
    }

    fn discover(&self, client: &Client<'_>) -> Value {
        json!({
            "supportedVersions": Revision::names(),
            "capabilities": self.capabilities(Revision::ALL[0]),
            "instructions": guidance::instructions(&self.usable_tools(client)),
        })
    }

    fn capabilities(&self, revision: Revision) -> Value {
        let mut capabilities = capabilities();
        if let (Some(added), Some(members)) = (&self.additions, capabilities.as_object_mut()) {
            members.extend(added.capabilities(revision));
        }
        capabilities
    }

    async fn call(
        &self,
        invoker: &Invoker<'_>,
        profile: Profile,
        request: &Request,
        knows_tasks: bool,
    ) -> Result<Value, Failure> {
        let (tool, arguments) = (self.tool(request.text("name")?, profile)?, request.object("arguments")?);
        let (own, afterwards) =
            if knows_tasks { tasks::of_tool(tool, &arguments) } else { (Cow::Borrowed(&arguments), None) };
        if let Some(result) = files::start(invoker, tool, &own, afterwards).await {
            return Ok(result);
        }
        if knows_tasks && let Some(result) = tasks::start(invoker, tool, &arguments).await {
            return Ok(result);
        }
        Ok(tools::call(invoker, tool, &arguments).await)
    }

    /// Answers a request whose method streams; `None` for another request.
    ///
    /// # Errors
    /// Returns an error of JSON-RPC if there is no stream.
    pub async fn stream(
        &self,
        service: &Arc<Service>,
        client: &Client<'_>,
        request: &Request,
        revision: Revision,
    ) -> Option<Result<MessageStream, Failure>> {
        if let Some(stream) = self.additions.as_ref().and_then(|added| added.stream(request, revision)) {
            return Some(Ok(MessageStream::Added(stream)));
        }
        if request.method != events::STREAM_METHOD {
            return None;
        }
        Some(events::open(service, client, request, revision).await.map(Box::new).map(MessageStream::Events))
    }

    /// Takes a client's response to a request of the server. Returns whether there was such a request: the service itself
    /// sends none.
    #[must_use]
    pub fn receive(&self, response: &Map<String, Value>) -> bool {
        self.additions.as_ref().is_some_and(|added| added.receive(response))
    }
}

fn has_cursor(request: &Request) -> bool {
    request.params.get("cursor").is_some_and(|cursor| !cursor.is_null())
}

fn no_method(method: &str, revision: Revision) -> Failure {
    let message = format!("The method `{method}` doesn't exist in revision {}.", revision.text());
    Failure::new(FailureKind::MethodNotFound, message)
}

fn server_info() -> Value {
    json!({ "name": SERVER_NAME, "title": "Posthouse", "version": SERVER_VERSION })
}

fn capabilities() -> Value {
    json!({
        "tools": {}, "resources": {}, "prompts": {}, "completions": {},
        // Clients of the draft look for the extension here.
        "events": {},
        "extensions": { (events::EXTENSION): {}, (tasks::EXTENSION): {} },
    })
}

/// Returns a result as a revision writes it.
fn finished(result: Value, revision: Revision) -> Value {
    if revision.is_stateless() { complete(result) } else { without_cache_hints(result) }
}

/// Adds for how long and for whom clients may keep a result.
fn kept(mut result: Value, scope: &str) -> Value {
    result["ttlMs"] = json!(LIST_TTL_MS);
    result["cacheScope"] = json!(scope);
    result
}

/// Lets clients read a result again at once: labels and read state change.
fn kept_briefly(mut result: Value) -> Value {
    result["ttlMs"] = json!(0);
    result["cacheScope"] = json!("private");
    result
}

/// Adds what every result of a stateless revision has.
fn complete(result: Value) -> Value {
    let mut whole = Map::new();
    // A call that became a task says so itself.
    whole.insert("resultType".to_owned(), json!("complete"));
    if let Value::Object(members) = result {
        whole.extend(members);
    }
    let meta = whole.entry("_meta").or_insert_with(|| json!({}));
    meta["io.modelcontextprotocol/serverInfo"] = server_info();
    Value::Object(whole)
}

/// Removes what older revisions don't know.
fn without_cache_hints(mut result: Value) -> Value {
    if let Some(members) = result.as_object_mut() {
        members.remove("ttlMs");
        members.remove("cacheScope");
    }
    result
}
