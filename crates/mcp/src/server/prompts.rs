//! Prompts: work that a person starts.

use serde_json::{Value, json};

use crate::guidance::{PROMPTS, Prompt, UsableTools, filled, prompts};
use crate::protocol::{Failure, FailureKind, Request};

/// Returns whether a prompt has this name.
pub(super) fn exists(name: &str) -> bool {
    PROMPTS.iter().any(|prompt| prompt.name == name)
}

/// Lists the prompts that a client can use.
pub(super) fn list(tools: &UsableTools<'_>) -> Value {
    let entry = |prompt: &Prompt| {
        let argument = |argument: &crate::guidance::PromptArgument| json!({ "name": argument.name, "description": argument.description, "required": argument.is_required });
        json!({
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": prompt.arguments.iter().map(argument).collect::<Vec<_>>(),
        })
    };
    json!({ "prompts": prompts(tools).map(entry).collect::<Vec<_>>() })
}

/// Returns the text of a prompt.
pub(super) fn get(request: &Request, tools: &UsableTools<'_>) -> Result<Value, Failure> {
    let invalid = |message: String| Failure::new(FailureKind::InvalidParams, message);
    let name = request.text("name")?;
    let prompt = prompts(tools).find(|prompt| prompt.name == name).ok_or_else(|| no_prompt(name, tools))?;
    let given = request.object("arguments")?;
    let missing = |argument: &&crate::guidance::PromptArgument| {
        argument.is_required && !given.get(argument.name).is_some_and(Value::is_string)
    };
    if let Some(argument) = prompt.arguments.iter().find(missing) {
        return Err(invalid(format!("`params.arguments.{}` is required and must be a string.", argument.name)));
    }
    let text = filled(prompt, &given);
    Ok(json!({
        "description": prompt.description,
        "messages": [{ "role": "user", "content": { "type": "text", "text": text } }],
    }))
}

/// Explains why a client can't use a prompt.
fn no_prompt(name: &str, tools: &UsableTools<'_>) -> Failure {
    let invalid = |message: String| Failure::new(FailureKind::InvalidParams, message);
    let known = PROMPTS.iter().find(|prompt| prompt.name == name);
    if let Some(tool) = known.and_then(|prompt| prompt.missing(tools)) {
        let message = format!("The prompt `{name}` needs the tool `{tool}`, which this client can't use.");
        return invalid(message).with_fix("Connect with another profile, or with a key that has more permissions.");
    }
    let names: Vec<&str> = prompts(tools).map(|prompt| prompt.name).collect();
    let message = format!("No prompt is named `{name}`.");
    match names.as_slice() {
        [] => invalid(message).with_fix("Connect with another profile: this client can use no prompt."),
        names => invalid(message).with_fix(format!("Use one of {}.", names.join(", "))),
    }
}
