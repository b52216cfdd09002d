//! Arguments of tools.

use posthouse_api::wire::{BodyValue, BoundedInt, Problems};
use posthouse_call::{Method, Operation};
use serde_json::Value;

use super::schema;

/// Where an argument belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// This parameter of the path.
    Path(&'static str),
    /// This parameter of the query.
    Query(&'static str),
    /// This member of the body, with dots between nested names.
    Body(&'static str),
    /// The idempotency key.
    IdempotencyKey,
    /// The tool itself.
    Tool,
}

/// Checks the value of an argument of the tool itself.
pub(crate) type ArgumentCheck = fn(&Value, &str, &mut Problems);

/// An argument.
#[derive(Clone)]
pub(crate) struct Argument {
    /// The name.
    pub(crate) name: &'static str,
    /// Where it belongs.
    pub(crate) place: Place,
    /// What it means, if the operation doesn't say it well enough for a model.
    pub(crate) description: Option<&'static str>,
    /// The value without a given one.
    pub(crate) default: Option<Value>,
    /// Whether clients don't know it: the tool sets it.
    pub(crate) is_hidden: bool,
    /// Whether null means something. The catalogue sets it from the operation.
    pub(crate) is_nullable: bool,
    /// A member of its items that the operation requires and the tool can do without.
    pub(crate) optional_member: Option<&'static str>,
    /// The schema and the check of an argument of the tool itself.
    pub(crate) own: Option<OwnArgument>,
}

/// The schema and the check of an argument of the tool itself.
#[derive(Clone)]
pub(crate) struct OwnArgument {
    /// The schema.
    pub(crate) schema: Value,
    /// The check.
    pub(crate) check: ArgumentCheck,
}

impl Argument {
    const fn at(name: &'static str, place: Place) -> Self {
        let (description, default, own) = (None, None, None);
        Self { name, place, description, default, is_hidden: false, is_nullable: false, optional_member: None, own }
    }

    /// Creates an argument for a parameter of the path.
    pub(crate) const fn path(name: &'static str, parameter: &'static str) -> Self {
        Self::at(name, Place::Path(parameter))
    }

    /// Creates an argument for the parameter of the query with the same name.
    pub(crate) const fn query(name: &'static str) -> Self {
        Self::at(name, Place::Query(name))
    }

    /// Creates an argument for a parameter of the query.
    pub(crate) const fn query_as(name: &'static str, parameter: &'static str) -> Self {
        Self::at(name, Place::Query(parameter))
    }

    /// Creates an argument for the member of the body with the same name.
    pub(crate) const fn body(name: &'static str) -> Self {
        Self::at(name, Place::Body(name))
    }

    /// Creates an argument for a member of the body.
    pub(crate) const fn body_as(name: &'static str, member: &'static str) -> Self {
        Self::at(name, Place::Body(member))
    }

    /// Creates the argument for the idempotency key.
    pub(crate) fn idempotency_key() -> Self {
        let schema = serde_json::json!({ "type": "string", "maxLength": posthouse_call::idempotency::KEY_CHARS_MAX });
        let own = OwnArgument { schema, check: check_key };
        let argument = Self::at("idempotency_key", Place::IdempotencyKey);
        Self { own: Some(own), ..argument }.describe("Your own key for this action: a repeated call does it once.")
    }

    /// Describes it.
    pub(crate) const fn describe(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
    }

    /// Sets the value without a given one.
    pub(crate) fn or(self, default: impl Into<Value>) -> Self {
        Self { default: Some(default.into()), ..self }
    }

    /// Sets the value, which clients can't choose.
    pub(crate) fn fixed(self, value: impl Into<Value>) -> Self {
        Self { is_hidden: true, ..self.or(value) }
    }

    /// Hides it from clients.
    pub(crate) const fn hidden(mut self) -> Self {
        self.is_hidden = true;
        self
    }

    /// Does without a member of its items.
    pub(crate) const fn without_required(mut self, member: &'static str) -> Self {
        self.optional_member = Some(member);
        self
    }

    /// Returns whether null means something to the operation: a change accepts it for a member that can be cleared. Elsewhere
    /// null means that the argument is left out.
    pub(crate) fn accepts_null(&self, operation: &Operation) -> bool {
        let Place::Body(member) = self.place else { return false };
        // The tool fills in what a client leaves out of a nested object.
        let can_clear = matches!(operation.method, Method::Patch | Method::Put) && !member.contains('.');
        can_clear && schema::allows_null(&self.declared(operation).0)
    }

    /// Returns the schema that the operation declares for it, and whether it is required.
    pub(crate) fn declared(&self, operation: &Operation) -> (Value, bool) {
        let required = |schema: &Value, name: &str| {
            let names = schema.get("required").and_then(Value::as_array);
            names.is_some_and(|names| names.iter().any(|one| one == name))
        };
        match self.place {
            Place::Path(_) => (serde_json::json!({ "type": "string" }), true),
            Place::Query(name) => {
                let parameters = (operation.parameters)();
                let found = parameters.into_iter().find(|parameter| parameter["name"] == name).unwrap_or_default();
                let mut schema = found["schema"].clone();
                if let (Some(members), Some(text)) = (schema.as_object_mut(), found.get("description")) {
                    members.insert("description".to_owned(), text.clone());
                }
                (schema, found["required"] == true)
            }
            Place::Body(path) => {
                let mut schema = (operation.body_schema)();
                let mut is_required = true;
                for name in path.split('.') {
                    is_required &= required(&schema, name);
                    schema = schema["properties"][name].clone();
                }
                (schema, is_required)
            }
            Place::IdempotencyKey | Place::Tool => {
                (self.own.as_ref().map(|own| own.schema.clone()).unwrap_or_default(), false)
            }
        }
    }
}

/// Creates a flag of the tool itself.
pub(crate) fn own_flag(name: &'static str, description: &'static str) -> Argument {
    let own = OwnArgument { schema: bool::schema(), check: check::<bool> };
    Argument { own: Some(own), ..Argument::at(name, Place::Tool) }.describe(description)
}

/// Creates a number of the tool itself.
pub(crate) fn own_number<const LOW: i64, const HIGH: i64>(name: &'static str, description: &'static str) -> Argument {
    let own =
        OwnArgument { schema: <BoundedInt<LOW, HIGH> as BodyValue>::schema(), check: check::<BoundedInt<LOW, HIGH>> };
    Argument { own: Some(own), ..Argument::at(name, Place::Tool) }.describe(description)
}

fn check<T: BodyValue>(value: &Value, name: &str, problems: &mut Problems) {
    let _ = T::decode(value, name, problems);
}

fn check_key(value: &Value, name: &str, problems: &mut Problems) {
    if value.as_str().and_then(posthouse_call::idempotency::key).is_none() {
        problems.add::<()>(name, "must be a string of 1 to 255 visible ASCII characters");
    }
}
