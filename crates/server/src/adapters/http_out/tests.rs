//! The address guard, the limits and the connections of the HTTP client.

mod harness;

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use posthouse_app::ports::{HttpHeader, HttpLimits, HttpMethod, HttpRequest, NetworkScope, OutboundHttpError};
use rustls::{ServerConfig, crypto::aws_lc_rs::default_provider};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use self::harness::{Answer, Fixture, Reply, Server, get, ok};

/// Addresses that a request to the public internet must not reach.
const PRIVATE: &[&str] = &[
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.192",
    "192.168.1.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "ff02::1",
];
const PUBLIC: &[&str] = &["8.8.8.8", "172.32.0.1", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"];

fn url_of(address: &str) -> String {
    if address.contains(':') { format!("http://[{address}]/") } else { format!("http://{address}/") }
}

fn with_method(method: HttpMethod, request: HttpRequest) -> HttpRequest {
    HttpRequest { method, ..request }
}

#[tokio::test]
async fn private_addresses_are_refused_for_every_method_and_spelling() {
    let fixture = Fixture::new(Vec::new()).await;
    for address in PRIVATE {
        fixture.dns.set("name.example", &[Answer::Addresses(std::slice::from_ref(address))]);
        for method in [HttpMethod::Get, HttpMethod::Head, HttpMethod::Post] {
            for url in [url_of(address), "http://name.example/".to_owned(), "http://name.example.:8080/".to_owned()] {
                let refused = fixture.send(with_method(method, get(&url))).await;
                assert!(matches!(refused, Err(OutboundHttpError::NoPublicAddress(_))), "{address} {url}: {refused:?}");
            }
        }
    }
    assert!(fixture.dialed().is_empty(), "{:?}", fixture.dialed());
}

#[tokio::test]
async fn other_spellings_of_an_address_are_names_without_addresses() {
    let fixture = Fixture::new(Vec::new()).await;
    for url in ["http://2130706433/", "http://0x7f.1/", "http://127.1/", "http://0177.0.0.1/", "http://localhost/"] {
        let refused = fixture.get(url).await;
        assert!(matches!(refused, Err(OutboundHttpError::NoSuchName(_))), "{url}: {refused:?}");
    }
    assert!(fixture.dialed().is_empty(), "{:?}", fixture.dialed());
}

#[tokio::test]
async fn permitted_addresses_are_connected_to() {
    let fixture = Fixture::new(Vec::new()).await;
    let cases = [(NetworkScope::Public, PUBLIC), (NetworkScope::All, PUBLIC), (NetworkScope::All, PRIVATE)];
    for (networks, addresses) in cases {
        for address in addresses {
            for method in [HttpMethod::Get, HttpMethod::Post] {
                let request = HttpRequest { networks, repeatable: false, ..get(&url_of(address)) };
                let response = fixture.send(with_method(method, request)).await;
                assert_eq!(response.map(|response| response.status), Ok(200), "{address} {networks:?}");
                let expected = SocketAddr::new(address.parse().expect("an address"), 80).to_string();
                assert_eq!(fixture.dialed().last(), Some(&expected));
            }
        }
    }
}

#[tokio::test]
async fn only_the_permitted_addresses_of_a_name_are_tried() {
    let fixture = Fixture::with_dial(Server::start(Vec::new()).await, |_| {
        Box::pin(async { Err(std::io::ErrorKind::ConnectionRefused.into()) })
    });
    type Row = (&'static [&'static str], &'static [&'static str]);
    let table: [Row; 4] = [
        (&["127.0.0.1", "8.8.8.8", "10.0.0.1", "fe80::1"], &["8.8.8.8:443"]),
        (&["::1", "2606:4700::1111"], &["[2606:4700::1111]:443"]),
        (&["8.8.8.8", "8.8.4.4", "2606:4700::1111"], &["8.8.8.8:443", "8.8.4.4:443", "[2606:4700::1111]:443"]),
        (&["10.0.0.1", "64:ff9b::7f00:1"], &[]),
    ];
    for (answer, expected) in table {
        let before = fixture.dialed().len();
        fixture.dns.set("name.example", &[Answer::Addresses(answer)]);
        assert!(fixture.get("https://name.example/").await.is_err());
        assert_eq!(fixture.dialed()[before..], *expected, "{answer:?}");
    }
}

#[tokio::test]
async fn a_name_that_turns_private_is_refused() {
    let last = Reply::Last(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_vec());
    let fixture = Fixture::new(vec![last]).await;
    fixture.dns.set("name.example", &[Answer::Addresses(&["8.8.8.8"]), Answer::Addresses(&["127.0.0.1"])]);
    assert_eq!(fixture.get("http://name.example/").await.map(|response| response.status), Ok(200));
    for method in [HttpMethod::Get, HttpMethod::Post] {
        let refused = fixture.send(with_method(method, get("http://name.example/"))).await;
        assert_eq!(refused, Err(OutboundHttpError::NoPublicAddress("name.example".to_owned())));
    }
    assert_eq!(fixture.dialed(), ["8.8.8.8:80"]);
}

