//! A client of the event stream that reads one frame at a time and reports how the stream ends.

use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use posthouse_store::tls::{CertificateTrust, client_config};
use rustls::pki_types::ServerName;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{
        Message, Utf8Bytes,
        client::IntoClientRequest,
        http::HeaderValue,
        protocol::{CloseFrame, frame::coding::CloseCode},
    },
};

use crate::{fixtures::TestKey, server::TestServer, smtp::SmtpStream};

/// An open stream.
pub struct StreamClient(WebSocketStream<Box<dyn SmtpStream>>);

/// One item of the stream.
#[derive(Clone, PartialEq, Debug)]
pub enum StreamItem {
    /// A frame.
    Frame(Value),
    /// The end of the stream with its close code, or `None` if the connection ended without one.
    End(Option<u16>),
}

impl StreamClient {
    /// Opens the stream at that URL, with an optional key in the header. Over `wss:` any certificate is accepted.
    ///
    /// # Panics
    /// Panics if the server refuses the handshake.
    pub async fn open(address: SocketAddr, url: &str, key: Option<&str>) -> Self {
        let mut request = url.into_client_request().expect("a URL");
        if let Some(key) = key {
            let value = HeaderValue::from_str(&format!("Bearer {key}")).expect("a key fits a header");
            request.headers_mut().insert("authorization", value);
        }
        let tcp = TcpStream::connect(address).await.expect("the API listens");
        let wire: Box<dyn SmtpStream> = if url.starts_with("wss:") {
            let connector =
                TlsConnector::from(client_config(&CertificateTrust::AnyCertificate).expect("TLS can be set up"));
            let name = ServerName::try_from("localhost").expect("a name");
            Box::new(connector.connect(name, tcp).await.expect("a TLS handshake"))
        } else {
            Box::new(tcp)
        };
        let (stream, _) = client_async(request, wire).await.expect("the handshake succeeds");
        Self(stream)
    }

    /// Returns the next frame or the end, skipping pings and pongs.
    ///
    /// # Panics
    /// Panics if a frame is not JSON.
    pub async fn next(&mut self) -> StreamItem {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Text(text))) => {
                    return StreamItem::Frame(serde_json::from_str(text.as_str()).expect("a frame is JSON"));
                }
                Some(Ok(Message::Close(frame))) => {
                    let code = frame.map(|frame| u16::from(frame.code));
                    while let Some(Ok(_)) = self.0.next().await {}
                    return StreamItem::End(code);
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return StreamItem::End(None),
            }
        }
    }

    /// Returns the next frame.
    ///
    /// # Panics
    /// Panics if the stream ends.
    pub async fn frame(&mut self) -> Value {
        match self.next().await {
            StreamItem::Frame(frame) => frame,
            StreamItem::End(code) => panic!("the stream ended with {code:?}"),
        }
    }

    /// Returns the next frame, which must have this type.
    ///
    /// # Panics
    /// Panics if the type differs.
    pub async fn expect(&mut self, kind: &str) -> Value {
        let frame = self.frame().await;
        assert_eq!(frame["type"], kind, "{frame}");
        frame
    }

    /// Skips frames and returns the close code of the stream.
    pub async fn end(&mut self) -> Option<u16> {
        loop {
            if let StreamItem::End(code) = self.next().await {
                return code;
            }
        }
    }

    /// Waits for a ping from the server.
    ///
    /// # Panics
    /// Panics if anything else arrives.
    pub async fn ping(&mut self) {
        let next = self.0.next().await;
        assert!(matches!(next, Some(Ok(Message::Ping(_)))), "{next:?}");
    }

    /// Sends a frame.
    pub async fn send(&mut self, frame: Value) {
        self.send_message(Message::text(frame.to_string())).await;
    }

    /// Sends any WebSocket message. An error is ignored, because reading reports the end of the connection.
    pub async fn send_message(&mut self, message: Message) {
        let _ = self.0.send(message).await;
    }

    /// Subscribes and returns the response frame.
    pub async fn subscribe(&mut self, mut frame: Value) -> Value {
        frame["type"] = "subscribe".into();
        self.send(frame).await;
        self.expect("subscribed").await
    }

    /// Closes the stream and returns the close code of the server.
    pub async fn close(mut self) -> Option<u16> {
        let goodbye = CloseFrame { code: CloseCode::Normal, reason: Utf8Bytes::default() };
        let _ = self.0.close(Some(goodbye)).await;
        self.end().await
    }
}

impl TestServer {
    /// Opens the stream with a key in the header and reads the hello frame.
    pub async fn stream(&self, key: &TestKey) -> StreamClient {
        let url = format!("ws://{}/v1/stream", self.http_address());
        let mut stream = StreamClient::open(self.http_address(), &url, Some(&key.secret)).await;
        let hello = json!({ "type": "hello", "heartbeat_seconds": 30 });
        assert_eq!(stream.frame().await, hello);
        stream
    }
}
