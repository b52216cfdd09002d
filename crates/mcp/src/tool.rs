//! What a tool is: a declaration over an operation.
//!
//! A tool names its operation, which arguments it takes and where each belongs in the call, and how the result is shown.
//! The schema of an argument and the hints come from the operation, so they can't disagree with it.

mod argument;
mod decode;
mod profile;
mod schema;

use futures_util::future::BoxFuture;
use posthouse_domain::Refusal;
use serde_json::{Map, Value};

use crate::invoke::{Invoker, OperationTable};
use crate::views::ViewOptions;

pub(crate) use argument::{Argument, Place, own_flag, own_number};
pub(crate) use decode::{GivenArguments, decode, renamed};
pub use profile::Profile;
pub(crate) use schema::compact;

/// Adds arguments before the call, with what other operations return.
pub(crate) type Before =
    for<'a> fn(&'a Invoker<'a>, &'a Map<String, Value>) -> BoxFuture<'a, Result<Map<String, Value>, Refusal>>;

/// Adds to the result of a call with these arguments, with what other operations return.
pub(crate) type After =
    for<'a> fn(&'a Invoker<'a>, Value, &'a Map<String, Value>) -> BoxFuture<'a, Result<Value, Refusal>>;

/// One way to call an operation.
pub(crate) struct ToolCall {
    /// The operation.
    pub(crate) operation: &'static str,
    /// The call is chosen if this argument is given; `None` always.
    pub(crate) when: Option<&'static str>,
    /// The arguments.
    pub(crate) arguments: Vec<Argument>,
}

/// How a tool shows its result.
pub(crate) enum Presentation {
    /// Data of the workspace alone, with the schema of the view.
    Own {
        /// Builds the view.
        view: fn(Value) -> Value,
        /// Returns the schema of the view, given that of the operation's result.
        schema: fn(Value) -> Value,
    },
    /// Text from outside, which is fenced.
    Outside(fn(&Value, &ViewOptions) -> Value),
}

/// A tool.
pub(crate) struct Tool {
    /// The name.
    pub(crate) name: &'static str,
    /// The name for people.
    pub(crate) title: &'static str,
    /// What it does, for models.
    pub(crate) description: &'static str,
    /// The profiles that have it, beside `all`.
    pub(crate) profiles: &'static [Profile],
    /// The calls, of which the first that fits is made.
    pub(crate) calls: Vec<ToolCall>,
    /// Arguments of the tool itself.
    pub(crate) own: Vec<Argument>,
    /// What happens before the call.
    pub(crate) before: Option<Before>,
    /// What happens after the call.
    pub(crate) after: Option<After>,
    /// How the result is shown.
    pub(crate) presentation: Presentation,
    /// Whether it reaches people or shows text from outside the workspace, which no operation tells.
    pub(crate) is_open_world: bool,
}

impl Tool {
    /// Creates a tool that shows text from outside.
    pub(crate) fn outside(
        name: &'static str,
        title: &'static str,
        view: fn(&Value, &ViewOptions) -> Value,
        call: ToolCall,
    ) -> Self {
        Self::with(name, title, Presentation::Outside(view), call).open_world()
    }

    /// Creates a tool that shows data of the workspace alone.
    pub(crate) fn own(
        name: &'static str,
        title: &'static str,
        view: fn(Value) -> Value,
        schema: fn(Value) -> Value,
        call: ToolCall,
    ) -> Self {
        Self::with(name, title, Presentation::Own { view, schema }, call)
    }

    fn with(name: &'static str, title: &'static str, presentation: Presentation, call: ToolCall) -> Self {
        Self {
            name,
            title,
            description: "",
            profiles: &[],
            calls: vec![call],
            own: Vec::new(),
            before: None,
            after: None,
            presentation,
            is_open_world: false,
        }
    }

    /// Describes it for models.
    pub(crate) fn describe(self, description: &'static str) -> Self {
        Self { description, ..self }
    }

    /// Adds it to profiles.
    pub(crate) fn in_profiles(self, profiles: &'static [Profile]) -> Self {
        Self { profiles, ..self }
    }

    /// Adds another call, which is made if none before it fits.
    pub(crate) fn or(mut self, call: ToolCall) -> Self {
        self.calls.push(call);
        self
    }

    /// Adds arguments of the tool itself.
    pub(crate) fn with_own(mut self, own: Vec<Argument>) -> Self {
        self.own.extend(own);
        self
    }

    /// Sets what happens before the call.
    pub(crate) fn before(self, before: Before) -> Self {
        Self { before: Some(before), ..self }
    }

    /// Sets what happens after the call.
    pub(crate) fn after(self, after: After) -> Self {
        Self { after: Some(after), ..self }
    }

    /// Reaches people, or systems, outside the workspace.
    pub(crate) fn open_world(self) -> Self {
        Self { is_open_world: true, ..self }
    }

    /// Returns whether a profile has it.
    pub(crate) fn is_in(&self, profile: Profile) -> bool {
        profile == Profile::All || self.profiles.contains(&profile)
    }

    /// Returns whether every operation that it may call exists.
    pub(crate) fn exists_in(&self, operations: &OperationTable) -> bool {
        self.calls.iter().all(|call| operations.contains_key(call.operation))
    }

    /// Returns the call for these arguments.
    pub(crate) fn call_for(&self, given: &Map<String, Value>) -> &ToolCall {
        let is_given = |name: &&str| given.get(*name).is_some_and(|value| !value.is_null());
        let fits = |call: &&ToolCall| call.when.as_ref().is_none_or(is_given);
        let last = self.calls.last().expect("a tool is created with a call");
        self.calls.iter().find(fits).unwrap_or(last)
    }
}

impl ToolCall {
    /// Creates a call of an operation.
    pub(crate) fn new(operation: &'static str, arguments: Vec<Argument>) -> Self {
        Self { operation, when: None, arguments }
    }

    /// Makes the call only if an argument is given.
    pub(crate) fn when(self, argument: &'static str) -> Self {
        Self { when: Some(argument), ..self }
    }
}