#[tokio::test]
async fn a_connection_into_a_private_network_is_not_shared_with_public_requests() {
    let fixture = Fixture::new(Vec::new()).await;
    fixture.dns.set("name.example", &[Answer::Addresses(&["10.0.0.1"])]);
    let inside = HttpRequest { networks: NetworkScope::All, ..get("http://name.example/") };
    for _ in 0..2 {
        assert!(fixture.send(inside.clone()).await.is_ok());
    }
    let refused = fixture.get("http://name.example/").await;
    assert_eq!(refused, Err(OutboundHttpError::NoPublicAddress("name.example".to_owned())));
    assert_eq!((fixture.server.connections(), fixture.server.requests().len()), (1, 2));
}

#[tokio::test]
async fn resolver_failures_are_described() {
    let fixture = Fixture::new(Vec::new()).await;
    let table = [
        (Answer::NoSuchName, "the name name.example does not exist"),
        (Answer::NoData, "the name name.example has no address"),
        (Answer::Failed, "the DNS lookup of name.example failed"),
        (Answer::Addresses(&["10.0.0.1"]), "name.example is not reachable from the internet: it has no public address"),
    ];
    for (answer, expected) in table {
        fixture.dns.set("name.example", &[answer]);
        let error = fixture.get("http://name.example/").await.map_err(|error| error.to_string());
        assert_eq!(error.map(|_| ()), Err(expected.to_owned()));
    }
}

#[tokio::test]
async fn requests_have_exactly_these_bytes() {
    let fixture = Fixture::new(Vec::new()).await;
    let headers = vec![HttpHeader::new("Content-Type", "text/plain"), HttpHeader::new("X-Two", "2")];
    let request = HttpRequest { headers, ..get("http://8.8.8.8:8080/a%20b?c=d") };
    let post = HttpRequest { method: HttpMethod::Post, body: "body".into(), ..request.clone() };
    let head = HttpRequest { method: HttpMethod::Head, ..get("http://[2606:4700::1111]") };
    for request in [request, post, head] {
        assert!(fixture.send(request).await.is_ok());
    }
    assert_eq!(
        fixture.server.requests(),
        [
            "GET /a%20b?c=d HTTP/1.1\r\nhost: 8.8.8.8:8080\r\ncontent-type: text/plain\r\nx-two: 2\r\n\r\n",
            "POST /a%20b?c=d HTTP/1.1\r\nhost: 8.8.8.8:8080\r\ncontent-type: text/plain\r\nx-two: 2\r\n\
             content-length: 4\r\n\r\nbody",
            "HEAD / HTTP/1.1\r\nhost: [2606:4700::1111]\r\n\r\n",
        ]
    );
}

#[tokio::test]
async fn invalid_requests_are_not_sent() {
    let fixture = Fixture::new(Vec::new()).await;
    for url in ["", "/path", "8.8.8.8", "ftp://8.8.8.8/", "file:///etc/passwd", "http://user:pass@8.8.8.8/"] {
        let refused = fixture.get(url).await;
        assert!(matches!(refused, Err(OutboundHttpError::InvalidRequest(_))), "{url}: {refused:?}");
    }
    let headers = vec![HttpHeader::new("X-One", "1\r\nX-Two: 2")];
    let refused = fixture.send(HttpRequest { headers, ..get("http://8.8.8.8/") }).await;
    assert!(matches!(refused, Err(OutboundHttpError::InvalidRequest(_))), "{refused:?}");
    assert!(fixture.dialed().is_empty());
}

#[tokio::test]
async fn redirects_are_returned_and_not_followed() {
    let statuses = [301, 302, 303, 307, 308];
    let redirect = |status: &u16| {
        let head = format!("HTTP/1.1 {status} x\r\nLocation: http://8.8.4.4/\r\nContent-Length: 0\r\n\r\n");
        Reply::Bytes(head.into_bytes())
    };
    let fixture = Fixture::new(statuses.iter().map(redirect).collect()).await;
    for status in statuses {
        let response = fixture.get("http://8.8.8.8/").await.expect("a response");
        assert_eq!((response.status, response.header("location")), (status, Some("http://8.8.4.4/")));
    }
    assert_eq!(fixture.dialed(), ["8.8.8.8:80"]);
}

