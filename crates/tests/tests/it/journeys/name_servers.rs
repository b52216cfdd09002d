//! The resolver against a name server on real sockets: what it makes of each answer that DNS can give (RFC 1035 §4).

use std::{net::SocketAddr, sync::Arc};

use posthouse_domain::reputation::{self, Listing};
use posthouse_mail::auth::{Answer, Question, QuestionKind, Records};
use posthouse_server::{adapters::dns::Resolver, ports::Dns as _};
use posthouse_tests::clock::ManualClock;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, UdpSocket},
};

const TXT: u16 = 16;
/// Strings of the answer that no datagram holds.
const MANY: usize = 60;

/// The question behind the header, and its name in lower case.
fn question(query: &[u8]) -> (String, &[u8]) {
    let (mut name, mut at) = (Vec::new(), 12);
    while query[at] != 0 {
        let end = at + 1 + usize::from(query[at]);
        name.push(String::from_utf8_lossy(&query[at + 1..end]).to_lowercase());
        at = end;
    }
    (name.join("."), &query[12..at + 5])
}

/// A TXT record for the name of the question.
fn txt(text: &[u8]) -> Vec<u8> {
    let mut record = vec![0xc0, 12];
    record.extend(TXT.to_be_bytes());
    record.extend([0, 1, 0, 0, 1, 0]);
    record.extend(u16::try_from(text.len() + 1).unwrap().to_be_bytes());
    record.push(u8::try_from(text.len()).unwrap());
    record.extend(text);
    record
}

/// An address record for the name of the question.
fn a(address: [u8; 4]) -> Vec<u8> {
    let mut record = vec![0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 0, 0, 4];
    record.extend(address);
    record
}

/// The answer to a query; none where the server stays silent.
fn answer(query: &[u8], over_tcp: bool) -> Option<Vec<u8>> {
    let (name, asked) = question(query);
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
    out.extend(asked);
    out.extend(records.concat());
    Some(out)
}

async fn conversation(mut stream: TcpStream) -> std::io::Result<()> {
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

/// A name server on a port of the machine's choice, for datagrams and connections.
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
            tokio::spawn(conversation(stream));
        }
    });
    address
}

async fn ask(resolver: &Resolver, name: &str) -> Answer {
    resolver.lookup(Question::new(name, QuestionKind::Txt)).await
}

#[tokio::test]
async fn every_kind_of_answer_is_told_from_the_others() {
    let resolver = Resolver::new(&[name_server().await], Arc::new(ManualClock::new(1))).unwrap();
    assert_eq!(ask(&resolver, "txt.example").await, Answer::Records(Records::Txt(vec![b"v=spf1 -all".to_vec()])));
    assert_eq!(ask(&resolver, "absent.example").await, Answer::NoSuchName);
    assert_eq!(ask(&resolver, "empty.example").await, Answer::NoData);
    assert_eq!(ask(&resolver, "broken.example").await, Answer::Failed);
    assert_eq!(ask(&resolver, "refused.example").await, Answer::Failed);
    match ask(&resolver, "large.example").await {
        Answer::Records(Records::Txt(texts)) => assert_eq!(texts.len(), MANY, "the whole answer, over TCP"),
        other => panic!("{other:?}"),
    }
    assert_eq!(ask(&resolver, "silent.example").await, Answer::Failed, "after its time limit");
}

/// A blocklist is a zone like any other: listed, not listed, and broken (RFC 5782 §2.1).
#[tokio::test]
async fn a_blocklist_says_who_is_on_it() {
    let resolver = Resolver::new(&[name_server().await], Arc::new(ManualClock::new(1))).unwrap();
    let ask = async |client: [u8; 4], list| {
        resolver.lookup(Question::new(&reputation::question(client.into(), list), QuestionKind::A)).await
    };
    match ask([127, 0, 0, 2], "list.example").await {
        Answer::Records(Records::A(found)) => assert_eq!(reputation::judge(&found), Listing::Listed),
        other => panic!("{other:?}"),
    }
    assert_eq!(ask([127, 0, 0, 1], "list.example").await, Answer::NoSuchName);
}

#[tokio::test]
async fn servers_that_are_out_of_order_are_told_from_names_that_are() {
    let clock = ManualClock::new(1);
    let works = Resolver::new(&[name_server().await], Arc::new(clock.clone())).unwrap();
    for broken in ["broken.example", "silent.example"] {
        assert_eq!(ask(&works, broken).await, Answer::Failed);
        clock.advance(60_000);
        assert!(works.is_served().await, "{broken} says nothing of other names");
    }
    let nobody = UdpSocket::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let dead = Resolver::new(&[nobody], Arc::new(clock.clone())).unwrap();
    assert_eq!(ask(&dead, "txt.example").await, Answer::Failed);
    assert!(!dead.is_served().await);
}

/// What the resolver waits for by the clock before it calls its servers silent: a question that is overdue, and its own.
const NOTICED_MS: i64 = 2_000;

#[tokio::test]
async fn where_nobody_answers_the_resolver_soon_asks_nobody_any_more_and_later_again() {
    let nobody = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let clock = ManualClock::new(1);
    let resolver = Resolver::new(&[nobody.local_addr().unwrap()], Arc::new(clock.clone())).unwrap();
    assert_eq!(clock.go_on(NOTICED_MS, ask(&resolver, "1.example")).await, Answer::Failed);
    while nobody.try_recv(&mut [0; 512]).is_ok() {}
    assert_eq!(ask(&resolver, "2.example").await, Answer::Failed);
    assert!(nobody.try_recv(&mut [0; 512]).is_err(), "nobody was asked");
    clock.advance(10_000);
    tokio::select! {
        biased;
        _ = ask(&resolver, "3.example") => panic!("nobody answers"),
        heard = nobody.readable() => heard.unwrap(),
    }
    assert!(nobody.try_recv(&mut [0; 512]).is_ok(), "after the pause one asks again");
}
