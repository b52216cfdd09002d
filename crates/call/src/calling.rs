//! The path of a call: [`admit`] decides whether the caller may use the operation now, [`run`] runs it. [`call`] does both;
//! HTTP reads the body of the request in between.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use posthouse_api::wire::{JsonLimits, Problems};
use posthouse_app::Service;
use posthouse_app::access::authenticate::AuthenticatedCaller;
use posthouse_app::inboxes::names;
use posthouse_app::limits::in_flight::InFlightGuard;
use posthouse_app::limits::requests::RateLimitStatus;
use posthouse_domain::{Caller, Refusal, Time, WorkspaceId, workspace::WorkspaceNotice};

use crate::{CallInfo, CallParts, Operation, Outcome, PathParams, authorize, idempotency};

/// Where a call comes from.
#[derive(Clone, Debug)]
pub struct CallSource {
    /// The id of the request.
    pub id: String,
    /// When the call arrived.
    pub arrived_at: Time,
    /// The address of the client.
    pub client_ip: IpAddr,
}

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// Path parameters.
    pub path: PathParams,
    /// The query, percent-encoded.
    pub query: Option<String>,
    pub body: Bytes,
    pub idempotency_key: Option<String>,
}

/// What a call tells its client beside the result.
#[derive(Debug, Default)]
pub struct Notes {
    pub notice: Option<WorkspaceNotice>,
    /// Limits that the call counted for.
    pub limits: Vec<RateLimitStatus>,
}

impl Notes {
    /// Notes a limit that the call counted for.
    ///
    /// # Errors
    /// Returns `rate_limited` if the limit is used up.
    fn counted(&mut self, status: Option<RateLimitStatus>) -> Result<(), Refusal> {
        self.limits.extend(status);
        status.map_or(Ok(()), |status| status.check())
    }
}

/// The answer to a call.
#[derive(Debug)]
pub struct Answer {
    pub result: Result<Outcome, Refusal>,
    /// What the client is told beside it.
    pub notes: Notes,
}

/// A call that may run.
#[derive(Debug)]
pub struct Admission {
    caller: Option<Caller>,
    source: CallSource,
}

impl Admission {
    /// Returns the caller; `None` for public operations.
    #[must_use]
    pub fn caller(&self) -> Option<&Caller> {
        self.caller.as_ref()
    }
}

/// Calls an operation.
pub async fn call(
    service: &Arc<Service>,
    operation: &Operation,
    caller: Option<&AuthenticatedCaller>,
    source: CallSource,
    arguments: Arguments,
) -> Answer {
    let mut notes = Notes::default();
    match caller.map_or(Ok(()), |caller| count_caller(service, caller, &mut notes)) {
        Ok(()) => {
            let answer = call_counted(service, operation, caller, source, arguments, Problems::default()).await;
            notes.limits.extend(answer.notes.limits);
            Answer { result: answer.result, notes }
        }
        Err(refusal) => Answer { result: Err(noted(service, refusal)), notes },
    }
}

/// Calls an operation for a caller that was counted already, as one of several calls for one message of its client.
/// `problems` are those that the transport has found in the arguments.
pub async fn call_counted(
    service: &Arc<Service>,
    operation: &Operation,
    caller: Option<&AuthenticatedCaller>,
    source: CallSource,
    arguments: Arguments,
    problems: Problems,
) -> Answer {
    let mut notes = Notes::default();
    let result = match admit(service, operation, caller, source, &mut notes) {
        Ok(admission) => run(service, operation, admission, arguments, problems).await,
        Err(refusal) => Err(refusal),
    };
    Answer { result: result.map_err(|refusal| noted(service, refusal)), notes }
}

/// Notes a refusal for the health of the storage and for metrics.
fn noted(service: &Service, refusal: Refusal) -> Refusal {
    service.storage_health.record(&refusal);
    service.metrics.refused(&refusal);
    refusal
}

