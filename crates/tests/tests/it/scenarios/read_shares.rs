//! A slow read of one workspace doesn't delay the requests of another, and ends at the limit of statements.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Waker},
};

use posthouse_domain::{error::Refusal, plan::Plan};
use posthouse_store::{Tx, p, statements};
use posthouse_tests::{ServerOptions, TestServer};

statements! {
    /// Counts for hours.
    SLOW = "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
        SELECT CAST(sum(i) AS BIGINT) FROM n";
}

type SlowRead = Pin<Box<dyn Future<Output = Result<Option<i64>, Refusal>>>>;

#[tokio::test]
async fn a_slow_read_of_one_workspace_does_not_delay_the_list_of_another() {
    let server = TestServer::start(ServerOptions::default().configure(|c| c.limits.statement_ms = 3_000)).await;
    let (slow, other) = (server.workspace(Plan::Team).await, server.workspace(Plan::Team).await);
    let inbox = server.inbox(&other).await;
    server.receive_message(&inbox, "From: a@b.example\r\nSubject: x\r\n\r\n").await;
    let (store, workspace) = (server.store().clone(), slow.workspace);
    let read = async move {
        store
            .read_in(workspace.into(), |tx: &mut Tx| -> Result<Option<i64>, Refusal> { Ok(tx.value(&SLOW, p![])?) })
            .await
    };
    let mut read: SlowRead = Box::pin(read);
    let polled = |read: &mut SlowRead| read.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending();
    assert!(polled(&mut read));
    for _ in 0..5 {
        let list = server.api(&other).get(&format!("/v1/inboxes/{}/messages", inbox.id)).await.expect(200);
        assert_eq!(list.data().len(), 1);
    }
    assert!(polled(&mut read), "the lists waited for the slow read");
    // A request of the workspace itself waits for its share.
    server.api(&slow).get("/v1/inboxes").await.expect(200);
    let refusal = read.await.expect_err("the read takes hours");
    let details = refusal.wire_details();
    assert_eq!(
        (refusal.code.status(), &details["limit"], &details["max"]),
        (503, &"statement_time".into(), &3_000.into())
    );
    server.finish().await;
}
