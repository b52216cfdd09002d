//! The budgets of the mail that the service writes: each class at each of its limits, while the others go on.

use posthouse_domain::{
    error::LimitName,
    plan::Plan,
    service_mail::{MailBudget, MailBudgets, MailClass},
    time::DAY_MS,
};
use posthouse_tests::{fixtures::TestKey, http::ApiResponse};
use serde_json::json;

use super::metric;
use crate::routes::signup::SignupFixture;

/// The limit of a class that a test sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    All,
    Party,
    Network,
}

const PARTS: [Part; 3] = [Part::All, Part::Party, Part::Network];
/// Mails that each limit allows.
const MAX: u64 = 2;

fn limit_of(class: MailClass, part: Part) -> LimitName {
    match (class, part) {
        (MailClass::Members, Part::All) => LimitName::MemberMailsPerDay,
        (MailClass::Members, Part::Party) => LimitName::MemberMailsPerParty,
        (MailClass::Members, Part::Network) => LimitName::MemberMailsPerNetwork,
        (MailClass::Invited, Part::All) => LimitName::InvitedMailsPerDay,
        (MailClass::Invited, Part::Party) => LimitName::InvitedMailsPerParty,
        (MailClass::Invited, Part::Network) => LimitName::InvitedMailsPerNetwork,
        (MailClass::Strangers, Part::All) => LimitName::StrangerMailsPerDay,
        (MailClass::Strangers, Part::Party) => LimitName::StrangerMailsPerParty,
        (MailClass::Strangers, Part::Network) => LimitName::StrangerMailsPerNetwork,
    }
}

fn budgets(class: MailClass, part: Part) -> MailBudgets {
    let mut all = MailBudgets {
        members: MailBudget::UNLIMITED,
        invited: MailBudget::UNLIMITED,
        strangers: MailBudget::UNLIMITED,
    };
    let budget = match class {
        MailClass::Members => &mut all.members,
        MailClass::Invited => &mut all.invited,
        MailClass::Strangers => &mut all.strangers,
    };
    match part {
        Part::All => budget.per_day = Some(MAX),
        Part::Party => budget.per_party = Some(MAX),
        Part::Network => budget.per_network = Some(MAX),
    }
    all
}

/// A server with one limit, and a workspace.
struct BudgetFixture {
    signup: SignupFixture,
    key: TestKey,
}

impl BudgetFixture {
    async fn open(class: MailClass, part: Part) -> Self {
        let signup = SignupFixture::open_with(move |config| {
            config.app.limits.service_mails = budgets(class, part);
            config.app.signup.per_address_per_day = None;
            config.http.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
        })
        .await;
        let key = signup.server.workspace(Plan::Team).await;
        Self { signup, key }
    }

    /// Asks for a sign-in mail of the owner; returns the number of mails so far.
    async fn sign_in(&self, client: &str) -> usize {
        let server = &self.signup.server;
        let body = json!({ "email": "owner@example.org" });
        let anybody = server.anonymous().with_header("X-Forwarded-For", client);
        anybody.post("/platform/auth/magic-link", body).await.expect(204);
        let mails = server.service_mails(&server.api(&self.key)).await;
        mails.iter().filter(|mail| mail.raw.contains("Subject: Sign in")).count()
    }

    async fn invite(&self, email: &str, client: &str) -> ApiResponse {
        let owner = self.signup.server.owner_session(&self.key).await.with_header("X-Forwarded-For", client);
        owner.post("/platform/members", json!({ "email": email, "role": "member" })).await
    }

    async fn claim(&self, email: &str, client: &str) -> ApiResponse {
        let agent = self.signup.sign_up(json!({})).await;
        let api = agent.api.with_header("X-Forwarded-For", client);
        api.post("/v1/signup/claim", json!({ "email": email })).await
    }
}

/// Returns the next address of a client and of a person. Those of one part share what it counts.
fn next(part: Part, n: u64) -> (String, String) {
    let client = if part == Part::Network { format!("2001:db8:0:{n:x}::1") } else { format!("192.0.2.{n}") };
    let domain = if part == Part::Party { "one.example".to_owned() } else { format!("company{n}.example") };
    (client, format!("p{n}@desk{n}.{domain}"))
}

