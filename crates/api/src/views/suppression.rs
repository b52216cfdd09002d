//! The suppression object.

use posthouse_domain::suppression::Suppression;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::TimestampView;

view! {
    /// An address that the workspace does not send to.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "Suppression")]
    pub struct SuppressionView<'a> of suppression: &'a Suppression {
        /// Address in lower case, without a display name.
        address: &'a str = &suppression.address,
        /// `bounce`, `complaint` or `manual`.
        reason: &'static str = suppression.reason.text(),
        /// Reply text of the remote server, or type of the complaint.
        detail: Option<&'a str> = suppression.detail.as_deref(),
        /// Message that bounced or drew the complaint; null for manual suppressions.
        message_id: Option<Uuid> = suppression.message.map(Into::into),
        created_at: TimestampView = suppression.created_at.into(),
    }
}
