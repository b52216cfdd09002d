//! `GET /v1/account` said that the public directory was on while the directory was off, and with it every public route.

use posthouse_domain::plan::Plan;

use crate::routes::directory::open_with;

#[tokio::test]
async fn the_account_agrees_with_the_public_routes() {
    for (directory, public) in [(true, true), (true, false), (false, true), (false, false)] {
        let server = open_with(move |config| {
            (config.app.agents.directory, config.app.agents.public_directory) = (directory, public);
        })
        .await;
        let api = server.api(&server.workspace(Plan::Team).await);
        let account = api.get("/v1/account").await.expect(200)["agent_messaging"].clone();
        assert_eq!(
            (&account["directory_enabled"], &account["public_directory_enabled"]),
            (&directory.into(), &(directory && public).into())
        );
        let status = if directory && public { 200 } else { 503 };
        for path in ["/v1/public/agents", "/directory", "/sitemap.xml"] {
            server.anonymous().get(path).await.expect(status);
        }
        server.finish().await;
    }
}
