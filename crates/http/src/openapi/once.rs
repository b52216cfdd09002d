//! Says once what the document says several times: equal parameters and answers of operations, and the members that a schema
//! has from another one.

use std::collections::HashMap;

use posthouse_domain::text::pascal;
use serde_json::{Map, Value, json};

/// The smallest number of members that a schema takes over from another.
const MEMBERS_MIN: usize = 4;

/// The member of a response with its name, which the document doesn't keep.
pub(super) const NAME: &str = "x-name";

/// Moves what several operations say to the components.
pub(super) fn say_once(document: &mut Value) {
    let mut parameters = Shared::new("parameters");
    let mut responses = Shared::new("responses");
    for pass in [Pass::Count, Pass::Replace] {
        for operation in operations(document) {
            for parameter in operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
                let name = pascal(parameter["name"].as_str().unwrap_or_default());
                parameters.visit(pass, parameter, PartName { name, is_always_shared: false });
            }
            for (_, response) in operation.get_mut("responses").and_then(Value::as_object_mut).into_iter().flatten() {
                let given = response.as_object_mut().and_then(|parts| parts.remove(NAME));
                let name = match given.as_ref().and_then(Value::as_str) {
                    Some(name) => PartName { name: name.to_owned(), is_always_shared: true },
                    None => PartName { name: response_name(response), is_always_shared: false },
                };
                responses.visit(pass, response, name);
            }
        }
    }
    parameters.finish(document);
    responses.finish(document);
    if let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) {
        build_on_others(schemas);
    }
}

fn operations(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    let parts = document.as_object_mut().into_iter().flatten();
    parts
        .filter(|(name, _)| matches!(name.as_str(), "paths" | "webhooks"))
        .filter_map(|(_, paths)| paths.as_object_mut())
        .flatten()
        .filter_map(|(_, methods)| methods.as_object_mut())
        .flatten()
        .map(|(_, operation)| operation)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Count,
    Replace,
}

/// Parts of one kind: those that occur twice get a name.
struct Shared {
    kind: &'static str,
    uses: HashMap<String, PartUses>,
    named: Map<String, Value>,
}

/// The name of a part if it is shared.
struct PartName {
    name: String,
    is_always_shared: bool,
}

/// How often a part occurs, and its name.
struct PartUses {
    count: usize,
    /// Whether it is shared although it occurs once: each refusal is.
    is_always_shared: bool,
    name: String,
}

impl Shared {
    fn new(kind: &'static str) -> Self {
        Self { kind, uses: HashMap::new(), named: Map::new() }
    }

    /// Counts a part, or replaces it by a reference if it occurs more than once. Of several names of a part, the first of the
    /// alphabet stays, so that a name doesn't depend on the order of the operations.
    fn visit(&mut self, pass: Pass, part: &mut Value, name: PartName) {
        let PartName { name, is_always_shared } = name;
        let unused = || PartUses { count: 0, is_always_shared: false, name: name.clone() };
        let uses = self.uses.entry(part.to_string()).or_insert_with(unused);
        match pass {
            Pass::Count => {
                uses.count += 1;
                uses.is_always_shared |= is_always_shared;
                uses.name = name.min(std::mem::take(&mut uses.name));
            }
            Pass::Replace if uses.count > 1 || uses.is_always_shared => {
                let name = uses.name.clone();
                let name = self.add(name, part.take());
                *part = json!({ "$ref": format!("#/components/{}/{name}", self.kind) });
            }
            Pass::Replace => {}
        }
    }

    /// Adds a part, and returns its name. Another part with the same name gets a number.
    fn add(&mut self, name: String, part: Value) -> String {
        let numbered = (2..).map(|n| format!("{name}{n}"));
        let is_free = |name: &String| self.named.get(name).is_none_or(|other| *other == part);
        let found = std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name);
        self.named.insert(found.clone(), part);
        found
    }

    fn finish(mut self, document: &mut Value) {
        self.named.sort_keys();
        document["components"][self.kind] = Value::Object(self.named);
    }
}

/// Returns the name of an answer: its status in words, and its type. One that no limit counts is public.
fn response_name(response: &Value) -> String {
    let is_counted = response["headers"].get("RateLimit").is_some();
    let reason = response["description"].as_str().unwrap_or_default();
    let reason = pascal(reason.split('.').next().unwrap_or_default());
    let reason = if is_counted { reason } else { format!("Public{reason}") };
    let Some((kind, media)) = response["content"].as_object().and_then(|content| content.iter().next()) else {
        return reason;
    };
    let schema = media["schema"]["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
    let what = schema.map_or_else(|| pascal(kind.split(';').next().unwrap_or_default()), str::to_owned);
    reason.strip_suffix("OK").unwrap_or(&reason).to_owned() + &what
}

/// Writes a schema that has all members of another one as that one and its own members. These are a part of their own,
/// because some generators take a schema with only one part for that part.
fn build_on_others(schemas: &mut Map<String, Value>) {
    let bases: Vec<(String, String)> =
        schemas.iter().filter_map(|(name, schema)| Some((name.clone(), base(schemas, schema)?))).collect();
    let whole = schemas.clone();
    for (name, base) in bases {
        let (Some(schema), Some(taken)) = (schemas.get_mut(&name), whole.get(&base)) else { continue };
        let is_own = |member: &str| taken["properties"].get(member).is_none();
        let mut own = schema.take();
        let description = own["description"].take();
        let members = own["properties"].as_object().into_iter().flatten();
        let members: Map<String, Value> =
            members.filter(|(member, _)| is_own(member)).map(|(member, of)| (member.clone(), of.clone())).collect();
        let required = own["required"].as_array().into_iter().flatten();
        let required: Vec<&Value> = required.filter(|member| member.as_str().is_some_and(is_own)).collect();
        *schema = json!({
            "type": "object",
            "allOf": [
                { "$ref": format!("#/components/schemas/{base}") },
                { "type": "object", "properties": members, "required": required },
            ],
            "description": description,
        });
    }
}

/// Returns the largest schema whose members are all in this one, which has more.
fn base(schemas: &Map<String, Value>, schema: &Value) -> Option<String> {
    let own = members(schema)?;
    let is_required =
        |of: &Value, name: &str| of["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let fits = |other: &&(&String, &Value, &Map<String, Value>)| {
        let (_, other, theirs) = other;
        (MEMBERS_MIN..own.len()).contains(&theirs.len())
            && theirs.iter().all(|(name, member)| {
                own.get(name) == Some(member) && is_required(other, name) == is_required(schema, name)
            })
    };
    let others = schemas.iter().filter_map(|(name, other)| Some((name, other, members(other)?)));
    let found = others.collect::<Vec<_>>();
    found.iter().filter(fits).max_by_key(|(_, _, theirs)| theirs.len()).map(|(name, ..)| (*name).clone())
}

/// Returns the members of an object that says nothing about other members.
fn members(schema: &Value) -> Option<&Map<String, Value>> {
    let parts = schema.as_object()?;
    let is_plain = |name: &String| matches!(name.as_str(), "type" | "properties" | "required" | "description");
    parts.keys().all(is_plain).then(|| parts.get("properties")?.as_object())?
}
