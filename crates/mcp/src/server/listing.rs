//! The entry of a tool in the list of tools.

use posthouse_call::{Effects, Operation};
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::invoke::OperationTable;
use crate::tool::{Presentation, Tool, compact};

/// Returns the entry of a tool.
pub(crate) fn entry(tool: &Tool, operations: &OperationTable) -> Value {
    let effects = effects(tool, operations);
    let mut entry = json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": input_schema(tool, operations),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": !effects.writes,
            "destructiveHint": effects.destructive,
            "idempotentHint": effects.idempotent,
            "openWorldHint": tool.is_open_world,
        },
    });
    if let Presentation::Own { schema, .. } = tool.presentation {
        entry["outputSchema"] = schema(result_schema(operation(tool, operations)));
    }
    entry
}

/// Returns the effects that a call of a tool may have.
fn effects(tool: &Tool, operations: &OperationTable) -> Effects {
    let calls = tool.calls.iter().filter_map(|call| operations.get(call.operation));
    let none = Effects { writes: false, destructive: false, idempotent: true, waits: false };
    calls.map(|operation| operation.effects).fold(none, Effects::or)
}

/// Returns the operation of the first call, whose result those of the other calls resemble.
fn operation<'a>(tool: &Tool, operations: &'a OperationTable) -> &'a Operation {
    operations.get(tool.calls[0].operation).expect("tools without their operations are left out")
}

fn input_schema(tool: &Tool, operations: &OperationTable) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for call in &tool.calls {
        let Some(operation) = operations.get(call.operation) else { continue };
        for argument in call.arguments.iter().chain(&tool.own).filter(|argument| !argument.is_hidden) {
            let (schema, is_required) = argument.declared(operation);
            let mut schema = compact(&schema, argument.is_nullable);
            if let (Some(text), Some(members)) = (argument.description, schema.as_object_mut()) {
                members.insert("description".to_owned(), json!(text));
            }
            if let (Some(member), Some(names)) =
                (argument.optional_member, schema.pointer_mut("/items/required").and_then(Value::as_array_mut))
            {
                names.retain(|name| name != member);
            }
            if is_required && argument.default.is_none() {
                required.push(argument.name);
            }
            properties.entry(argument.name).or_insert(schema);
        }
    }
    // A tool that may make one of several calls requires what all of them do.
    let times = |name: &str| required.iter().filter(|one| **one == name).count();
    let required: Vec<&String> = properties.keys().filter(|name| times(name) == tool.calls.len()).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// Returns the schema of an operation's result, without descriptions.
fn result_schema(operation: &Operation) -> Value {
    let Some(schema) = operation.answers.iter().find_map(|answer| answer.schema) else { return json!({}) };
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut generator = SchemaGenerator::new(settings);
    let mut schema = schema(&mut generator).to_value();
    strip(&mut schema);
    if let Some(members) = schema.as_object_mut() {
        // A choice between objects doesn't say so, and clients want it.
        members.entry("type").or_insert_with(|| json!("object"));
    }
    schema
}

/// Removes what a reader of results doesn't need.
fn strip(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::Object(members) => {
            // A property may be called `description`; its value is then a schema.
            members.retain(|name, value| !(name == "description" || name == "title") || !value.is_string());
            members.retain(|name, _| !["format", "minimum", "$schema", "default"].contains(&name.as_str()));
            members.iter_mut().for_each(|(_, value)| strip(value));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
