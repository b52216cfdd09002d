//! The actor that records and events name for a caller.

use posthouse_domain::{Actor, Caller, Principal};
use posthouse_store::{Error, Result as StoreResult, Tx, connectors, keys, users};

/// The label of the operator, which has no name.
const OPERATOR_LABEL: &str = "posthouse";

/// Returns the actor of a caller.
///
/// # Errors
/// Returns an error for the service, which performs no recorded action of its own, or if the database call fails.
pub fn of(tx: &mut Tx, caller: &Caller) -> StoreResult<Actor> {
    match caller.principal {
        Principal::Key(key) => {
            let label = keys::name(tx, caller.workspace, key.id)?.unwrap_or_default();
            Ok(Actor::api_key(key.id, label))
        }
        Principal::User(user) => {
            let member = users::member(tx, caller.workspace, user.user)?;
            Ok(Actor::user(user.user, member.map(|member| member.user.email).unwrap_or_default()))
        }
        Principal::Connector(connector) => {
            let found = connectors::get(tx, caller.workspace, connector.id)?;
            Ok(Actor::connector(connector.id, found.map(|found| found.client_name).unwrap_or_default()))
        }
        Principal::Operator => Ok(Actor::operator(OPERATOR_LABEL)),
        Principal::Service { .. } => Err(Error::Inconsistent("the service is not an actor".into())),
    }
}
