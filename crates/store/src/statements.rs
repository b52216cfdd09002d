//! Every named statement of this crate, so that one test can prepare each on both engines.
//!
//! A new file with statements is added here; a test of the house looks that none is forgotten.

use crate::Sql;

/// File name and its statements.
pub const FILES: &[(&str, &[&Sql])] = &[
    ("answers", crate::answers::ALL),
    ("approvals", crate::approvals::ALL),
    ("arrivals", crate::arrivals::ALL),
    ("attachments", crate::attachments::ALL),
    ("contents", crate::contents::ALL),
    ("deliveries", crate::deliveries::ALL),
    ("dkim_keys", crate::dkim_keys::ALL),
    ("draft_files", crate::draft_files::ALL),
    ("drafts", crate::drafts::ALL),
    ("drafts/list", crate::drafts::list::ALL),
    ("erase", crate::erase::ALL),
    ("events", crate::events::ALL),
    ("idempotency", crate::idempotency::ALL),
    ("inboxes", crate::inboxes::ALL),
    ("inboxes/list", crate::inboxes::list::ALL),
    ("instance", crate::instance::ALL),
    ("jobs", crate::jobs::ALL),
    ("jobs/due", crate::jobs::due::ALL),
    ("keys", crate::keys::ALL),
    ("mail_domains", crate::mail_domains::ALL),
    ("message_list", crate::message_list::ALL),
    ("messages", crate::messages::ALL),
    ("metrics", crate::metrics::ALL),
    ("migrate", crate::migrate::ALL),
    ("recipients", crate::recipients::ALL),
    ("stream_tokens", crate::stream_tokens::ALL),
    ("recoveries", crate::recoveries::ALL),
    ("suppressions", crate::suppressions::ALL),
    ("sweep", crate::sweep::ALL),
    ("thread_list", crate::thread_list::ALL),
    ("threads", crate::threads::ALL),
    ("usage", crate::usage::ALL),
    ("webhook_deliveries", crate::webhook_deliveries::ALL),
    ("webhooks", crate::webhooks::ALL),
    ("wipe", crate::wipe::ALL),
    ("workspaces", crate::workspaces::ALL),
];
