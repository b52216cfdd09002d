//! A nameserver on real sockets, for the real binary. A closure provides the answers, over UDP and TCP (RFC 1035 §4).
//!
//! It runs on its own threads, so that tests without a runtime can use it, and ends with the test process.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream, UdpSocket},
    sync::Arc,
};

use posthouse_mail::auth::{DnsAnswer, DnsQuestion, DnsRecordType, DnsRecords};

use crate::dns::FakeDns;

/// Maximum size of a UDP response to a client without EDNS.
const DATAGRAM_BYTES: usize = 512;
/// Maximum size of a UDP response to a client with EDNS (RFC 6891).
const LARGE_DATAGRAM_BYTES: usize = 1_232;
/// Maximum size of one string of a TXT record.
const STRING_BYTES: usize = 255;

type AnswerFn = Arc<dyn Fn(&DnsQuestion) -> DnsAnswer + Send + Sync>;

/// Starts a server that answers from the records of `dns`, and returns its address.
///
/// # Panics
/// Panics if no port is free.
#[must_use]
pub fn serve_records(dns: &FakeDns) -> SocketAddr {
    let dns = dns.clone();
    serve(move |question| dns.answer(question))
}

/// Starts a server and returns its address.
///
/// # Panics
/// Panics if no port is free.
#[must_use]
pub fn serve(answer_for: impl Fn(&DnsQuestion) -> DnsAnswer + Send + Sync + 'static) -> SocketAddr {
    let answer_for: AnswerFn = Arc::new(answer_for);
    let (udp, tcp) = loop {
        let udp = UdpSocket::bind("127.0.0.1:0").expect("loopback can be listened on");
        let address = udp.local_addr().expect("a bound socket has an address");
        if let Ok(tcp) = TcpListener::bind(address) {
            break (udp, tcp);
        }
    };
    let address = udp.local_addr().expect("a bound socket has an address");
    let by_datagram = Arc::clone(&answer_for);
    std::thread::spawn(move || {
        let mut query = [0; 4_096];
        while let Ok((bytes, from)) = udp.recv_from(&mut query) {
            // An additional record: the client uses EDNS.
            let max_bytes = if query[11] > 0 { LARGE_DATAGRAM_BYTES } else { DATAGRAM_BYTES };
            let _ = udp.send_to(&respond(&query[..bytes], max_bytes, &by_datagram), from);
        }
    });
    std::thread::spawn(move || {
        for stream in tcp.incoming().flatten() {
            let answer_for = Arc::clone(&answer_for);
            std::thread::spawn(move || serve_connection(stream, &answer_for));
        }
    });
    address
}

fn serve_connection(mut stream: TcpStream, answer_for: &AnswerFn) -> std::io::Result<()> {
    loop {
        let mut length = [0; 2];
        stream.read_exact(&mut length)?;
        let mut query = vec![0; usize::from(u16::from_be_bytes(length))];
        stream.read_exact(&mut query)?;
        let answer = respond(&query, usize::from(u16::MAX), answer_for);
        stream.write_all(&[length_of(&answer).as_slice(), &answer].concat())?;
    }
}

/// Builds the response to a query, truncated to the question if it exceeds `max_bytes` bytes.
fn respond(query: &[u8], max_bytes: usize, answer_for: &AnswerFn) -> Vec<u8> {
    let (name, kind, end) = question(query);
    let answer = kind.map_or(DnsAnswer::NoData, |kind| answer_for(&DnsQuestion::new(&name, kind)));
    let (code, records) = match &answer {
        DnsAnswer::Records(records) => (0, encode(records)),
        DnsAnswer::NoData => (0, Vec::new()),
        DnsAnswer::NoSuchName => (3, Vec::new()),
        DnsAnswer::Failed => (2, Vec::new()),
    };
    let response = encode_head(query, end, code, &records);
    if response.len() <= max_bytes {
        return response;
    }
    let mut truncated = encode_head(query, end, code, &[]);
    truncated[2] |= 2;
    truncated
}

/// Returns the name and type of the question, and the offset of its end.
fn question(query: &[u8]) -> (String, Option<DnsRecordType>, usize) {
    let (mut labels, mut at) = (Vec::new(), 12);
    while query[at] != 0 {
        let end = at + 1 + usize::from(query[at]);
        labels.push(String::from_utf8_lossy(&query[at + 1..end]).into_owned());
        at = end;
    }
    let kind = match u16::from_be_bytes([query[at + 1], query[at + 2]]) {
        1 => Some(DnsRecordType::A),
        2 => Some(DnsRecordType::Ns),
        12 => Some(DnsRecordType::Ptr),
        15 => Some(DnsRecordType::Mx),
        16 => Some(DnsRecordType::Txt),
        28 => Some(DnsRecordType::Aaaa),
        _ => None,
    };
    (labels.join("."), kind, at + 5)
}

fn encode_head(query: &[u8], end: usize, code: u8, records: &[Vec<u8>]) -> Vec<u8> {
    let mut out = query[..2].to_vec();
    out.extend([0x85, 0x80 | code, 0, 1]);
    out.extend(u16::try_from(records.len()).expect("a test has few records").to_be_bytes());
    out.extend([0; 4]);
    out.extend(&query[12..end]);
    out.extend(records.concat());
    out
}

/// Encodes the records, each with a pointer to the question's name.
fn encode(records: &DnsRecords) -> Vec<Vec<u8>> {
    let record = |kind: u16, data: Vec<u8>| {
        let mut out = vec![0xc0, 12];
        out.extend(kind.to_be_bytes());
        out.extend([0, 1, 0, 0, 0, 0]);
        out.extend(length_of(&data));
        out.extend(data);
        out
    };
    match records {
        DnsRecords::A(all) => all.iter().map(|ip| record(1, ip.octets().to_vec())).collect(),
        DnsRecords::Aaaa(all) => all.iter().map(|ip| record(28, ip.octets().to_vec())).collect(),
        DnsRecords::Ns(all) => all.iter().map(|host| record(2, wire_name(host))).collect(),
        DnsRecords::Ptr(all) => all.iter().map(|host| record(12, wire_name(host))).collect(),
        DnsRecords::Mx(all) => all
            .iter()
            .map(|(preference, host)| record(15, [preference.to_be_bytes().as_slice(), &wire_name(host)].concat()))
            .collect(),
        DnsRecords::Txt(all) => {
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
