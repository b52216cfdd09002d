//! `/mcp/files/{token}`: links over which files reach the calls of a model, or leave them (`docs/reference/mcp.md#files`).
//! The token in the path is the credential.

use std::net::IpAddr;

use posthouse_app::access::{credentials, file_links::LinkedCall};
use posthouse_call::{ATTACHMENT_BODY_BYTES_MAX, Answer, CallSource, PathParams};
use posthouse_domain::{FileDirection, WorkspaceId, send::SEND_ERROR_CODES};
use posthouse_http::prelude::*;
use posthouse_mcp::McpServer;

use super::McpBody;

/// The path of a link.
const PATH: &str = "/mcp/files/{token}";

pub(super) fn routes(server: &Arc<McpServer>) -> Vec<Route> {
    let (downloading, uploading) = (Arc::clone(server), Arc::clone(server));
    vec![
        Operation::public(Method::Get, PATH, "downloadLinkedFile")
            .summary("Downloads the attachment of a link that an MCP tool returned. The link works once, within 10 minutes.")
            .responds_with(200, Some("*/*"))
            .errors(&[ErrorCode::Forbidden, ErrorCode::MessageWithheld, ErrorCode::NotFound])
            .page(move |service, input| download(Arc::clone(&downloading), service, input)),
        Operation::public(Method::Post, PATH, "uploadLinkedFiles")
            .summary(
                "Completes the call of an MCP tool with the files that it waits for, and returns its result. The link makes \
                 its call once, within 10 minutes.",
            )
            .accepts("application/json", ATTACHMENT_BODY_BYTES_MAX)
            .accepts_forms()
            .responds_with(201, Some("application/json"))
            .responds_with(202, Some("application/json"))
            .errors(&[ErrorCode::NotFound])
            .errors(SEND_ERROR_CODES)
            .page(move |service, input| upload(Arc::clone(&uploading), service, input))
            .body_of(workspace),
    ]
}

/// Finds the workspace of an upload before its files are read.
async fn workspace(service: Arc<Service>, path: PathParams, client: IpAddr) -> Result<WorkspaceId, Refusal> {
    let linked = credentials::file_link(&service, path.text("token"), FileDirection::Upload, client).await?;
    Ok(linked.caller.workspace.id)
}

async fn download(server: Arc<McpServer>, service: Arc<Service>, input: PageInput) -> Result<RouteResponse, Refusal> {
    if input.request.is_head {
        // A check of the URL must not use it up.
        let (token, client) = (input.path.text("token"), input.request.client_ip);
        credentials::check_file_link(&service, token, FileDirection::Download, client).await?;
        return Ok(RouteResponse::empty());
    }
    let linked = open(&service, &input.request, input.path.text("token"), FileDirection::Download).await?;
    let answer = server.download(&service, &linked, source(&service, &input.request)).await;
    response(&linked, answer)
}

async fn upload(
    server: Arc<McpServer>,
    service: Arc<Service>,
    input: PageInput<EmptyInput, McpBody>,
) -> Result<RouteResponse, Refusal> {
    let linked = open(&service, &input.request, input.path.text("token"), FileDirection::Upload).await?;
    let answer = server.upload(&service, &linked, source(&service, &input.request), input.body.0).await;
    response(&linked, answer)
}

async fn open(
    service: &Service,
    request: &RequestInfo,
    token: &str,
    direction: FileDirection,
) -> Result<LinkedCall, Refusal> {
    let linked = credentials::file_link(service, token, direction, request.client_ip).await?;
    request.connection.as_ref().map(|slot| slot.authenticated(service, &linked.caller.workspace)).transpose()?;
    Ok(linked)
}

fn source(service: &Service, request: &RequestInfo) -> CallSource {
    let clock = &service.clock;
    let id = clock.ids().next::<uuid::Uuid>().to_string();
    CallSource { id, arrived_at: clock.now(), client_ip: request.client_ip }
}

fn response(linked: &LinkedCall, answer: Answer) -> Result<RouteResponse, Refusal> {
    let response = RouteResponse::of(answer.result?, None).with_notes(&answer.notes);
    Ok(response.held_by(linked.caller.workspace.id))
}