#[tokio::test]
async fn bodies_are_cut_at_the_limit() {
    let chunked = Reply::Bytes(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\nx-end: 1\r\n\r\n".to_vec(),
    );
    let table = [
        (ok(""), "", false),
        (ok("abc"), "abc", false),
        (ok("abcd"), "abcd", false),
        (ok("abcde"), "abcd", true),
        (ok(&"abcd".repeat(10_000)), "abcd", true),
        (chunked, "abcd", true),
    ];
    let limits = HttpLimits { timeout_ms: 1_000, response_bytes_max: 4 };
    let fixture = Fixture::new(table.iter().map(|(reply, _, _)| reply.clone()).collect()).await;
    for (_, body, truncated) in &table {
        let response = fixture.send(HttpRequest { limits, ..get("http://8.8.8.8/") }).await.expect("a response");
        assert_eq!((response.body.as_slice(), response.truncated), (body.as_bytes(), *truncated));
    }
    assert_eq!(fixture.server.connections(), 1, "a body that is a little too long is read to its end");
}

#[tokio::test]
async fn a_body_that_its_server_cuts_off_is_an_answer() {
    let mut variants = 0;
    for status in [200, 201, 204, 404, 500] {
        for (rest, body) in [
            ("Content-Length: 10\r\n\r\n", ""),
            ("Content-Length: 10\r\n\r\nhello", "hello"),
            ("Transfer-Encoding: chunked\r\n\r\n", ""),
            ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "hello"),
            ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n9\r\n wor", "hello wor"),
        ] {
            let reply = Reply::Last(format!("HTTP/1.1 {status} X\r\n{rest}").into_bytes());
            let response = Fixture::new(vec![reply]).await.get("http://8.8.8.8/").await.expect("a response");
            assert_eq!(response.status, status, "{rest:?}");
            // A 204 has no body (RFC 9110 section 15.3.5).
            let is_cut = status != 204;
            assert_eq!(response.body, if is_cut { body.as_bytes() } else { b"" }, "{status} {rest:?}");
            assert_eq!(response.truncated, is_cut, "{status} {rest:?}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[tokio::test]
async fn a_body_without_end_is_abandoned() {
    for head in ["Content-Length: 1000000000000", "Connection: close"] {
        let reply = Reply::Endless(format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n").into_bytes());
        let fixture = Fixture::new(vec![reply]).await;
        let response = fixture.get("http://8.8.8.8/").await.expect("a response");
        assert_eq!((response.body.len(), response.truncated), (1_000, true), "{head}");
        fixture.server.wait_for_abandoned(1).await;
    }
}

#[tokio::test]
async fn the_time_limit_covers_every_step() {
    let stalls = [
        "",
        "HTTP/1.1 2",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nslow",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
    ];
    for stall in stalls {
        let fixture = Fixture::new(vec![Reply::Stall(stall.into())]).await;
        let ended = async {
            while fixture.server.requests().is_empty() {
                tokio::task::yield_now().await;
            }
            fixture.clock.end_deadlines();
        };
        let (response, ()) = tokio::join!(fixture.get("http://8.8.8.8/"), ended);
        assert_eq!(response, Err(OutboundHttpError::TimedOut { timeout_ms: 1_000 }), "{stall:?}");
        fixture.server.wait_for_abandoned(1).await;
    }
    let fixture = Fixture::with_dial(Server::start(Vec::new()).await, |_| Box::pin(std::future::pending()));
    fixture.dns.set("silent.example", &[Answer::Silence]);
    fixture.clock.end_deadlines();
    for url in ["http://silent.example/", "http://8.8.8.8/"] {
        assert_eq!(fixture.get(url).await, Err(OutboundHttpError::TimedOut { timeout_ms: 1_000 }), "{url}");
    }
}

#[tokio::test]
async fn response_heads_have_limits() {
    let head = |fields: String| Reply::Last(format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: 0\r\n\r\n").into());
    let fields = |count: usize| (0..count).map(|n| format!("x-{n}: v\r\n")).collect::<String>();
    let large = |bytes: usize| format!("x: {}\r\n", "v".repeat(bytes));
    let table = [
        (head(fields(99)), true),
        (head(fields(100)), false),
        (head(large(60_000)), true),
        (head(large(200_000)), false),
        (Reply::Endless(b"HTTP/1.1 200 OK\r\nx: ".to_vec()), false),
        (Reply::Last(b"nonsense\r\n\r\n".to_vec()), false),
        (Reply::Last(Vec::new()), false),
    ];
    for (at, (reply, is_fine)) in table.into_iter().enumerate() {
        let fixture = Fixture::new(vec![reply]).await;
        let response = fixture.get("http://8.8.8.8/").await;
        match response {
            Ok(_) => assert!(is_fine, "row {at}"),
            Err(OutboundHttpError::Exchange(_)) => assert!(!is_fine, "row {at}"),
            Err(other) => panic!("row {at}: {other}"),
        }
        assert_eq!(fixture.server.requests().len(), 1, "row {at}");
    }
}

#[tokio::test]
async fn a_repeatable_request_survives_the_end_of_an_idle_connection() {
    // The server announces a connection that it keeps, and closes it.
    let closed = Reply::Last(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec());
    let hang_up = Reply::Last(Vec::new());
    let fixture = Fixture::new(vec![closed, ok(""), hang_up, ok("new")]).await;
    for _ in 0..2 {
        assert!(fixture.get("http://8.8.8.8/").await.is_ok());
    }
    let response = fixture.get("http://8.8.8.8/").await.expect("the request is sent again");
    assert_eq!(response.body, b"new");
    assert_eq!((fixture.server.connections(), fixture.server.requests().len()), (3, 4));
}

#[tokio::test]
async fn idle_connections_are_reused_for_four_seconds() {
    let fixture = Fixture::new(Vec::new()).await;
    for (pause_ms, connections) in [(0, 1), (3_999, 1), (3_999, 1), (4_001, 2), (0, 2)] {
        fixture.clock.advance(pause_ms);
        assert!(fixture.get("http://8.8.8.8/").await.is_ok());
        assert_eq!(fixture.server.connections(), connections, "after {pause_ms} ms");
    }
}

#[tokio::test]
async fn a_request_that_must_not_be_repeated_has_its_own_connection() {
    let fixture = Fixture::new(vec![ok(""), ok(""), Reply::Last(Vec::new())]).await;
    let once = HttpRequest { repeatable: false, ..get("http://8.8.8.8/") };
    for _ in 0..2 {
        assert!(fixture.send(once.clone()).await.is_ok());
    }
    let failed = fixture.send(once).await;
    assert!(matches!(failed, Err(OutboundHttpError::Exchange(_))), "{failed:?}");
    assert_eq!((fixture.server.connections(), fixture.server.requests().len()), (3, 3));
}

#[tokio::test]
async fn unreachable_hosts_are_described() {
    let fixture = Fixture::with_dial(Server::start(Vec::new()).await, |_| {
        Box::pin(async { Err(std::io::ErrorKind::ConnectionRefused.into()) })
    });
    let error = fixture.get("http://8.8.8.8/").await.map_err(|error| error.to_string());
    assert_eq!(error.map(|_| ()), Err("cannot connect to 8.8.8.8: connection refused".to_owned()));
}

/// A self-signed certificate for `name.example`, in a file that is removed at the end.
struct RootsFile(PathBuf);

impl Drop for RootsFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn certificate() -> (RootsFile, TlsAcceptor) {
    let made = rcgen::generate_simple_self_signed(vec!["name.example".to_owned()]).expect("a certificate");
    let file = std::env::temp_dir().join(format!("posthouse-http-out-{}.pem", std::process::id()));
    std::fs::write(&file, made.cert.pem()).expect("written");
    let key = made.signing_key.serialize_der().try_into().expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("TLS versions")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .expect("a certificate with its key");
    (RootsFile(file), TlsAcceptor::from(Arc::new(config)))
}

#[tokio::test]
async fn certificates_must_be_valid_for_the_host() {
    let (roots, tls) = certificate();
    let server = Server::with_tls(Vec::new(), Some(tls)).await;
    let to = server.address;
    let fixture = Fixture::with_dial(server, move |_| Box::pin(TcpStream::connect(to)));
    for name in ["name.example", "other.example"] {
        fixture.dns.set(name, &[Answer::Addresses(&["8.8.8.8"])]);
    }
    let absent = PathBuf::from("/nonexistent/roots.pem");
    let table = [
        ("https://name.example/", Some(roots.0.clone()), true),
        ("https://name.example.:8443/", Some(roots.0.clone()), true),
        ("https://other.example/", Some(roots.0.clone()), false),
        ("https://8.8.8.8/", Some(roots.0.clone()), false),
        ("https://name.example/", None, false),
        ("https://name.example/", Some(absent), false),
    ];
    for (url, roots, is_fine) in table {
        let response = fixture.send(HttpRequest { roots: roots.clone(), ..get(url) }).await;
        match response {
            Ok(response) => assert!(is_fine && response.status == 200, "{url} {roots:?}"),
            Err(OutboundHttpError::Tls(_)) => assert!(!is_fine, "{url} {roots:?}"),
            Err(other) => panic!("{url} {roots:?}: {other}"),
        }
    }
    assert_eq!(fixture.server.requests().len(), 2, "nothing is sent before the certificate is verified");
}
