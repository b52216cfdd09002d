//! Prompts: work that a person starts.

use serde_json::{Value, json};

use crate::guidance::{PROMPTS, Prompt, filled, prompts};
use crate::protocol::{Failure, FailureKind, Request};
use crate::tool::Profile;

/// Returns whether a prompt has this name.
pub(super) fn exists(name: &str) -> bool {
    PROMPTS.iter().any(|prompt| prompt.name == name)
}

/// Lists the prompts of a profile.
pub(super) fn list(profile: Profile) -> Value {
    let entry = |prompt: &Prompt| {
        let argument = |argument: &crate::guidance::PromptArgument| json!({ "name": argument.name, "description": argument.description, "required": argument.is_required });
        json!({
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": prompt.arguments.iter().map(argument).collect::<Vec<_>>(),
        })
    };
    json!({ "prompts": prompts(profile).map(entry).collect::<Vec<_>>() })
}

/// Returns the text of a prompt.
pub(super) fn get(request: &Request, profile: Profile) -> Result<Value, Failure> {
    let invalid = |message: String| Failure::new(FailureKind::InvalidParams, message);
    let name = request.text("name")?;
    let prompt =
        prompts(profile).find(|prompt| prompt.name == name).ok_or_else(|| invalid(no_prompt(name, profile)))?;
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

/// Explains why a profile has no such prompt.
fn no_prompt(name: &str, profile: Profile) -> String {
    let of_other = PROMPTS.iter().find(|prompt| prompt.name == name);
    if let Some(prompt) = of_other {
        let wanted = prompt.profiles.first().copied().unwrap_or(Profile::All).text();
        let profile = profile.text();
        return format!("The profile `{profile}` has no prompt `{name}`. Connect with `?profile={wanted}`.");
    }
    let names: Vec<&str> = prompts(profile).map(|prompt| prompt.name).collect();
    match names.as_slice() {
        [] => format!("There is no prompt `{name}`; the profile `{}` has none.", profile.text()),
        names => format!("There is no prompt `{name}`; use one of {}.", names.join(", ")),
    }
}
