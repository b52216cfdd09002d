//! The suppression object (decision 15).

use posthouse_store::suppressions::Suppression;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::Moment;

/// An address that nothing is sent to.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Suppression")]
pub struct SuppressionView<'a> {
    /// Lower-case bare address.
    address: &'a str,
    /// bounce, complaint or manual.
    reason: &'static str,
    /// What the remote server or the complaint said.
    detail: Option<&'a str>,
    /// The message that led to it; null for manual ones.
    message_id: Option<Uuid>,
    created_at: Moment,
}

impl<'a> SuppressionView<'a> {
    /// Shows the suppression.
    #[must_use]
    pub fn of(suppression: &'a Suppression) -> Self {
        Self {
            address: &suppression.address,
            reason: suppression.reason.text(),
            detail: suppression.detail.as_deref(),
            message_id: suppression.message.map(Into::into),
            created_at: suppression.created_at.into(),
        }
    }
}
