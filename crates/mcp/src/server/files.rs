//! Files that reach a call without passing through the model. A call whose attachments have no content isn't made: its
//! client gets a link, and posting the files to it makes the call.

use std::sync::Arc;

use bytes::Bytes;
use posthouse_api::wire::{JsonLimits, Problems, parse};
use posthouse_app::{
    Service,
    access::file_links::LinkedCall,
    limits::blocking_pool::{WorkClass, WorkOwner, WorkStop},
};
use posthouse_call::{Answer, Arguments, CallSource, Notes, PathParams, admit, run};
use posthouse_domain::{ErrorCode, FieldProblem, FileDirection, Refusal};
use serde_json::{Map, Value, json};

use super::McpServer;
use super::tools::{content, failed};
use crate::fence;
use crate::invoke::Invoker;
use crate::links::{self, CreatedLink, StoredCall};
use crate::tool::{GivenArguments, Tool, ToolCall, decode, renamed};

/// The argument with the files of a call.
const ATTACHMENTS: &str = "attachments";
/// The member of a file with its bytes.
const CONTENT: &str = "content_base64";
/// A problem that keeps a call from being made while its arguments are checked.
const MARK: &str = "(link)";

/// Creates a link for a call whose files have no content; `None` for any other call. `afterwards` is what the client does when
/// the call was made, if that isn't all.
pub(super) async fn start(
    invoker: &Invoker<'_>,
    tool: &Tool,
    given: &Map<String, Value>,
    afterwards: Option<&str>,
) -> Option<Value> {
    let files = given.get(ATTACHMENTS)?.as_array()?;
    let lacks = |file: &Value| file.is_object() && file[CONTENT].is_null();
    let wanted: Vec<usize> = (0..files.len()).filter(|at| lacks(&files[*at])).collect();
    let call = tool.call_for(given);
    if wanted.is_empty() || !call.arguments.iter().any(|argument| argument.name == ATTACHMENTS) {
        return None;
    }
    Some(match linked(invoker, tool, call, given, wanted).await {
        Ok(mut result) => {
            if let (Some(more), Some(next)) = (afterwards, result["next"].as_str()) {
                result["next"] = format!("{next} {more}").into();
            }
            content(&fence::pretty(&result))
        }
        Err(refusal) => failed(&renamed(call, refusal)),
    })
}

async fn linked(
    invoker: &Invoker<'_>,
    tool: &Tool,
    call: &ToolCall,
    given: &Map<String, Value>,
    wanted: Vec<usize>,
) -> Result<Value, Refusal> {
    let (mut whole, none) = (given.clone(), Map::new());
    for at in &wanted {
        whole[ATTACHMENTS][*at][CONTENT] = json!("");
    }
    let decoded = decode(tool, call, GivenArguments { client: &whole, added: &none });
    check(invoker, call, decoded.arguments.clone(), decoded.problems).await?;
    let Arguments { path, body, idempotency_key, query: _ } = decoded.arguments;
    let stored = StoredCall {
        operation: call.operation.to_owned(),
        path: path.0,
        body: serde_json::from_slice(&body).unwrap_or_default(),
        idempotency_key: Some(idempotency_key.unwrap_or_else(|| format!("file-link-{}", invoker.source.id))),
        files: wanted.clone(),
    };
    let created = links::create(invoker, FileDirection::Upload, vec![stored]).await?;
    let names = wanted.iter().map(|at| &whole[ATTACHMENTS][*at]["filename"]);
    let files = (1..).zip(names).map(|(number, name)| json!({ "field": field(number), "filename": name })).collect();
    Ok(created.first().map(|link| shown(link, files)).unwrap_or_default())
}

fn shown(link: &CreatedLink, files: Vec<Value>) -> Value {
    let options: Vec<String> = (1..=files.len()).map(|number| format!("-F '{}=@PATH'", field(number))).collect();
    json!({
        "status": "waiting_for_files",
        "upload_url": link.url,
        "expires_at": link.expires_at.to_string(),
        "files": files,
        "next": format!(
            "Nothing was sent or stored yet. Post the files as a form: curl {} '{}'. The response is the result of this call.",
            options.join(" "),
            link.url
        ),
    })
}

/// Returns the name of a file in the form.
fn field(number: usize) -> String {
    format!("file{number}")
}

/// Checks the permission and the arguments of a call without making it.
async fn check(
    invoker: &Invoker<'_>,
    call: &ToolCall,
    arguments: Arguments,
    mut problems: Problems,
) -> Result<(), Refusal> {
    let missing = || Refusal::new(ErrorCode::Internal, "The operation of the tool is missing.");
    let operation = invoker.operations.get(call.operation).ok_or_else(missing)?;
    let (caller, source) = (Some(invoker.caller), invoker.source.clone());
    let admission = admit(invoker.service, operation, caller, source, &mut Notes::default())?;
    problems.add::<()>(MARK, "is not made yet");
    let arguments = Arguments { idempotency_key: None, ..arguments };
    let Err(refusal) = run(invoker.service, operation, admission, arguments, problems).await else {
        return Err(Refusal::new(ErrorCode::Internal, "The call was made without its files."));
    };
    if refusal.code != ErrorCode::InvalidRequest {
        return Err(refusal);
    }
    let left: Vec<FieldProblem> = refusal.fields().iter().filter(|problem| problem.path != MARK).cloned().collect();
    if left.is_empty() { Ok(()) } else { Err(Refusal::invalid(&left)) }
}

