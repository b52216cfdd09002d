//! The abuse by reads: responses that are never read, and a statement that would run for hours.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Waker},
};

use posthouse_domain::error::{LimitName, Refusal};
use posthouse_server::config::Configuration;
use posthouse_store::{Tx, p, statements};
use posthouse_tests::{
    TestServer,
    fixtures::{TestInbox, TestKey},
};

use super::super::{RawConnection, assert_at_limit, until_used};

statements! {
    /// Counts for hours.
    SLOW = "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
        SELECT CAST(sum(i) AS BIGINT) FROM n";
}

/// Bytes of the text of a message. A response is larger than what the kernel buffers of a connection.
pub(super) const TEXT_BYTES: u64 = 20_000_000;
const RESPONSE_BYTES: u64 = 55_000_000;
const STATEMENT_MS: u64 = 3_000;

/// Sets small budgets of reads.
pub(super) fn configure(config: &mut Configuration) {
    config.limits.response_bytes_per_workspace = RESPONSE_BYTES;
    config.limits.statement_ms = STATEMENT_MS;
    config.limits.reads_per_workspace = Some(1);
}

/// What the abuser doesn't read, and its slow statement.
pub(super) struct ReadAbuse {
    unread: Vec<RawConnection>,
    slow: Pin<Box<dyn Future<Output = Result<Option<i64>, Refusal>>>>,
}

impl ReadAbuse {
    /// Uses up the responses and the reads of the workspace.
    pub(super) async fn begin(server: &TestServer, key: &TestKey, inbox: &TestInbox) -> Self {
        let lines = usize::try_from(TEXT_BYTES / 72).expect("a small number");
        let text = format!("{}\r\n", "x".repeat(70)).repeat(lines);
        server.receive_message(inbox, format!("From: a@remote.example\r\nSubject: Large\r\n\r\n{text}")).await;
        let path = format!("/v1/inboxes/{}/messages", inbox.id);
        let mut unread = Vec::new();
        for _ in 0..2 {
            let mut connection = RawConnection::open(server).await;
            connection.get(&path, Some(key)).await;
            assert_eq!(connection.status().await, Some(200));
            unread.push(connection);
        }
        until_used(server, LimitName::ResponseBytes, |used| used > 2 * TEXT_BYTES - 1_000_000).await;
        let refused = server.api(key).get(&path).await;
        assert_at_limit(refused, "rate_limited", LimitName::ResponseBytesPerWorkspace, RESPONSE_BYTES);
        let (store, workspace) = (server.store().clone(), key.workspace);
        let slow = async move {
            store
                .read_in(workspace.into(), |tx: &mut Tx| -> Result<Option<i64>, Refusal> { Ok(tx.value(&SLOW, p![])?) })
                .await
        };
        let mut abuse = Self { unread, slow: Box::pin(slow) };
        assert!(abuse.is_reading());
        abuse
    }

    /// Returns whether the slow statement still runs.
    pub(super) fn is_reading(&mut self) -> bool {
        self.slow.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending()
    }

    /// Waits for the end of the slow statement, which its limit ends. Returns the connections whose responses are unread.
    pub(super) async fn end(self) -> Vec<RawConnection> {
        let refusal = self.slow.await.expect_err("the statement takes hours");
        assert_eq!((refusal.code.status(), refusal.limit()), (503, Some(LimitName::StatementTime)));
        self.unread
    }
}
