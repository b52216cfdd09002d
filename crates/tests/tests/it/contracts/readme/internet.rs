//! A stage with an internet of its own: a nameserver in which every zone file in the page's directory is published, and
//! a large receiver. Addresses of loopback stand for public ones.

use std::net::Ipv4Addr;

use posthouse_tests::{dir::ScratchDir, dns::FakeDns, name_server, ports::reserve_at_all, smtp_sink::SmtpSink};

use super::Stage;

/// The server of the page.
const HERE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 9);
/// What the page calls it.
const HERE_SHOWN: &str = "203.0.113.25";
/// The large receiver.
const FAR: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
/// What files with records to publish end with.
const PUBLISHED: &str = ".zone.txt";

impl Stage {
    /// A server that sends to the world, as the page configures it.
    pub(super) fn on_the_internet(runtime: &tokio::runtime::Runtime) -> Self {
        let dir = ScratchDir::new();
        let ports = reserve_at_all([HERE, FAR]);
        let port = ports[0].address().port();
        let far = runtime.block_on(SmtpSink::at(FAR, port));
        let published = dir.path().to_owned();
        let name_server = name_server::serve(move |question| {
            let dns = world();
            let files = std::fs::read_dir(&published).into_iter().flatten().flatten().map(|entry| entry.path());
            for file in files.filter(|path| path.to_string_lossy().ends_with(PUBLISHED)) {
                dns.import_zone(&std::fs::read_to_string(file).unwrap_or_default());
            }
            dns.answer(question)
        });
        let config = format!(
            "base_url = \"https://mail.acme.example\"\ndata_dir = \"data\"\nhttp.listen = \"127.0.0.1:0\"\n\
             submission.listen = [\"127.0.0.1:0\"]\ndns.nameservers = [\"{name_server}\"]\n\
             [smtp]\nlisten = [\"{HERE}:{port}\"]\nhostname = \"mail.acme.example\"\n\
             [delivery]\nmode = \"direct\"\nport = {port}\nallow_private_networks = true\n"
        );
        let (names, said) = (vec![(HERE.to_string(), HERE_SHOWN)], vec![(port.to_string(), "25")]);
        Self { dir, config, names, said, _far: Some(far), _ports: ports.into() }
    }
}

/// What is there before the page begins.
fn world() -> FakeDns {
    let dns = FakeDns::default();
    dns.name_server("acme.example", "ada.ns.cloudflare.com");
    dns.ptr("9.0.0.127.in-addr.arpa", "mail.acme.example");
    dns.mx("gmail.com", 5, "gmail-smtp-in.l.google.com");
    dns.address("gmail-smtp-in.l.google.com", FAR.into());
    dns
}