#[tokio::test]
async fn each_limit_of_invited_people_and_strangers_refuses_and_names_itself() {
    for class in [MailClass::Invited, MailClass::Strangers] {
        for part in PARTS {
            let fixture = BudgetFixture::open(class, part).await;
            let server = &fixture.signup.server;
            let ask = async |n| {
                let (client, email) = next(part, n);
                match class {
                    MailClass::Invited => fixture.invite(&email, &client).await,
                    _ => fixture.claim(&email, &client).await,
                }
            };
            for n in 0..MAX {
                ask(n).await.expect(202);
            }
            let (code, limit) = match class {
                MailClass::Invited => ("rate_limited", limit_of(class, part)),
                _ => ("signup_rate_limited", limit_of(class, part)),
            };
            super::assert_at_limit(ask(MAX).await, code, limit, MAX);
            assert_eq!(metric(server, "limit_refusals_total", limit).await, 1, "{limit:?}");
            let logged = |line: &str| line.contains("service_mail.budget_used_up") && line.contains(class.text());
            assert!(server.log.lines().iter().any(|line| logged(&line.text)), "{class:?} {part:?}");
            // The other classes go on.
            assert_eq!(fixture.sign_in("192.0.2.1").await, 1, "{class:?} {part:?}");
            match class {
                MailClass::Invited => fixture.claim("x@one.example", "192.0.2.1").await.expect(202),
                _ => fixture.invite("x@one.example", "192.0.2.1").await.expect(202),
            };
            server.clock.advance(DAY_MS);
            ask(MAX + 1).await.expect(202);
            fixture.signup.close().await;
        }
    }
}

#[tokio::test]
async fn each_limit_of_members_drops_the_mail_and_answers_the_same() {
    for part in PARTS {
        let fixture = BudgetFixture::open(MailClass::Members, part).await;
        let server = &fixture.signup.server;
        for n in 0..=MAX {
            let sent = fixture.sign_in("192.0.2.1").await;
            assert_eq!(sent as u64, (n + 1).min(MAX), "{part:?}");
            server.clock.advance(1);
        }
        assert_eq!(metric(server, "limit_refusals_total", limit_of(MailClass::Members, part)).await, 1, "{part:?}");
        fixture.invite("x@one.example", "192.0.2.1").await.expect(202);
        fixture.claim("y@one.example", "192.0.2.1").await.expect(202);
        server.clock.advance(DAY_MS);
        assert_eq!(fixture.sign_in("192.0.2.1").await as u64, MAX + 1, "{part:?}");
        fixture.signup.close().await;
    }
}

#[tokio::test]
async fn another_network_or_party_has_its_own_share() {
    let fixture = BudgetFixture::open(MailClass::Strangers, Part::Network).await;
    for n in 0..MAX {
        fixture.claim(&format!("p@company{n}.example"), "192.0.2.1").await.expect(202);
    }
    fixture.claim("p@company8.example", "192.0.2.1").await.error("signup_rate_limited");
    fixture.claim("p@company8.example", "192.0.2.2").await.expect(202);
    fixture.signup.close().await;
    let fixture = BudgetFixture::open(MailClass::Invited, Part::Party).await;
    for email in ["ann@gmail.com", "a.n.n+x@googlemail.com"] {
        fixture.invite(email, "192.0.2.1").await.expect(202);
    }
    fixture.invite("ann+y@gmail.com", "192.0.2.1").await.error("rate_limited");
    fixture.invite("ben@gmail.com", "192.0.2.1").await.expect(202);
    fixture.signup.close().await;
}

#[tokio::test]
async fn sign_up_mails_draw_on_the_share_of_claim_mails() {
    let fixture = BudgetFixture::open(MailClass::Strangers, Part::Network).await;
    let server = &fixture.signup.server;
    let anybody = server.anonymous().with_header("X-Forwarded-For", "192.0.2.1");
    for n in 0..MAX {
        let body = json!({ "email": format!("p@company{n}.example") });
        anybody.post("/platform/auth/magic-link", body).await.expect(204);
    }
    server.settle().await;
    fixture.claim("p@company8.example", "192.0.2.1").await.error("signup_rate_limited");
    // Escalations and sign-in mails of members count apart.
    assert_eq!(fixture.sign_in("192.0.2.1").await, 1);
    fixture.signup.close().await;
}

/// Anybody gets an IPv6 /48, which has 256 networks with a budget each.
#[tokio::test]
async fn the_networks_of_an_ipv6_site_share_three_budgets() {
    let fixture = BudgetFixture::open(MailClass::Strangers, Part::Network).await;
    let ask = async |n: u64, client: &str| fixture.claim(&format!("p@company{n}.example"), client).await;
    for network in 0..3 {
        for n in 0..MAX {
            ask(network * MAX + n, &format!("2001:db8:0:{network}00::1")).await.expect(202);
        }
    }
    let limit = limit_of(MailClass::Strangers, Part::Network);
    super::assert_at_limit(ask(100, "2001:db8:0:300::1").await, "signup_rate_limited", limit, 3 * MAX);
    ask(101, "2001:db8:1::1").await.expect(202);
    fixture.signup.close().await;
}
