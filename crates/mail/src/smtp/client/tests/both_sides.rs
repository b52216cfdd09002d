//! The client session against the server session of this crate: both must agree on the protocol.

use proptest::prelude::*;

use super::*;
use crate::smtp::reply::{EnhancedStatusCode, ServerReply};
use crate::smtp::server::{self, ServerSession, SessionDecision, SmtpServerConfig};

/// The results of one connection on both sides.
#[derive(Default)]
struct Exchange {
    outcomes: Vec<String>,
    failures: Vec<String>,
    received: Vec<server::InboundTransaction>,
    logins: Vec<(String, String)>,
}

fn verdict_of(accepts: bool) -> SessionDecision {
    if accepts {
        return SessionDecision::Accept;
    }
    SessionDecision::Reject(ServerReply::new(550, EnhancedStatusCode(5, 1, 1), "no such user"))
}

/// Runs the server until it waits for input. Returns the bytes that it sends, and whether it starts TLS.
fn serve(server: &mut ServerSession, exchange: &mut Exchange) -> (Vec<u8>, bool) {
    let mut sent = Vec::new();
    loop {
        match server.step() {
            server::ServerStep::NeedInput | server::ServerStep::Pending | server::ServerStep::Close => {
                return (sent, false);
            }
            server::ServerStep::StartTls => return (sent, true),
            server::ServerStep::Write(bytes) => sent.extend(bytes),
            server::ServerStep::Sender(_) => server.sender(SessionDecision::Accept),
            server::ServerStep::Recipient(query) => server.recipient(verdict_of(query.address.local() != "nobody")),
            server::ServerStep::Authenticate(login) => {
                server.authenticated(SessionDecision::Accept);
                exchange.logins.push((login.user, login.password));
            }
            server::ServerStep::Message(transaction) => {
                exchange.received.push(*transaction);
                server.finish(ServerReply::new(250, EnhancedStatusCode(2, 0, 0), "stored"));
            }
        }
    }
}

fn connect(
    client: ClientConfig,
    server: SmtpServerConfig,
    messages: &[OutboundMessage],
    piece_bytes: usize,
) -> Exchange {
    let mut exchange = Exchange::default();
    let (mut server, greeting) = ServerSession::new(server);
    let mut client = ClientSession::new(client);
    let (mut to_client, mut messages) = (greeting, messages.iter().cloned());
    loop {
        let step = client.step();
        if step == ClientStep::NeedInput && !to_client.is_empty() {
            let piece: Vec<u8> = to_client.drain(..piece_bytes.min(to_client.len())).collect();
            client.receive(&piece);
            continue;
        }
        match step {
            ClientStep::Write(bytes) => {
                for piece in bytes.chunks(piece_bytes) {
                    server.receive(piece);
                    to_client.extend(serve(&mut server, &mut exchange).0);
                }
            }
            ClientStep::NeedInput => client.connection_lost("the server is silent"),
            ClientStep::StartTls => {
                assert!(serve(&mut server, &mut exchange).1, "only one side wants TLS");
                server.tls_started();
                client.tls_started();
            }
            ClientStep::Ready => match messages.next() {
                Some(message) => client.send(message).unwrap(),
                None => client.quit(),
            },
            ClientStep::Done(outcomes) => exchange.outcomes.extend(outcomes.iter().map(line_of)),
            ClientStep::Failed(failure) => exchange.failures.push(line_of_failure(&failure)),
            ClientStep::Closed => return exchange,
        }
    }
}

#[test]
fn mail_with_every_kind_of_address_passes() {
    let recipients = ["b@y.example", "nobody@y.example", "\"c d\"@y.example", "ü@bücher.example"];
    let messages = [
        message(&recipients, "Subject: ü\n\n.\n..\r\nend"),
        message(&["nobody@y.example"], "x"),
        message(&["e@y.example"], "."),
    ];
    for piece_bytes in [1, 2, 7, 1_000] {
        let exchange = connect(
            config(TlsPolicy::Opportunistic),
            SmtpServerConfig::mail_exchanger("mx.example"),
            &messages,
            piece_bytes,
        );
        assert_eq!(
            exchange.outcomes,
            [
                "b@y.example Delivered 250 2.0.0 end_of_data: stored",
                "nobody@y.example Permanent 550 5.1.1 rcpt_to: no such user",
                "\"c d\"@y.example Delivered 250 2.0.0 end_of_data: stored",
                "ü@bücher.example Delivered 250 2.0.0 end_of_data: stored",
                "nobody@y.example Permanent 550 5.1.1 rcpt_to: no such user",
                "e@y.example Delivered 250 2.0.0 end_of_data: stored",
            ]
        );
        assert!(exchange.failures.is_empty());
        let [first, second] = &exchange.received[..] else { panic!("{} messages", exchange.received.len()) };
        assert_eq!(String::from_utf8(first.data.clone()).unwrap(), "Subject: ü\r\n\r\n.\r\n..\r\nend\r\n");
        assert_eq!((first.recipients.len(), first.tls, first.smtputf8, first.body_8bit), (3, true, true, true));
        assert_eq!((second.data.as_slice(), second.recipients.len()), (b".\r\n".as_slice(), 1));
    }
}

#[test]
fn submission_with_a_login_over_tls_passes() {
    let exchange = connect(
        with_login(TlsPolicy::Required),
        SmtpServerConfig::submission("mx.example"),
        &[message(&["b@y.example"], "x")],
        3,
    );
    assert_eq!(exchange.outcomes, ["b@y.example Delivered 250 2.0.0 end_of_data: stored"]);
    assert_eq!(exchange.logins, [("user".to_owned(), "secret".to_owned())]);
}

proptest! {
    /// No body is rejected for its line ends, split into two messages, or changed in transit.
    #[test]
    fn any_body_arrives_as_one_message(
        body in prop::collection::vec(prop::sample::select(vec!["\r", "\n", "\r\n", ".", "\0", "RSET", "ä"]), 0..30),
        piece_bytes in 1usize..9,
    ) {
        let body = body.concat();
        let messages = [message(&["b@y.example"], &body)];
        let exchange = connect(config(TlsPolicy::Off), SmtpServerConfig::mail_exchanger("mx.example"), &messages, piece_bytes);
        prop_assert_eq!(exchange.outcomes, ["b@y.example Delivered 250 2.0.0 end_of_data: stored"]);
        prop_assert_eq!(exchange.received.len(), 1);
        let mut expected = normalise_line_ends(body.as_bytes()).into_owned();
        if !expected.is_empty() && !expected.ends_with(b"\n") {
            expected.extend_from_slice(b"\r\n");
        }
        prop_assert_eq!(&exchange.received[0].data, &expected);
    }
}
