//! Operations: what a client can ask of the service, and the one path from a caller to the result.
//!
//! A transport (HTTP, MCP, a pipe) authenticates its client with [`posthouse_app::access::credentials`] and calls
//! [`call`]. Everything else happens there: permission, scope, limits, idempotency, the operation itself, the notice of
//! the workspace and the error. Nothing here knows HTTP.

mod calling;
pub mod idempotency;
mod input;
mod operation;
mod outcome;
mod permission;
pub mod prelude;

pub use calling::{Admission, Answer, Arguments, CallSource, Notes, admit, call, call_counted, count_caller, run};
pub use input::{CallInfo, CallParts, FromBody, FromCallParts, Input, PathParams, PublicInput, RawBody};
pub use operation::{
    ATTACHMENT_BODY_BYTES_MAX, Access, BODY_BYTES_MAX, BodyRule, Effects, ErrorForm, Method, Operation, RequiredScope,
    ResultDoc, SwitchCheck,
};
pub use outcome::{CacheRule, ChunkStream, Outcome, OutcomeBody, OutcomeStream, render_page, render_view};
pub use permission::authorize;
