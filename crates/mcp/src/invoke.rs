//! Calls of operations, with results as JSON.

use std::{collections::HashMap, sync::Arc};

use futures_util::StreamExt as _;
use posthouse_api::wire::Problems;
use posthouse_app::{
    Service,
    access::authenticate::AuthenticatedCaller,
    limits::blocking_pool::{WorkClass, WorkOwner, WorkStop},
};
use posthouse_call::{Arguments, CallSource, Operation, Outcome, OutcomeBody, call_counted};
use posthouse_domain::{ErrorCode, Refusal};
use serde_json::Value;

use crate::protocol::Revision;

/// The operations by name.
pub(crate) type OperationTable = HashMap<&'static str, Operation>;

/// Largest result that is read as a whole, in bytes: more than a page of a list.
const RESULT_BYTES_MAX: usize = 40 * 1024 * 1024;

/// Calls operations for one client.
pub(crate) struct Invoker<'a> {
    /// The service.
    pub(crate) service: &'a Arc<Service>,
    /// The operations.
    pub(crate) operations: &'a OperationTable,
    /// The caller, which was counted already.
    pub(crate) caller: &'a AuthenticatedCaller,
    /// Where the calls come from.
    pub(crate) source: &'a CallSource,
    /// The revision that the client speaks.
    pub(crate) revision: Revision,
}

impl Invoker<'_> {
    /// Calls an operation and returns its result; null if it has none.
    ///
    /// # Errors
    /// Returns the refusal of the call, which names the `problems`, too.
    pub(crate) async fn call(
        &self,
        operation: &str,
        arguments: Arguments,
        problems: Problems,
    ) -> Result<Value, Refusal> {
        let bytes = self.bytes(operation, arguments, problems, RESULT_BYTES_MAX).await?;
        if bytes.is_empty() {
            return Ok(Value::Null);
        }
        let length = bytes.len();
        let owner = WorkOwner { class: WorkClass::Respond, workspace: self.caller.caller.workspace };
        let parse = move |_: &WorkStop| serde_json::from_slice(&bytes).map_err(|_| unreadable());
        self.service.blocking_pool.run_for(owner, length, parse).await?
    }

    /// Calls an operation and returns the bytes of its result, up to a limit.
    ///
    /// # Errors
    /// Returns the refusal of the call, or `message_too_large` for a larger result.
    pub(crate) async fn bytes(
        &self,
        operation: &str,
        arguments: Arguments,
        problems: Problems,
        bytes_max: usize,
    ) -> Result<Vec<u8>, Refusal> {
        let operation = self.operations.get(operation).ok_or_else(unreadable)?;
        let (caller, source) = (Some(self.caller), self.source.clone());
        let answer = call_counted(self.service, operation, caller, source, arguments, problems).await;
        collect(answer.result?, bytes_max).await
    }
}

/// Reads a body to its end.
async fn collect(outcome: Outcome, bytes_max: usize) -> Result<Vec<u8>, Refusal> {
    let too_large = || {
        let message = format!("The result is larger than {bytes_max} bytes.");
        Refusal::new(ErrorCode::MessageTooLarge, message).with_fix("Read it over HTTP, where it can be streamed.")
    };
    match outcome.body {
        OutcomeBody::Bytes(bytes) if bytes.len() > bytes_max => Err(too_large()),
        OutcomeBody::Bytes(bytes) => Ok(bytes.into()),
        OutcomeBody::Stream(mut chunks) => {
            let mut all = Vec::new();
            while let Some(chunk) = chunks.next().await {
                let chunk = chunk?;
                if all.len() + chunk.len() > bytes_max {
                    return Err(too_large());
                }
                all.extend_from_slice(&chunk);
            }
            Ok(all)
        }
    }
}

fn unreadable() -> Refusal {
    Refusal::new(ErrorCode::Internal, "The result of the operation couldn't be read.")
}