impl McpServer {
    /// Makes the call of a link that downloads a file.
    pub async fn download(&self, service: &Arc<Service>, linked: &LinkedCall, source: CallSource) -> Answer {
        match StoredCall::read(&linked.call) {
            Ok(call) => self.make(service, linked, source, call, Bytes::new()).await,
            Err(refusal) => refused(refusal),
        }
    }

    /// Makes the call of a link with the files that it waited for. `form` is the form that has them, as JSON.
    pub async fn upload(&self, service: &Arc<Service>, linked: &LinkedCall, source: CallSource, form: Bytes) -> Answer {
        let call = match StoredCall::read(&linked.call) {
            Ok(call) => call,
            Err(refusal) => return refused(refusal),
        };
        let limits =
            JsonLimits { values_max: service.config.limits.json_values, depth_max: service.config.limits.json_depth };
        let owner = WorkOwner { class: WorkClass::Compose, workspace: linked.caller.caller.workspace };
        let (length, files, mut body) = (form.len(), call.files.clone(), call.body.clone());
        let fill = move |_: &WorkStop| {
            let form = parse(&form, limits).unwrap_or_default();
            filled(&mut body, &files, form).map(|()| Bytes::from(body.to_string()))
        };
        match service.blocking_pool.run_for(owner, length, fill).await {
            Ok(Ok(body)) => self.make(service, linked, source, call, body).await,
            Ok(Err(refusal)) | Err(refusal) => refused(refusal),
        }
    }

    async fn make(
        &self,
        service: &Arc<Service>,
        linked: &LinkedCall,
        source: CallSource,
        call: StoredCall,
        body: Bytes,
    ) -> Answer {
        let Some(operation) = self.operations.get(call.operation.as_str()) else {
            return refused(Refusal::not_found("call"));
        };
        let path = PathParams::of(call.path.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let arguments = Arguments { path, query: None, body, idempotency_key: call.idempotency_key };
        posthouse_call::call(service, operation, Some(&linked.caller), source, arguments).await
    }
}

fn refused(refusal: Refusal) -> Answer {
    Answer { result: Err(refusal), notes: Notes::default() }
}

/// Puts the files of a form into a call. A form with one file may call it anything.
///
/// # Errors
/// Returns `invalid_request` with every file that is missing, and every field that isn't one.
fn filled(body: &mut Value, wanted: &[usize], form: Value) -> Result<(), Refusal> {
    let Value::Object(mut form) = form else {
        return Err(Refusal::invalid_field("body", "must be a form with the files").with_fix(FORM));
    };
    if let ([_], 1, Some(name)) = (wanted, form.len(), form.keys().next().cloned())
        && let Some(file) = form.remove(&name)
    {
        form.insert(field(1), file);
    }
    let mut problems = Vec::new();
    for (number, at) in (1..).zip(wanted) {
        let name = field(number);
        match form.remove(&name).as_mut().and_then(|file| file.get_mut(CONTENT)).map(Value::take) {
            Some(Value::String(content)) => body[ATTACHMENTS][*at][CONTENT] = content.into(),
            _ => problems.push(FieldProblem { path: name, problem: "is required and must be a file".to_owned() }),
        }
    }
    let unknown = form.keys().map(|name| FieldProblem {
        path: name.clone(),
        problem: format!("is unknown; the files are `file1` to `file{}`", wanted.len()),
    });
    problems.extend(unknown);
    if problems.is_empty() { Ok(()) } else { Err(Refusal::invalid(&problems).with_fix(FORM)) }
}

/// How to post files.
const FORM: &str = "Post each file as `curl -F 'file1=@PATH' URL` does.";

#[cfg(test)]
mod tests {
    use super::*;

    fn file(content: &str) -> Value {
        json!({ "filename": "x", "content_type": null, "content_base64": content })
    }

    #[test]
    fn files_go_to_the_places_that_wait_for_them() {
        let body =
            json!({ "attachments": [{ "content_base64": "" }, { "content_base64": "b" }, { "content_base64": "" }] });
        let contents = |body: &Value| {
            let files = body["attachments"].as_array().unwrap();
            files.iter().map(|file| file[CONTENT].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let mut two = body.clone();
        filled(&mut two, &[0, 2], json!({ "file2": file("c"), "file1": file("a") })).unwrap();
        assert_eq!(contents(&two), ["a", "b", "c"]);
        let mut one = body.clone();
        filled(&mut one, &[2], json!({ "invoice": file("c") })).unwrap();
        assert_eq!(contents(&one), ["", "b", "c"]);
        for (form, paths) in [
            (json!([]), vec!["body"]),
            (json!({}), vec!["file1", "file2"]),
            (json!({ "file1": file("a") }), vec!["file2"]),
            (json!({ "file1": file("a"), "file2": "text" }), vec!["file2"]),
            (json!({ "file1": file("a"), "file2": file("b"), "file3": file("c") }), vec!["file3"]),
        ] {
            let refusal = filled(&mut body.clone(), &[0, 2], form).unwrap_err();
            let named: Vec<&str> = refusal.fields().iter().map(|problem| problem.path.as_str()).collect();
            assert_eq!(named, paths);
        }
    }
}
