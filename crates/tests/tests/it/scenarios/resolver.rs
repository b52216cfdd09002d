//! The resolver against a nameserver on real sockets: its result for each kind of DNS answer (RFC 1035 §4).

use std::{net::SocketAddr, sync::Arc};

use posthouse_app::ports::Dns as _;
use posthouse_domain::reputation::{self, BlocklistStatus};
use posthouse_mail::auth::{DnsAnswer, DnsQuestion, DnsRecordType, DnsRecords};
use posthouse_server::adapters::dns::Resolver;
use posthouse_tests::clock::ManualClock;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, UdpSocket},
};

const TXT: u16 = 16;
/// Number of strings in an answer that doesn't fit in a UDP response.
const MANY: usize = 60;

/// Returns the name of the question in lower case, and the question section.
fn question(query: &[u8]) -> (String, &[u8]) {
    let (mut name, mut at) = (Vec::new(), 12);
    while query[at] != 0 {
        let end = at + 1 + usize::from(query[at]);
        name.push(String::from_utf8_lossy(&query[at + 1..end]).to_lowercase());
        at = end;
    }
    (name.join("."), &query[12..at + 5])
}

/// Builds a TXT record for the name of the question.
fn txt(text: &[u8]) -> Vec<u8> {
    let mut record = vec![0xc0, 12];
    record.extend(TXT.to_be_bytes());
    record.extend([0, 1, 0, 0, 1, 0]);
    record.extend(u16::try_from(text.len() + 1).unwrap().to_be_bytes());
    record.push(u8::try_from(text.len()).unwrap());
    record.extend(text);
    record
}

/// Builds an A record for the name of the question.
fn a(address: [u8; 4]) -> Vec<u8> {
    let mut record = vec![0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 0, 0, 4];
    record.extend(address);
    record
}

/// Returns the answer to a query, or `None` if the server stays silent.
fn answer(query: &[u8], over_tcp: bool) -> Option<Vec<u8>> {
    let (name, question_section) = question(query);
    let (code, truncated, records) = match name.as_str() {
        "txt.example" => (0, false, vec![txt(b"v=spf1 -all")]),
        "large.example" if over_tcp => (0, false, (0..MANY).map(|n| txt(&[b'a' + (n % 26) as u8; 200])).collect()),
        "large.example" => (0, true, Vec::new()),
        "2.0.0.127.list.example" => (0, false, vec![a([127, 0, 0, 2])]),
        "empty.example" => (0, false, Vec::new()),
        "broken.example" => (2, false, Vec::new()),
        "refused.example" => (5, false, Vec::new()),
        "silent.example" => return None,
        _ => (3, false, Vec::new()),
    };
    let mut out = query[..2].to_vec();
    out.extend([0x81 | if truncated { 2 } else { 0 }, 0x80 | code, 0, 1]);
    out.extend(u16::try_from(records.len()).unwrap().to_be_bytes());
    out.extend([0; 4]);
    out.extend(question_section);
    out.extend(records.concat());
    Some(out)
}

async fn serve_tcp(mut stream: TcpStream) -> std::io::Result<()> {
    loop {
        let mut query = vec![0; usize::from(stream.read_u16().await?)];
        stream.read_exact(&mut query).await?;
        if let Some(answer) = answer(&query, true) {
            let mut framed = u16::try_from(answer.len()).unwrap().to_be_bytes().to_vec();
            framed.extend(answer);
            stream.write_all(&framed).await?;
        }
    }
}

/// Starts a nameserver on a free port, over UDP and TCP.
async fn name_server() -> SocketAddr {
    let (udp, tcp) = loop {
        let udp = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        if let Ok(tcp) = TcpListener::bind(udp.local_addr().unwrap()).await {
            break (udp, tcp);
        }
    };
    let address = udp.local_addr().unwrap();
    tokio::spawn(async move {
        let mut query = [0; 4096];
        while let Ok((bytes, from)) = udp.recv_from(&mut query).await {
            if let Some(answer) = answer(&query[..bytes], false) {
                let _ = udp.send_to(&answer, from).await;
            }
        }
    });
    tokio::spawn(async move {
        while let Ok((stream, _)) = tcp.accept().await {
            tokio::spawn(serve_tcp(stream));
        }
    });
    address
}

