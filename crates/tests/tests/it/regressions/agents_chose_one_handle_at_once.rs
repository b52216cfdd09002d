//! On PostgreSQL, agents that chose the same part of a handle at the same time got internal errors, and workspaces claimed
//! handles that look alike.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::routes::directory::{Agent, open};

/// Requests at the same time.
const AT_ONCE: usize = 6;

#[tokio::test]
async fn one_of_several_agents_gets_the_part() {
    let server = open().await;
    let first = Agent::open(&server, "a0").await;
    first.api.put("/v1/directory/handle", json!({ "handle": "acme" })).await.expect(200);
    let mut agents = vec![first];
    for n in 1..AT_ONCE {
        agents.push(Agent::of(agents[0].api.clone(), &format!("a{n}")).await);
    }
    // Without a card, and with one.
    for part in ["first", "second", "third"] {
        let replies = join_all(
            agents.iter().map(|agent| async move { agent.api.patch(&agent.path(), json!({ "handle": part })).await }),
        )
        .await;
        let mut got = 0;
        for (reply, agent) in replies.into_iter().zip(&agents) {
            if reply.status == 200 {
                got += 1;
                assert_eq!(reply["handle"], format!("@acme/{part}"));
            } else {
                reply.error("handle_taken");
                agent.card(json!({ "handle": null })).await;
            }
        }
        assert_eq!(got, 1, "{part}");
    }
    server.finish().await;
}

#[tokio::test]
async fn one_of_several_workspaces_gets_the_handles_that_look_alike() {
    let server = open().await;
    let mut agents = Vec::new();
    for n in 0..4 {
        agents.push(Agent::open(&server, &format!("a{n}")).await);
    }
    for stem in ["acme", "initech", "globex"] {
        let spellings =
            [stem.to_owned(), format!("{}-{}", &stem[..1], &stem[1..]), format!("{stem}-"), stem.to_owned()];
        let spellings = spellings.map(|text| text.trim_end_matches('-').to_owned());
        let replies = join_all(agents.iter().zip(&spellings).map(|(agent, handle)| async move {
            agent.api.put("/v1/directory/handle", json!({ "handle": handle })).await
        }))
        .await;
        let got: Vec<&Value> =
            replies.iter().filter(|reply| reply.status == 200).map(|reply| &reply["handle"]).collect();
        assert_eq!(got.len(), 1, "{stem}: {got:?}");
        for refused in replies.into_iter().filter(|reply| reply.status != 200) {
            refused.error("handle_taken");
        }
    }
    server.finish().await;
}
