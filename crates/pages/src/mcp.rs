//! `/mcp`: the Model Context Protocol over Streamable HTTP. See `docs/reference/mcp.md`.
//!
//! One endpoint serves the stateless revision and those with a handshake; it keeps no session for either. The order of the
//! checks is: host, origin, method, size, JSON, key, limits.

mod files;
mod mirrored;
mod status;
mod streamed;

use bytes::Bytes;
use mirrored::MirroredFields;
use posthouse_api::wire::{JsonLimits, JsonProblem, QueryParameters, limit_problem, parse};
use posthouse_app::access::{authenticate::AuthenticatedCaller, credentials, credentials::Audience};
use posthouse_call::{CallSource, FromBody, Notes, count_caller};
use posthouse_http::prelude::*;
use posthouse_mcp::{Client, Failure, FailureKind, McpServer, Message, MessageStream, Profile, Request, Revision};
use serde_json::Value;

/// Largest body in bytes.
const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Most messages in a batch, which only revision 2025-03-26 has.
const BATCH_MAX: usize = 50;
/// Longest name of a profile in characters.
const PROFILE_CHARS_MAX: usize = 64;

pub(crate) fn routes(server: McpServer) -> Vec<Route> {
    let server = Arc::new(server);
    let mut all = files::routes(&server);
    all.insert(
        0,
        Operation::public(Method::Post, "/mcp", "callMcp")
            .summary(
                "Answers a message of the Model Context Protocol (JSON-RPC 2.0), in revision 2026-07-28 and those with a \
                 handshake from 2025-03-26 on. Needs an API key, or the access token of a connector, as a bearer token.",
            )
            .accepts("application/json", BODY_BYTES_MAX)
            .security(&["apiKey"])
            .json_rpc_errors()
            .responds_with(200, Some("application/json"))
            .responds_with(200, Some("text/event-stream"))
            .responds_with(202, None)
            .errors(&[
                ErrorCode::InvalidRequest,
                ErrorCode::Unauthorized,
                ErrorCode::Forbidden,
                ErrorCode::NotFound,
                ErrorCode::RateLimited,
            ])
            .page(move |service, input| answer(Arc::clone(&server), service, input))
            .protocol(RouteProtocol { refusal: status::refusal }),
    );
    all
}

query! {
    /// Options of the endpoint.
    struct ProfileQuery {
        /// The tools to list: `read`, `reply` (default), `admin` or `all`.
        profile: Option<BoundedLine<0, PROFILE_CHARS_MAX>>,
    }
}

/// The query of the endpoint. Other parameters are ignored: a client that sends its key there hears that the key is missing.
struct McpQuery(ProfileQuery);

impl QueryParameters for McpQuery {
    fn parameters() -> Vec<Value> {
        ProfileQuery::parameters()
    }

    fn names() -> Vec<&'static str> {
        ProfileQuery::names()
    }

    fn takes_prefix(_: &str) -> bool {
        true
    }

    fn take(pairs: &[(String, String)], problems: &mut Problems) -> Option<Self> {
        ProfileQuery::take(pairs, problems).map(Self)
    }
}

/// A message or a batch, as bytes.
struct McpBody(Bytes);

impl FromBody for McpBody {
    fn read(bytes: Bytes, _: JsonLimits, _: &mut Problems) -> Option<Self> {
        Some(Self(bytes))
    }
    fn body_schema() -> Value {
        serde_json::json!({ "type": "object", "description": "A message of JSON-RPC 2.0." })
    }
}

/// Who sent the messages of a request, and how they are answered.
struct Conversation<'a> {
    server: &'a McpServer,
    service: &'a Arc<Service>,
    request: &'a RequestInfo,
    caller: &'a AuthenticatedCaller,
    profile: Result<Profile, Failure>,
}

async fn answer(
    server: Arc<McpServer>,
    service: Arc<Service>,
    input: PageInput<McpQuery, McpBody>,
) -> Result<RouteResponse, Refusal> {
    let request = &input.request;
    let message = match read(&service, &input.body.0) {
        Ok(message) => message,
        Err(failure) => return refuse_body(&service, request, &failure).await,
    };
    let caller = authenticate(&service, request).await?;
    let _slot = request.connection.as_ref().map(|slot| slot.authenticated(&service, &caller.workspace)).transpose()?;
    let profile = input.query.0.profile.map_or(Ok(Profile::default()), |name| Profile::parse(&name.0));
    let conversation = Conversation { server: &server, service: &service, request, caller: &caller, profile };
    let response = match message {
        Value::Array(batch) => conversation.answer_batch(batch).await?,
        message => conversation.answer_one(message).await?,
    };
    Ok(response.held_by(caller.workspace.id))
}

/// Responds to a body that holds no message. It counts for a valid key, because reading it costs as much as a message. A
/// missing or wrong key isn't reported: the body is checked first.
async fn refuse_body(service: &Service, request: &RequestInfo, failure: &Failure) -> Result<RouteResponse, Refusal> {
    let mut notes = Notes::default();
    if let Ok(caller) = authenticate(service, request).await {
        count_caller(service, &caller, &mut notes)?;
    }
    Ok(status::unread(failure).with_notes(&notes))
}

fn invalid(problem: &str) -> Failure {
    Failure::new(FailureKind::InvalidRequest, problem)
}

