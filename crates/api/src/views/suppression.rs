//! The suppression object.

use posthouse_domain::suppression::Suppression;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::TimestampView;

/// An address that the workspace does not send to.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Suppression")]
pub struct SuppressionView<'a> {
    /// Address in lower case, without a display name.
    address: &'a str,
    /// `bounce`, `complaint` or `manual`.
    reason: &'static str,
    /// Reply text of the remote server, or type of the complaint.
    detail: Option<&'a str>,
    /// Message that bounced or drew the complaint; null for manual suppressions.
    message_id: Option<Uuid>,
    created_at: TimestampView,
}

impl<'a> SuppressionView<'a> {
    /// Returns the view of a suppression.
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
