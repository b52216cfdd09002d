//! Commands on the store as a whole: `migrate`.

use serde_json::json;

use super::{Common, Failure, print};
use crate::boot;

pub(super) fn migrate(common: &Common) -> Result<(), Failure> {
    let config = common.load()?;
    let url = boot::database_url(&config)?;
    let applied = posthouse_store::migrate::apply(&url, posthouse_store::migrate::MIGRATIONS)?;
    let text = match applied.as_slice() {
        [] => "The schema is up to date.".to_owned(),
        names => format!("Applied {}.", names.join(", ")),
    };
    print(common, &json!({ "applied": applied }), &text);
    Ok(())
}
