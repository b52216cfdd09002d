//! A name server on real sockets, for the real binary: it answers what a closure says, by datagram and by connection
//! (RFC 1035 §4).
//!
//! It runs on threads of its own, so that tests without a runtime can use it; it ends with the test's process.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream, UdpSocket},
    sync::Arc,
};

use posthouse_mail::auth::{Answer, Question, QuestionKind, Records};

use crate::dns::FakeDns;

/// Bytes of a datagram for who does not say that it takes more.
const DATAGRAM_BYTES: usize = 512;
/// Bytes of a datagram for who does (EDNS, RFC 6891).
const LARGE_DATAGRAM_BYTES: usize = 1_232;
/// Bytes of one string of a text record.
const STRING_BYTES: usize = 255;

type Say = Arc<dyn Fn(&Question) -> Answer + Send + Sync>;

/// Starts a server that answers from the records of a test; where it listens.
///
/// # Panics
/// Where no port is free.
#[must_use]
pub fn serve_records(dns: &FakeDns) -> SocketAddr {
    let dns = dns.clone();
    serve(move |question| dns.answer(question))
}

/// Starts a server; where it listens.
///
/// # Panics
/// Where no port is free.
#[must_use]
pub fn serve(say: impl Fn(&Question) -> Answer + Send + Sync + 'static) -> SocketAddr {
    let say: Say = Arc::new(say);
    let (udp, tcp) = loop {
        let udp = UdpSocket::bind("127.0.0.1:0").expect("loopback can be listened on");
        let address = udp.local_addr().expect("a bound socket has an address");
        if let Ok(tcp) = TcpListener::bind(address) {
            break (udp, tcp);
        }
    };
    let address = udp.local_addr().expect("a bound socket has an address");
    let by_datagram = Arc::clone(&say);
    std::thread::spawn(move || {
        let mut query = [0; 4_096];
        while let Ok((bytes, from)) = udp.recv_from(&mut query) {
            // Additional records: the asker speaks EDNS.
            let room = if query[11] > 0 { LARGE_DATAGRAM_BYTES } else { DATAGRAM_BYTES };
            let _ = udp.send_to(&reply(&query[..bytes], room, &by_datagram), from);
        }
    });
    std::thread::spawn(move || {
        for stream in tcp.incoming().flatten() {
            let say = Arc::clone(&say);
            std::thread::spawn(move || converse(stream, &say));
        }
    });
    address
}

fn converse(mut stream: TcpStream, say: &Say) -> std::io::Result<()> {
    loop {
        let mut length = [0; 2];
        stream.read_exact(&mut length)?;
        let mut query = vec![0; usize::from(u16::from_be_bytes(length))];
        stream.read_exact(&mut query)?;
        let answer = reply(&query, usize::from(u16::MAX), say);
        stream.write_all(&[length_of(&answer).as_slice(), &answer].concat())?;
    }
}

/// The answer to a query, cut down to its question where it does not fit.
fn reply(query: &[u8], room: usize, say: &Say) -> Vec<u8> {
    let (name, kind, end) = question(query);
    let answer = kind.map_or(Answer::NoData, |kind| say(&Question::new(&name, kind)));
    let (code, records) = match &answer {
        Answer::Records(records) => (0, encode(records)),
        Answer::NoData => (0, Vec::new()),
        Answer::NoSuchName => (3, Vec::new()),
        Answer::Failed => (2, Vec::new()),
    };
    let whole = head(query, end, code, &records);
    if whole.len() <= room {
        return whole;
    }
    let mut cut = head(query, end, code, &[]);
    cut[2] |= 2;
    cut
}

/// Name and type of the question, and where it ends.
fn question(query: &[u8]) -> (String, Option<QuestionKind>, usize) {
    let (mut labels, mut at) = (Vec::new(), 12);
    while query[at] != 0 {
        let end = at + 1 + usize::from(query[at]);
        labels.push(String::from_utf8_lossy(&query[at + 1..end]).into_owned());
        at = end;
    }
    let kind = match u16::from_be_bytes([query[at + 1], query[at + 2]]) {
        1 => Some(QuestionKind::A),
        2 => Some(QuestionKind::Ns),
        12 => Some(QuestionKind::Ptr),
        15 => Some(QuestionKind::Mx),
        16 => Some(QuestionKind::Txt),
        28 => Some(QuestionKind::Aaaa),
        _ => None,
    };
    (labels.join("."), kind, at + 5)
}

fn head(query: &[u8], end: usize, code: u8, records: &[Vec<u8>]) -> Vec<u8> {
    let mut out = query[..2].to_vec();
    out.extend([0x85, 0x80 | code, 0, 1]);
    out.extend(u16::try_from(records.len()).expect("a test has few records").to_be_bytes());
    out.extend([0; 4]);
    out.extend(&query[12..end]);
    out.extend(records.concat());
    out
}

/// The records, each with a pointer to the name of the question.
fn encode(records: &Records) -> Vec<Vec<u8>> {
    let record = |kind: u16, data: Vec<u8>| {
        let mut out = vec![0xc0, 12];
        out.extend(kind.to_be_bytes());
        out.extend([0, 1, 0, 0, 0, 0]);
        out.extend(length_of(&data));
        out.extend(data);
        out
    };
    match records {
        Records::A(all) => all.iter().map(|ip| record(1, ip.octets().to_vec())).collect(),
        Records::Aaaa(all) => all.iter().map(|ip| record(28, ip.octets().to_vec())).collect(),
        Records::Ns(all) => all.iter().map(|host| record(2, wire_name(host))).collect(),
        Records::Ptr(all) => all.iter().map(|host| record(12, wire_name(host))).collect(),
        Records::Mx(all) => all
            .iter()
            .map(|(preference, host)| record(15, [preference.to_be_bytes().as_slice(), &wire_name(host)].concat()))
            .collect(),
        Records::Txt(all) => {
            all.iter().map(|text| record(16, text.chunks(STRING_BYTES).flat_map(string).collect())).collect()
        }
    }
}

fn string(text: &[u8]) -> Vec<u8> {
    let length = u8::try_from(text.len()).expect("a string has 255 bytes at most");
    [&[length], text].concat()
}

fn wire_name(name: &str) -> Vec<u8> {
    let labels = name.split('.').filter(|label| !label.is_empty());
    let mut out: Vec<u8> = labels.flat_map(|label| string(label.as_bytes())).collect();
    out.push(0);
    out
}

fn length_of(data: &[u8]) -> [u8; 2] {
    u16::try_from(data.len()).expect("a test has small records").to_be_bytes()
}
