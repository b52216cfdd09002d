//! Common client programs: `swaks` and Python's smtplib, with STARTTLS, with implicit TLS and without TLS on loopback.

use std::process::{Command, Output};

use posthouse_tests::server::ServerOptions;

use super::{InboxFixture, fixture_with};

/// Logs in and submits one message. The last argument is the mode: `clear`, `starttls` or `tls`.
const SMTPLIB: &str = r#"
import smtplib, ssl, sys
from email.message import EmailMessage
host, port, user, password, how = sys.argv[1:]
mail = EmailMessage()
mail["From"], mail["To"], mail["Subject"] = user, "Dana <dana@b.example>", "From smtplib, " + how
mail["Bcc"] = "eve@c.example"
mail.set_content("Grüße aus Python.\n")
mail.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="table.csv")
anybody = ssl._create_unverified_context()
if how == "tls":
    smtp = smtplib.SMTP_SSL(host, int(port), context=anybody)
else:
    smtp = smtplib.SMTP(host, int(port))
if how == "starttls":
    smtp.starttls(context=anybody)
smtp.login(user, password)
assert smtp.send_message(mail) == {}
smtp.quit()
try:
    smtplib.SMTP(host, int(port)).login(user, "wrong") if how == "clear" else None
except smtplib.SMTPAuthenticationError as refused:
    assert refused.smtp_code == 535, refused
"#;

/// Runs a program beside the server. Returns `None` if it is not installed, which fails in CI.
async fn run(program: &'static str, arguments: Vec<String>) -> Option<Output> {
    let result = tokio::task::spawn_blocking(move || Command::new(program).args(arguments).output()).await.unwrap();
    match result {
        Ok(output) => Some(output),
        Err(error) if std::env::var("CI").is_ok_and(|ci| ci == "true") => panic!("{program}: {error}"),
        Err(_) => None,
    }
}

async fn with_both_listeners() -> InboxFixture {
    let options = ServerOptions::default().configure(|config| {
        config.listen.submission_tls = vec![([127, 0, 0, 1], 0).into()];
    });
    fixture_with(options).await
}

fn check(output: &Output) {
    let output_text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{output_text}");
}

#[tokio::test]
async fn smtplib_can_submit() {
    let fixture = with_both_listeners().await;
    let mut sent = 0;
    for how in ["clear", "starttls", "tls"] {
        let tls = fixture.server.config().listen.submission_tls[0];
        let listener = if how == "tls" { tls } else { fixture.server.submission_address() };
        let (user, password) = (fixture.inbox.address.clone(), fixture.key.secret.clone());
        let arguments = vec![
            "-c".to_owned(),
            SMTPLIB.to_owned(),
            listener.ip().to_string(),
            listener.port().to_string(),
            user,
            password,
        ];
        let arguments = arguments.into_iter().chain([how.to_owned()]).collect();
        let Some(output) = run("python3", arguments).await else { continue };
        check(&output);
        sent += 1;
        let path = format!("/v1/inboxes/{}/messages?limit=1", fixture.inbox.id);
        let newest = fixture.api.get(&path).await.expect(200).data()[0].clone();
        assert_eq!(newest["subject"], format!("From smtplib, {how}"));
        let message = fixture.api.get(&format!("/v1/messages/{}", newest["id"].as_str().unwrap())).await.expect(200);
        assert_eq!((&message["text"], &message["bcc"][0]), (&"Grüße aus Python.\n".into(), &"eve@c.example".into()));
        assert_eq!(message["attachments"][0]["filename"], "table.csv");
    }
    fixture.server.settle().await;
    let all = fixture.api.get(&format!("/v1/inboxes/{}/messages", fixture.inbox.id)).await.expect(200);
    assert_eq!(all.data().iter().filter(|message| message["status"] == "sent").count(), sent);
    fixture.server.finish().await;
}

#[tokio::test]
async fn swaks_can_submit() {
    let fixture = with_both_listeners().await;
    let (starttls, tls) = (fixture.server.submission_address(), fixture.server.config().listen.submission_tls[0]);
    let modes: [(&str, &[&str]); 4] = [
        ("PLAIN", &["--server", &starttls.to_string(), "--tls"]),
        ("LOGIN", &["--server", &starttls.to_string(), "--tls"]),
        ("PLAIN", &["--server", &starttls.to_string()]),
        ("LOGIN", &["--server", &tls.to_string(), "--tls-on-connect"]),
    ];
    for (mechanism, options) in modes {
        let mut arguments: Vec<String> = options.iter().map(|text| (*text).to_owned()).collect();
        let login =
            ["--auth", mechanism, "--auth-user", &fixture.inbox.address, "--auth-password", &fixture.key.secret];
        let mail = ["--from", &fixture.inbox.address, "--to", "dana@b.example", "--header", "Subject: From swaks"];
        arguments.extend(login.iter().chain(&mail).map(|text| (*text).to_owned()));
        let Some(output) = run("swaks", arguments).await else { continue };
        check(&output);
        assert!(String::from_utf8_lossy(&output.stdout).contains("250 2.0.0 Queued as "));
    }
    fixture.server.settle().await;
    fixture.server.finish().await;
}
