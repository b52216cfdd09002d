//! `posthouse directory` on the store of a service that runs: its output, its exit codes, and that the service follows it at
//! once.

use posthouse_tests::{
    command::{CommandResult, run},
    dir::ScratchDir,
    http::Api,
    postgres::Cluster,
    process::ServiceProcess,
};
use serde_json::{Value, json};

/// A service with an agent in the public directory, and the folder of its store.
struct Fixture {
    dir: ScratchDir,
    process: ServiceProcess,
    api: Api,
    anonymous: Api,
    id: String,
    address: String,
}

impl Fixture {
    async fn open() -> Self {
        let on_postgres = std::env::var("POSTHOUSE_TEST_DATABASE").is_ok_and(|engine| engine == "postgres");
        let database = if on_postgres {
            format!("database_url = {:?}\n", Cluster::shared().create_database())
        } else {
            String::new()
        };
        let dir = ScratchDir::new();
        let config = format!(
            "{database}data_dir = \"data\"\nhttp.listen = \"127.0.0.1:0\"\nsmtp.listen = [\"127.0.0.1:0\"]\n\
             submission.listen = [\"127.0.0.1:0\"]\n"
        );
        let process = ServiceProcess::start(dir.path(), &config);
        let key = process.ready["first_run"]["api_key"].as_str().unwrap();
        let anonymous = Api::new(&format!("http://{}", process.address("http")));
        let api = anonymous.with_key(key);
        let card = json!({ "name": "Sales desk", "visibility": "public" });
        let inbox = api.post("/v1/inboxes", json!({ "username": "desk", "card": card })).await.expect(201);
        let (id, address) = (inbox.text("id").to_owned(), inbox.text("address").to_owned());
        let fixture = Self { dir, process, api, anonymous, id, address };
        while fixture.bundle().await["card"]["listing"]["state"] != "listed" {}
        fixture
    }

    fn run(&self, arguments: &[&str]) -> CommandResult {
        run(self.dir.path(), &[&["directory"], arguments].concat())
    }

    /// Returns the status of the public page.
    async fn page(&self) -> u16 {
        self.anonymous.get(&format!("/directory/{}", self.address)).await.status
    }

    async fn bundle(&self) -> Value {
        self.api.get(&format!("/v1/inboxes/{}/agent", self.id)).await.expect(200).json
    }
}

#[tokio::test]
async fn the_operator_suspends_restores_and_lists_agents_while_the_service_runs() {
    let fixture = Fixture::open().await;
    let address = fixture.address.as_str();
    assert_eq!(fixture.run(&["list"]).success(), "No agent is suspended, hidden or reported.\n");
    assert_eq!(fixture.run(&["list", "--json"]).json(0), json!({ "agents": [] }));

    let shouted = address.to_uppercase();
    let done = fixture.run(&["suspend", &shouted, "--reason", "It pretends to be a bank."]).success();
    assert_eq!(done, format!("Suspended {address}. It leaves the directory at once.\n"));
    assert_eq!(fixture.page().await, 404);
    let bundle = fixture.bundle().await;
    let listing = &bundle["card"]["listing"];
    assert_eq!((&bundle["status"], &listing["reason"]), (&json!("suspended"), &json!("operator")));
    fixture.api.post_empty(&format!("/v1/inboxes/{}/agent/restore", fixture.id)).await.error("agent_suspended");
    let events = fixture.api.get("/v1/events?types=agent.revoked").await.expect(200);
    assert_eq!(events.data()[0]["data"]["reason"], "It pretends to be a bank.");
    // Again, with another reason: no second event.
    let again = fixture.run(&["suspend", address, "--json"]).json(0);
    assert_eq!(again, json!({ "address": address, "status": "suspended" }));
    assert_eq!(fixture.api.get("/v1/events?types=agent.revoked").await.expect(200).data().len(), 1);

    let report = json!({ "address": address, "reason": "spam", "details": "Twice\na day" });
    fixture.api.post("/v1/directory/reports", report).await.expect(202);
    let listed = fixture.run(&["list"]).success();
    let workspace = fixture.process.ready["first_run"]["workspace_id"].as_str().unwrap();
    assert!(listed.starts_with(&format!("{address}  workspace {workspace}  suspended  1 open reports\n")), "{listed}");
    assert!(listed.contains(&format!("spam  by workspace {workspace}  Twice a day\n")), "{listed}");
    let listed = fixture.run(&["list", "--json"]).json(0);
    let agent = &listed["agents"][0];
    assert_eq!((&agent["address"], &agent["name"]), (&json!(address), &json!("Sales desk")));
    assert_eq!((&agent["decision"], &agent["reason"]), (&json!("suspended"), &Value::Null));
    assert_eq!((&agent["workspace_id"], agent["since"].is_string()), (&json!(workspace), true));
    let report = &agent["reports"][0];
    assert_eq!((&report["reason"], &report["details"]), (&json!("spam"), &json!("Twice\na day")));
    assert_eq!((&report["counts"], &report["message_id"]), (&json!(false), &Value::Null));

    let restored = fixture.run(&["restore", address, "--json"]).json(0);
    assert_eq!(restored, json!({ "address": address, "status": "active" }));
    assert_eq!(fixture.page().await, 200);
    assert_eq!(fixture.bundle().await["status"], "active");
    assert_eq!(fixture.run(&["list", "--json"]).json(0), json!({ "agents": [] }));
    assert_eq!(fixture.run(&["restore", address]).success(), format!("Restored {address}. Its standing is active.\n"));
}

#[tokio::test]
async fn a_wrong_command_fails_and_changes_nothing() {
    let fixture = Fixture::open().await;
    let address = fixture.address.as_str();
    let long = "x".repeat(501);
    for (arguments, code, text) in [
        (&["suspend", "nobody@agents.localhost"][..], 1, "has or had the address nobody@agents.localhost"),
        (&["suspend", "nobody@agents.localhost", "--json"], 1, "has or had the address nobody@agents.localhost"),
        (&["restore", "nobody@agents.localhost", "--json"], 1, "has or had the address nobody@agents.localhost"),
        (&["suspend", "desk"], 2, "desk is not an address"),
        (&["restore", "@acme/desk"], 2, "@acme/desk is not an address"),
        (&["suspend", address, "--reason", ""], 2, "--reason must not be empty"),
        (&["suspend", address, "--reason", &long], 2, "--reason must have 1 to 500 characters"),
        (&["suspend"], 2, "Usage: posthouse directory suspend"),
        (&["restore", address, "--reason", "x"], 2, "--reason"),
        (&["remove", address], 2, "remove"),
    ] {
        let failed = fixture.run(arguments);
        assert_eq!((failed.code, failed.out.as_str()), (code, ""), "{arguments:?}: {}", failed.err);
        assert!(failed.err.contains(text), "{arguments:?}: {}", failed.err);
    }
    assert_eq!((fixture.page().await, &fixture.bundle().await["status"]), (200, &json!("active")));
}
