//! A blob store that cannot work: told at the start, and by `posthouse check` with the cause and without secrets.

use serde_json::Value;

use crate::house::House;

#[test]
fn a_blob_directory_that_cannot_be_made_ends_the_start_as_a_wrong_configuration() {
    let house = House::new("no-blobs");
    std::fs::write(house.path("file"), b"").unwrap();
    let url = format!("file://{}", house.path("file/blobs").display());
    let config = house.configure(&format!("delivery.mode = 'capture'\nblob_url = '{url}'\n"));
    let ran = house.run(&["serve", "--config", config.to_str().unwrap()]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains(&format!("config: blob_url = \"{url}\": cannot be used: ")), "{}", ran.err);
    assert!(ran.err.contains("Not a directory"), "{}", ran.err);
    assert!(!ran.out.contains("ph_"), "a key that nobody sees again: {}", ran.out);

    let ran = house.run(&["check", "--config", config.to_str().unwrap()]);
    let line = ran.out.lines().find(|line| line.contains("blob store")).unwrap();
    assert!(line.starts_with("failed ") && line.contains("Not a directory"), "{line}");
}

#[test]
fn a_bucket_out_of_reach_is_named_with_its_cause_by_check_backup_and_readyz() {
    let house = House::new("no-bucket");
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let config = house.configure("delivery.mode = 'capture'\nblob_url = 's3://bucket/deep'\n");
    let config = config.to_str().unwrap();
    let endpoint = format!("http://{closed}");
    let variables =
        [("AWS_ENDPOINT_URL", &*endpoint), ("AWS_ACCESS_KEY_ID", "AKIAME"), ("AWS_SECRET_ACCESS_KEY", "hushhush")];
    let archive = house.path("copy.tar");
    for (arguments, begin) in [
        (&["check", "--json"][..], "blob store: s3://bucket/deep: the blob store is not available: "),
        (&["backup", archive.to_str().unwrap()][..], "posthouse: the blob store is not available: "),
    ] {
        let ran = house.run_with(&variables, &[arguments, &["--config", config]].concat());
        assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
        let told = format!("{}{}", ran.out, ran.err);
        let expected = format!("{begin}s3://bucket/deep: Connection refused");
        assert!(told.contains(&expected), "{told}");
        assert!(!told.contains("AKIAME") && !told.contains("hushhush"), "{told}");
    }

    let service = house.serve_with(&variables, config.as_ref(), &[]);
    let (head, body) = service.get("/readyz", "");
    assert!(head.starts_with("http/1.1 503"), "{head}");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["error"]["details"]["reason"], "blobs");
    assert_eq!(service.stop().code, 0);
}
