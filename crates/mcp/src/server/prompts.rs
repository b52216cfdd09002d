//! Prompts: work that a person starts.

use serde_json::{Value, json};

use crate::guidance::{PROMPTS, Prompt, filled};
use crate::protocol::{Failure, FailureKind, Request};

/// Returns whether a prompt has this name.
pub(super) fn exists(name: &str) -> bool {
    PROMPTS.iter().any(|prompt| prompt.name == name)
}

/// Lists the prompts.
pub(super) fn list() -> Value {
    let entry = |prompt: &Prompt| {
        let argument = |argument: &crate::guidance::PromptArgument| json!({ "name": argument.name, "description": argument.description, "required": argument.is_required });
        json!({
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": prompt.arguments.iter().map(argument).collect::<Vec<_>>(),
        })
    };
    json!({ "prompts": PROMPTS.iter().map(entry).collect::<Vec<_>>() })
}

/// Returns the text of a prompt.
pub(super) fn get(request: &Request) -> Result<Value, Failure> {
    let invalid = |message: String| Failure::new(FailureKind::InvalidParams, message);
    let name = request.text("name")?;
    let prompt = PROMPTS.iter().find(|prompt| prompt.name == name).ok_or_else(|| {
        let names: Vec<&str> = PROMPTS.iter().map(|prompt| prompt.name).collect();
        invalid(format!("There is no prompt `{name}`; use one of {}.", names.join(", ")))
    })?;
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