/// Counts a call for the limits of its caller, and notes the notice of its workspace.
///
/// # Errors
/// Returns `rate_limited` if a limit is used up.
pub fn count_caller(service: &Service, caller: &AuthenticatedCaller, notes: &mut Notes) -> Result<(), Refusal> {
    notes.notice.clone_from(&caller.workspace.notice);
    let limit = service.config.plans.of(caller.workspace.plan).requests_per_minute;
    notes.counted(service.request_limits.count(&caller.caller, limit, service.clock.now()))
}

/// Admits a call: the caller may use the operation, its part of the service is on, and the limit of the part isn't used up.
///
/// # Errors
/// Returns the errors of [`authorize`], those of the part, or `rate_limited`.
pub fn admit(
    service: &Service,
    operation: &Operation,
    caller: Option<&AuthenticatedCaller>,
    source: CallSource,
    notes: &mut Notes,
) -> Result<Admission, Refusal> {
    let caller = if operation.access.needs_caller() {
        let caller = caller.ok_or_else(crate::input::no_caller)?;
        authorize(&caller.caller, operation)?;
        Some(caller.caller)
    } else {
        None
    };
    if let Some(switch) = operation.switch {
        switch(service)?;
    }
    if let Some(limit) = operation.limit {
        notes.counted(service.directory_limits.count(
            limit,
            caller.as_ref(),
            source.client_ip,
            service.clock.now(),
        )?)?;
    }
    Ok(Admission { caller, source })
}

/// Runs an admitted call. `problems` are those that the transport has found in the request.
///
/// # Errors
/// Returns the refusal of the operation, `invalid_request` with every problem of the arguments, or `idempotency_in_flight`.
pub async fn run(
    service: &Arc<Service>,
    operation: &Operation,
    admission: Admission,
    arguments: Arguments,
    problems: Problems,
) -> Result<Outcome, Refusal> {
    let Admission { caller, source } = admission;
    let Arguments { path, query, body, idempotency_key } = arguments;
    let idempotency_key = idempotency_key.filter(|_| operation.idempotent);
    let _flight = take_flight(service, operation, caller.as_ref(), idempotency_key.as_deref())?;
    let fingerprint = idempotency_key.as_ref().map(|_| idempotency::fingerprint(&path, query.as_deref(), &body));
    let CallSource { id, arrived_at, client_ip } = source;
    let request = CallInfo { id, operation: operation.name, arrived_at, client_ip, idempotency_key, fingerprint };
    let parts = CallParts { caller, request, path, query, body, json: json_limits(service), problems };
    match operation.run(Arc::clone(service), parts).await {
        Ok(outcome) => Ok(outcome),
        Err(refusal) => Err(with_command_options(service, caller.map(|caller| caller.workspace), refusal).await),
    }
}

/// Returns the limits of a JSON document that a client sends.
fn json_limits(service: &Service) -> JsonLimits {
    let limits = &service.config.limits;
    JsonLimits { values_max: limits.json_values, depth_max: limits.json_depth }
}

/// Reserves the idempotency key of a call, so that a repetition is refused until the call ends.
fn take_flight(
    service: &Service,
    operation: &Operation,
    caller: Option<&Caller>,
    idempotency_key: Option<&str>,
) -> Result<Option<InFlightGuard>, Refusal> {
    let (Some(caller), Some(key)) = (caller, idempotency_key) else { return Ok(None) };
    idempotency::scope(caller).map(|scope| service.in_flight.take(scope, operation.name, key)).transpose()
}

/// Returns a refusal whose fix names a command of the operator: for the operator with the options of this process, which are
/// paths of the server that nobody else needs.
async fn with_command_options(service: &Service, workspace: Option<WorkspaceId>, refusal: Refusal) -> Refusal {
    const COMMAND: &str = "posthouse workspace set ID --resume";
    let fix = refusal.fix.as_deref().unwrap_or(refusal.code.fix());
    let Some(workspace) = workspace.filter(|_| fix.contains(COMMAND)) else { return refusal };
    let fix = fix.replace(COMMAND, &service.config.command_anywhere("workspace set ID --resume"));
    if names::is_operator(service, workspace).await.unwrap_or(false) { refusal.with_fix(fix) } else { refusal }
}