fn read(service: &Service, body: &[u8]) -> Result<Value, Failure> {
    let limits = &service.config.limits;
    let limits = JsonLimits { values_max: limits.json_values, depth_max: limits.json_depth };
    parse(body, limits).map_err(|problem| match problem {
        JsonProblem::Invalid(error) => {
            Failure::new(FailureKind::Parse, format!("The body is not valid JSON ({error})."))
        }
        JsonProblem::Limit(limit, max) => invalid(&format!("The body {}.", limit_problem(limit, max))),
    })
}

async fn authenticate(service: &Service, request: &RequestInfo) -> Result<AuthenticatedCaller, Refusal> {
    let missing = || Refusal::new(ErrorCode::Unauthorized, "The request has no API key and no access token.");
    let bearer = request.bearer.as_ref().ok_or_else(missing)?;
    credentials::bearer(service, bearer, Audience::Mcp, request.client_ip, request.user_agent.as_deref()).await
}

impl Conversation<'_> {
    /// Answers a message that is alone in its request.
    async fn answer_one(&self, message: Value) -> Result<RouteResponse, Refusal> {
        match Message::read(message) {
            Ok(Message::Request(request)) => self.answer_request(&request).await,
            Ok(Message::Notification { .. }) => Ok(status::accepted()),
            Ok(Message::Response(response)) if self.server.receive(&response) => Ok(status::accepted()),
            Ok(Message::Response(_)) => Ok(status::unread(&invalid("This server sends no requests to answer."))),
            Err(failure) => Ok(status::unread(&failure)),
        }
    }

    async fn answer_request(&self, request: &Request) -> Result<RouteResponse, Refusal> {
        let revision = match MirroredFields::of(&self.request.fields).revision(request) {
            Ok(revision) => revision,
            Err(failure) => return Ok(status::failed(&failure, &request.id, Revision::ALL[0])),
        };
        let mut notes = Notes::default();
        count_caller(self.service, self.caller, &mut notes)?;
        let response = match self.stream(request, revision).await {
            Some(Ok(stream)) => streamed::response(stream).await,
            Some(Err(failure)) => status::failed(&failure, &request.id, revision),
            None => self.answer_in_json(request, revision).await,
        };
        Ok(response.with_notes(&notes))
    }

    async fn answer_in_json(&self, request: &Request, revision: Revision) -> RouteResponse {
        match self.result(request, revision).await {
            Ok(result) => RouteResponse::rendered_json(200, request.response(result).to_string()),
            Err(failure) => status::failed(&failure, &request.id, revision),
        }
    }

    /// Answers a batch, which only revision 2025-03-26 has.
    async fn answer_batch(&self, batch: Vec<Value>) -> Result<RouteResponse, Refusal> {
        if let Some(problem) = self.problem_of(&batch) {
            return Ok(status::unread(&invalid(problem)));
        }
        let (mut notes, mut responses) = (Notes::default(), Vec::new());
        for message in batch {
            responses.extend(self.answer_in_batch(message, &mut notes).await?);
        }
        if responses.is_empty() {
            return Ok(status::accepted());
        }
        Ok(RouteResponse::rendered_json(200, Value::Array(responses).to_string()).with_notes(&notes))
    }

    /// Returns why a batch isn't answered.
    fn problem_of(&self, batch: &[Value]) -> Option<&'static str> {
        if !MirroredFields::of(&self.request.fields).allow_batches() {
            return Some("Only revision 2025-03-26 has batches: send one message in each request.");
        }
        let is_sized = (1..=BATCH_MAX).contains(&batch.len());
        (!is_sized).then_some("A batch must have 1 to 50 messages.")
    }

    /// Returns the response to a message of a batch; `None` if it wants none.
    async fn answer_in_batch(&self, message: Value, notes: &mut Notes) -> Result<Option<Value>, Refusal> {
        let revision = Revision::March2025;
        Ok(match Message::read(message) {
            Ok(Message::Request(request)) => {
                count_caller(self.service, self.caller, notes)?;
                let result = self.result(&request, revision).await.map(|result| request.response(result));
                Some(result.unwrap_or_else(|failure| failure.response(&request.id, revision)))
            }
            Ok(Message::Notification { .. } | Message::Response(_)) => None,
            Err(failure) => Some(failure.response(&Value::Null, revision)),
        })
    }

    /// Returns the result of a request.
    async fn result(&self, request: &Request, revision: Revision) -> Result<Value, Failure> {
        self.server.answer(self.service, &self.client()?, request, revision).await
    }

    /// Returns the stream that answers a request; `None` if its method doesn't stream.
    async fn stream(&self, request: &Request, revision: Revision) -> Option<Result<MessageStream, Failure>> {
        let client = match self.client() {
            Ok(client) => client,
            Err(failure) => return Some(Err(failure)),
        };
        let stream = self.server.stream(self.service, &client, request, revision).await?;
        Some(streamed::check_accept(&self.request.fields).and(stream))
    }

    fn client(&self) -> Result<Client<'_>, Failure> {
        let profile = self.profile.clone()?;
        let clock = &self.service.clock;
        let id = clock.ids().next::<uuid::Uuid>().to_string();
        let source = CallSource { id, arrived_at: clock.now(), client_ip: self.request.client_ip };
        Ok(Client { caller: self.caller, source, profile })
    }
}
