//! Tunnels through a proxy (RFC 9110 §9.3.6): the proxy sees the name of the server and nothing of what is sent to it.

use std::io;

use base64::{Engine, prelude::BASE64_STANDARD};
use percent_encoding::percent_decode_str;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use url::Url;

/// The longest head of the response of a proxy in bytes.
const HEAD_BYTES_MAX: usize = 16 * 1024;

/// Opens a connection to a server through a proxy.
///
/// # Errors
/// Returns why the proxy can't be reached, or what it answered.
pub(super) async fn tunnel(proxy: &str, host: &str, port: u16) -> io::Result<TcpStream> {
    let proxy = address(proxy)?;
    let at = format!("{}:{}", proxy.host_str().unwrap_or_default(), proxy.port_or_known_default().unwrap_or(80));
    let unreachable = |error: io::Error| io::Error::other(format!("the proxy {at}: {error}"));
    let mut tcp = TcpStream::connect(at.as_str()).await.map_err(unreachable)?;
    tcp.write_all(request(&proxy, host, port).as_bytes()).await.map_err(unreachable)?;
    let mut head = Vec::new();
    // One byte at a time: what follows the head belongs to the server.
    while !head.ends_with(b"\r\n\r\n") {
        head.push(tcp.read_u8().await.map_err(unreachable)?);
        if head.len() > HEAD_BYTES_MAX {
            return Err(io::Error::other(format!("the proxy {at} sent no response")));
        }
    }
    let line = String::from_utf8_lossy(&head);
    let line = line.lines().next().unwrap_or_default().to_owned();
    match line.split(' ').nth(1) {
        Some(status) if status.starts_with('2') => Ok(tcp),
        _ => Err(io::Error::other(format!("the proxy {at} answered {line}"))),
    }
}

/// Reads the address of a proxy, with or without a scheme.
fn address(text: &str) -> io::Result<Url> {
    let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let url = Url::parse(&whole).ok().filter(|url| url.scheme() == "http" && url.host_str().is_some());
    // The address may have a password, so the error doesn't show it.
    url.ok_or_else(|| io::Error::other("the proxy in HTTPS_PROXY or ALL_PROXY must be an address http://HOST:PORT"))
}

fn request(proxy: &Url, host: &str, port: u16) -> String {
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    let mut request = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n");
    if !proxy.username().is_empty() {
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let login = format!("{}:{}", decoded(proxy.username()), decoded(proxy.password().unwrap_or_default()));
        request.push_str(&format!("Proxy-Authorization: Basic {}\r\n", BASE64_STANDARD.encode(login)));
    }
    request + "\r\n"
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn a_proxy_has_an_address_and_perhaps_a_login() {
        let plain = address("proxy.example:3128").unwrap();
        assert_eq!(
            request(&plain, "mail.example", 443),
            "CONNECT mail.example:443 HTTP/1.1\r\nHost: mail.example:443\r\n\r\n"
        );
        let with_login = address("http://ada:p%40ss@proxy.example:3128").unwrap();
        assert!(request(&with_login, "::1", 443).contains("CONNECT [::1]:443 "));
        assert!(request(&with_login, "x", 443).contains("Proxy-Authorization: Basic YWRhOnBAc3M=\r\n"));
        for wrong in ["socks5://p:1", "https://p:1", "http://:secret@", "::"] {
            assert!(!address(wrong).unwrap_err().to_string().contains(wrong), "{wrong}");
        }
    }

    #[tokio::test]
    async fn a_tunnel_passes_the_bytes_after_the_head() {
        for (answer, is_open) in
            [("HTTP/1.1 200 Connection established\r\nA: b\r\n\r\nhello", true), ("HTTP/1.1 407 No\r\n\r\n", false)]
        {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let proxy = format!("http://{}", listener.local_addr().unwrap());
            let serving = async {
                let (mut tcp, _) = listener.accept().await.unwrap();
                let mut asked = [0; 512];
                let length = tcp.read(&mut asked).await.unwrap();
                tcp.write_all(answer.as_bytes()).await.unwrap();
                String::from_utf8_lossy(&asked[..length]).into_owned()
            };
            let (opened, asked) = tokio::join!(tunnel(&proxy, "mail.example", 443), serving);
            assert!(asked.starts_with("CONNECT mail.example:443 HTTP/1.1\r\n"), "{asked}");
            match opened {
                Ok(mut tcp) => {
                    let mut rest = String::new();
                    tcp.read_to_string(&mut rest).await.unwrap();
                    assert!(is_open && rest == "hello", "{rest}");
                }
                Err(error) => assert!(!is_open && error.to_string().contains("407"), "{error}"),
            }
        }
    }
}
