//! What the transport knows of a client.

use posthouse_app::access::authenticate::AuthenticatedCaller;
use posthouse_call::CallSource;

use crate::tool::Profile;

/// The client of a request: its caller, and the tools that it wants.
#[derive(Clone, Debug)]
pub struct Client<'a> {
    /// The caller. The transport has counted it.
    pub caller: &'a AuthenticatedCaller,
    /// Where the request comes from.
    pub source: CallSource,
    /// The tools that the client wants.
    pub profile: Profile,
}
