//! A blob store that doesn't work ends the start, and `posthouse check` shows the cause without secrets.

use serde_json::Value;

use crate::harness::Sandbox;

#[test]
fn an_unusable_blob_directory_is_a_configuration_error() {
    let sandbox = Sandbox::new("no-blobs");
    std::fs::write(sandbox.path("file"), b"").unwrap();
    let url = format!("file://{}", sandbox.path("file/blobs").display());
    let config = sandbox.configure(&format!("delivery.mode = 'capture'\nblob_url = '{url}'\n"));
    let output = sandbox.run(&["serve", "--config", config.to_str().unwrap()]);
    assert_eq!(output.code, 2, "{}", output.stderr);
    assert!(output.stderr.contains(&format!("config: blob_url = \"{url}\": cannot be used: ")), "{}", output.stderr);
    assert!(output.stderr.contains("Not a directory"), "{}", output.stderr);
    assert!(!output.stdout.contains("ph_"), "the key would be lost: {}", output.stdout);

    let output = sandbox.run(&["check", "--config", config.to_str().unwrap()]);
    let line = output.stdout.lines().find(|line| line.contains("blob store")).unwrap();
    assert!(line.starts_with("failed ") && line.contains("Not a directory"), "{line}");
}

#[test]
fn an_unreachable_bucket_is_reported_by_check_backup_and_readyz() {
    let sandbox = Sandbox::new("no-bucket");
    // A bound socket that doesn't listen rejects connections, and no other program can get its port.
    let closed = tokio::net::TcpSocket::new_v4().unwrap();
    closed.bind((std::net::Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let config = sandbox.configure("delivery.mode = 'capture'\nblob_url = 's3://bucket/deep'\n");
    let config = config.to_str().unwrap();
    sandbox.make_store();
    let endpoint = format!("http://{}", closed.local_addr().unwrap());
    let variables =
        [("AWS_ENDPOINT_URL", &*endpoint), ("AWS_ACCESS_KEY_ID", "AKIAME"), ("AWS_SECRET_ACCESS_KEY", "secret-value")];
    let archive = sandbox.path("copy.tar");
    for (arguments, begin) in [
        (&["check", "--json"][..], "blob store: s3://bucket/deep: the blob store is not available: "),
        (&["backup", archive.to_str().unwrap()][..], "posthouse: the blob store is not available: "),
    ] {
        let output = sandbox.run_with(&variables, &[arguments, &["--config", config]].concat());
        assert_eq!(output.code, 1, "{}{}", output.stdout, output.stderr);
        let printed = format!("{}{}", output.stdout, output.stderr);
        let expected = format!("{begin}s3://bucket/deep: Connection refused");
        assert!(printed.contains(&expected), "{printed}");
        assert!(!printed.contains("AKIAME") && !printed.contains("secret-value"), "{printed}");
    }

    let service = sandbox.serve_with(&variables, config.as_ref(), &[]);
    let (head, body) = service.get("/readyz", "");
    assert!(head.starts_with("http/1.1 503"), "{head}");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["error"]["details"]["reason"], "blobs");
    assert_eq!(service.stop().code, 0);
}