async fn ask(resolver: &Resolver, name: &str) -> DnsAnswer {
    resolver.lookup(DnsQuestion::new(name, DnsRecordType::Txt)).await
}

#[tokio::test]
async fn every_kind_of_dns_answer_is_distinguished() {
    let resolver = Resolver::new(&[name_server().await], Arc::new(ManualClock::new(1))).unwrap();
    assert_eq!(ask(&resolver, "txt.example").await, DnsAnswer::Records(DnsRecords::Txt(vec![b"v=spf1 -all".to_vec()])));
    assert_eq!(ask(&resolver, "absent.example").await, DnsAnswer::NoSuchName);
    assert_eq!(ask(&resolver, "empty.example").await, DnsAnswer::NoData);
    assert_eq!(ask(&resolver, "broken.example").await, DnsAnswer::Failed);
    assert_eq!(ask(&resolver, "refused.example").await, DnsAnswer::Failed);
    match ask(&resolver, "large.example").await {
        DnsAnswer::Records(DnsRecords::Txt(texts)) => assert_eq!(texts.len(), MANY, "the complete answer, over TCP"),
        other => panic!("{other:?}"),
    }
    assert_eq!(ask(&resolver, "silent.example").await, DnsAnswer::Failed, "after its timeout");
}

/// A blocklist is a zone like any other: listed, not listed, or failing (RFC 5782 §2.1).
#[tokio::test]
async fn blocklist_lookups_distinguish_listed_and_unlisted_addresses() {
    let resolver = Resolver::new(&[name_server().await], Arc::new(ManualClock::new(1))).unwrap();
    let ask = async |client: [u8; 4], list| {
        resolver.lookup(DnsQuestion::new(&reputation::question(client.into(), list), DnsRecordType::A)).await
    };
    match ask([127, 0, 0, 2], "list.example").await {
        DnsAnswer::Records(DnsRecords::A(found)) => assert_eq!(reputation::interpret(&found), BlocklistStatus::Listed),
        other => panic!("{other:?}"),
    }
    assert_eq!(ask([127, 0, 0, 1], "list.example").await, DnsAnswer::NoSuchName);
}

#[tokio::test]
async fn failing_name_servers_are_distinguished_from_failing_names() {
    let clock = ManualClock::new(1);
    let works = Resolver::new(&[name_server().await], Arc::new(clock.clone())).unwrap();
    for broken in ["broken.example", "silent.example"] {
        assert_eq!(ask(&works, broken).await, DnsAnswer::Failed);
        clock.advance(60_000);
        assert!(works.is_served().await, "{broken} must not affect other names");
    }
    let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let dead = Resolver::new(&[silent], Arc::new(clock.clone())).unwrap();
    assert_eq!(ask(&dead, "txt.example").await, DnsAnswer::Failed);
    assert!(!dead.is_served().await);
}

/// The time until the resolver considers its servers silent: the timeout of one query and of its own probe.
const NOTICED_MS: i64 = 2_000;

#[tokio::test]
async fn a_resolver_with_silent_servers_stops_querying_and_retries_later() {
    let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let clock = ManualClock::new(1);
    let resolver = Resolver::new(&[silent.local_addr().unwrap()], Arc::new(clock.clone())).unwrap();
    assert_eq!(clock.advance_until(NOTICED_MS, ask(&resolver, "1.example")).await, DnsAnswer::Failed);
    while silent.try_recv(&mut [0; 512]).is_ok() {}
    assert_eq!(ask(&resolver, "2.example").await, DnsAnswer::Failed);
    assert!(silent.try_recv(&mut [0; 512]).is_err(), "no query was sent");
    clock.advance(10_000);
    tokio::select! {
        biased;
        _ = ask(&resolver, "3.example") => panic!("no server answers"),
        readable = silent.readable() => readable.unwrap(),
    }
    assert!(silent.try_recv(&mut [0; 512]).is_ok(), "after the pause it queries again");
}
