//! Challenges and their solutions: forged, expired, wrong, used, used twice at once, and used after a restart.

use posthouse_domain::{
    signup::{CHALLENGE_MS, is_solved},
    time::DAY_MS,
};
use serde_json::json;

use super::{DIFFICULTY, SignupFixture, solution, wrong_solution};

#[tokio::test]
async fn a_signup_challenge_states_the_work_and_its_end() {
    let fixture = SignupFixture::open_with(|config| {
        config.app.signup.terms_url = Some("https://mail.example.com/terms".to_owned());
    })
    .await;
    let anybody = fixture.server.anonymous();
    let challenge = anybody.get("/v1/signup/challenge").await.expect(200);
    assert_eq!(
        (&challenge["algorithm"], &challenge["difficulty"], &challenge["expires_at"]),
        (&json!("sha256"), &json!(DIFFICULTY), &json!("2026-09-15T12:10:00.000Z"))
    );
    assert_eq!(challenge["terms_url"], "https://mail.example.com/terms");
    assert!(challenge.text("terms").contains("https://mail.example.com/terms"));
    let parts: Vec<&str> = challenge.text("challenge").split('.').collect();
    assert!(matches!(parts.as_slice(), ["v1", _, _]), "{challenge}");
    let other = anybody.get("/v1/signup/challenge").await.expect(200);
    assert_ne!(other["challenge"], challenge["challenge"]);
    fixture.close().await;
}

#[tokio::test]
async fn signup_without_a_correct_solution_is_refused() {
    let fixture = SignupFixture::open().await;
    let anybody = fixture.server.anonymous();
    let solved = fixture.solved().await;
    let text = solved["challenge"].as_str().unwrap();
    let (signed, code) = text.rsplit_once('.').unwrap();
    let flipped = if code.starts_with('A') { code.replacen('A', "B", 1) } else { format!("A{}", &code[1..]) };
    let forged = [
        "v1.example-challenge".to_owned(),
        "v1.e30.e30".to_owned(),
        signed.to_owned(),
        format!("{signed}.{flipped}"),
        format!("{}.{code}", signed.replacen("v1", "v2", 1)),
        // An easier challenge with the code of another one.
        format!("v1.eyJuIjoiQUFBQSIsImQiOjAsImUiOjk5OTk5OTk5OTk5OTl9.{code}"),
        "..".to_owned(),
    ];
    for challenge in forged {
        let body = json!({ "challenge": challenge, "solution": solved["solution"] });
        anybody.post("/v1/signup", body).await.error("invalid_solution");
    }
    let wrong = json!({ "challenge": text, "solution": wrong_solution(text) });
    anybody.post("/v1/signup", wrong).await.error("invalid_solution");
    let long = "1".repeat(101);
    for bad in [json!(5), json!("-1"), json!("0x1"), json!(""), json!(long), json!("١")] {
        let body = json!({ "challenge": text, "solution": bad });
        anybody.post("/v1/signup", body).await.invalid_fields(&["solution"]);
    }
    let neither = anybody.post("/v1/signup", json!({})).await;
    neither.invalid_fields(&["challenge", "solution"]);
    // None of these used the challenge.
    anybody.post("/v1/signup", solved).await.expect(201);
    fixture.close().await;
}

#[tokio::test]
async fn every_decimal_string_that_solves_is_accepted() {
    let fixture = SignupFixture::open().await;
    let anybody = fixture.server.anonymous();
    for width in [1, 40, 100] {
        let challenge = anybody.get("/v1/signup/challenge").await.expect(200);
        let text = challenge.text("challenge");
        let solutions = (0_u64..).map(|n| format!("{n:0width$}"));
        let solution = solutions.into_iter().find(|one| is_solved(text, one, DIFFICULTY)).unwrap();
        anybody.post("/v1/signup", json!({ "challenge": text, "solution": solution })).await.expect(201);
    }
    fixture.close().await;
}

#[tokio::test]
async fn a_signup_challenge_expires_after_ten_minutes() {
    let fixture = SignupFixture::open().await;
    let (early, late) = (fixture.solved().await, fixture.solved().await);
    fixture.server.clock.advance(CHALLENGE_MS - 1);
    fixture.server.anonymous().post("/v1/signup", early.clone()).await.expect(201);
    fixture.server.clock.advance(1);
    fixture.server.anonymous().post("/v1/signup", late).await.error("challenge_expired");
    fixture.server.anonymous().post("/v1/signup", early).await.error("challenge_expired");
    fixture.close().await;
}

#[tokio::test]
async fn a_used_signup_solution_is_refused_after_a_restart_too() {
    let mut fixture = SignupFixture::open().await;
    let solved = fixture.solved().await;
    fixture.server.anonymous().post("/v1/signup", solved.clone()).await.expect(201);
    let other = format!("{:0>3}", solution(solved["challenge"].as_str().unwrap()));
    for _ in 0..2 {
        fixture.server.anonymous().post("/v1/signup", solved.clone()).await.error("invalid_solution");
        // A second solution of the same challenge doesn't help; few numbers are one.
        let again = json!({ "challenge": solved["challenge"], "solution": other });
        fixture.server.anonymous().post("/v1/signup", again).await.error("invalid_solution");
        fixture.server.crash().await;
        fixture.server.restart().await;
        posthouse_app::jobs::reconcile::run(fixture.server.service()).await.unwrap();
    }
    fixture.close().await;
}

#[tokio::test]
async fn parallel_signups_with_one_solution_create_one_workspace() {
    let fixture = SignupFixture::open().await;
    let solved = fixture.solved().await;
    let anybody = fixture.server.anonymous();
    let tries = (0..6).map(|_| anybody.post("/v1/signup", solved.clone()));
    let statuses: Vec<u16> = futures_util::future::join_all(tries).await.iter().map(|reply| reply.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 400).count(), 5, "{statuses:?}");
    fixture.close().await;
}

#[tokio::test]
async fn used_signup_challenges_and_counts_are_pruned() {
    let fixture = SignupFixture::open().await;
    fixture.sign_up(json!({ "owner_email": "owner@x.example" })).await;
    let rows = || async {
        let app = fixture.server.service();
        posthouse_app::jobs::reconcile::run(app).await.unwrap();
        let count = |tx: &mut posthouse_store::Tx| {
            let challenges: Option<i64> = tx.value(&CHALLENGES, posthouse_store::p![])?;
            let usage: Option<i64> = tx.value(&USAGE, posthouse_store::p![])?;
            Ok::<_, posthouse_store::Error>((challenges.unwrap(), usage.unwrap()))
        };
        fixture.server.store().read(count).await.unwrap()
    };
    assert_eq!(rows().await, (1, 6));
    fixture.server.clock.advance(CHALLENGE_MS);
    assert_eq!(rows().await, (0, 6));
    fixture.server.clock.advance(DAY_MS);
    assert_eq!(rows().await, (0, 0));
    fixture.close().await;
}

posthouse_store::statements! {
    CHALLENGES = "SELECT count(*) FROM used_challenges";
    USAGE = "SELECT count(*) FROM signup_usage";
}

#[tokio::test]
async fn signup_can_be_switched_off() {
    let fixture = SignupFixture::open_with(|config| config.app.signup.enabled = false).await;
    let anybody = fixture.server.anonymous();
    anybody.get("/v1/signup/challenge").await.error("signup_disabled");
    let body = json!({ "challenge": "v1.x.y", "solution": "1" });
    anybody.post("/v1/signup", body).await.error("signup_disabled");
    fixture.close().await;
}
