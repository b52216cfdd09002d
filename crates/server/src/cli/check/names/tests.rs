//! Tables of names and addresses that a check reports.

use std::net::Ipv4Addr;

use super::*;
use posthouse_app::ports::BoxFuture;

#[test]
fn reverse_names() {
    let table = [
        ("192.0.2.1", "1.2.0.192.in-addr.arpa"),
        ("2001:db8::1", "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"),
    ];
    for (address, expected) in table {
        assert_eq!(reverse_name(address.parse().expect("an address")), expected);
    }
}

/// A resolver with one PTR answer and the names that resolve back.
struct Reverse(DnsAnswer, &'static [&'static str]);

impl Dns for Reverse {
    fn lookup(&self, question: DnsQuestion) -> BoxFuture<'_, DnsAnswer> {
        let answer = match question.kind {
            DnsRecordType::Ptr => self.0.clone(),
            DnsRecordType::A if self.1.contains(&question.name.as_str()) => {
                DnsAnswer::Records(DnsRecords::A(vec![Ipv4Addr::new(192, 0, 2, 1)]))
            }
            _ => DnsAnswer::NoSuchName,
        };
        Box::pin(async move { answer })
    }

    fn is_served(&self) -> BoxFuture<'_, bool> {
        Box::pin(async { true })
    }
}

#[tokio::test]
async fn ptr_name_must_match_and_resolve_back() {
    let named = |name: &str| DnsAnswer::Records(DnsRecords::Ptr(vec![name.to_owned()]));
    let table = [
        (named("MX.post.test."), "is mx.post.test, which resolves back to it"),
        (DnsAnswer::NoSuchName, "has no name, so large receivers refuse its mail"),
        (DnsAnswer::Failed, "could not be looked up"),
        (named("host-1.provider.test."), "but the EHLO name is mx.post.test"),
        (named("host-2.provider.test."), "is host-2.provider.test, which does not resolve back to it"),
    ];
    let lost = Reverse(named("mx.post.test"), &[]);
    let table = table.map(|(answer, expected)| (Reverse(answer, &["mx.post.test", "host-1.provider.test"]), expected));
    for (dns, expected) in table.into_iter().chain([(lost, "is mx.post.test, which does not resolve back to it")]) {
        let source = SourceAddress {
            address: Ipv4Addr::new(192, 0, 2, 1).into(),
            name: "mx.post.test".into(),
            setting: "smtp.hostname",
        };
        let finding = format!("{:?}", reverse(&dns, &source).await);
        assert!(finding.contains(expected), "{finding}");
    }
}

#[test]
fn private_domains_are_not_looked_up() {
    let table = [
        ("agents.localhost", true, true),
        ("localhost", true, true),
        ("mail.example.com", false, false),
        ("agents.test", true, false),
        ("mail.corp.internal", true, false),
    ];
    for (domain, on_public_dns, on_private_nameservers) in table {
        assert_eq!(is_private(domain, true), on_public_dns, "{domain}");
        assert_eq!(is_private(domain, false), on_private_nameservers, "{domain}");
    }
}
