//! A client of the stream that reads one frame after the other and shows how the stream ends.

use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use posthouse_store::tls::{Trust, client_config};
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

use crate::{fixtures::TestKey, server::TestServer, smtp::Wire};

/// An open stream.
pub struct StreamClient(WebSocketStream<Box<dyn Wire>>);

/// What comes next.
#[derive(Clone, PartialEq, Debug)]
pub enum Next {
    /// A frame.
    Frame(Value),
    /// The end, with its code; none where the connection just ended.
    End(Option<u16>),
}

impl StreamClient {
    /// Opens the stream at that URL, with a key in the header if there is one. Over `wss:` any certificate is taken.
    ///
    /// # Panics
    /// Where the handshake is refused.
    pub async fn open(address: SocketAddr, url: &str, key: Option<&str>) -> Self {
        let mut request = url.into_client_request().expect("a URL");
        if let Some(key) = key {
            let value = HeaderValue::from_str(&format!("Bearer {key}")).expect("a key fits a header");
            request.headers_mut().insert("authorization", value);
        }
        let tcp = TcpStream::connect(address).await.expect("the API listens");
        let wire: Box<dyn Wire> = if url.starts_with("wss:") {
            let connector = TlsConnector::from(client_config(&Trust::Anybody).expect("TLS can be set up"));
            let name = ServerName::try_from("localhost").expect("a name");
            Box::new(connector.connect(name, tcp).await.expect("a TLS handshake"))
        } else {
            Box::new(tcp)
        };
        let (stream, _) = client_async(request, wire).await.expect("the handshake succeeds");
        Self(stream)
    }

    /// What comes next, signs of life passed over.
    ///
    /// # Panics
    /// Where a frame is not JSON.
    pub async fn next(&mut self) -> Next {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Text(text))) => {
                    return Next::Frame(serde_json::from_str(text.as_str()).expect("a frame is JSON"));
                }
                Some(Ok(Message::Close(frame))) => {
                    let code = frame.map(|frame| u16::from(frame.code));
                    while let Some(Ok(_)) = self.0.next().await {}
                    return Next::End(code);
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Next::End(None),
            }
        }
    }

    /// The next frame.
    ///
    /// # Panics
    /// Where the stream ends instead.
    pub async fn frame(&mut self) -> Value {
        match self.next().await {
            Next::Frame(frame) => frame,
            Next::End(code) => panic!("the stream ended with {code:?}"),
        }
    }

    /// The next frame, which must be of that type.
    ///
    /// # Panics
    /// Where it is another.
    pub async fn expect(&mut self, kind: &str) -> Value {
        let frame = self.frame().await;
        assert_eq!(frame["type"], kind, "{frame}");
        frame
    }

    /// The code that the stream ends with; frames before it are passed over.
    pub async fn end(&mut self) -> Option<u16> {
        loop {
            if let Next::End(code) = self.next().await {
                return code;
            }
        }
    }

    /// Waits for a sign of life from the server.
    ///
    /// # Panics
    /// Where something else comes.
    pub async fn ping(&mut self) {
        let next = self.0.next().await;
        assert!(matches!(next, Some(Ok(Message::Ping(_)))), "{next:?}");
    }

    /// Sends a frame.
    pub async fn send(&mut self, frame: Value) {
        self.say(Message::text(frame.to_string())).await;
    }

    /// Sends any message; that the other side has gone shows later.
    pub async fn say(&mut self, message: Message) {
        let _ = self.0.send(message).await;
    }

    /// Subscribes and gives the answer.
    pub async fn subscribe(&mut self, mut frame: Value) -> Value {
        frame["type"] = "subscribe".into();
        self.send(frame).await;
        self.expect("subscribed").await
    }

    /// Says goodbye; the code that comes back.
    pub async fn close(mut self) -> Option<u16> {
        let goodbye = CloseFrame { code: CloseCode::Normal, reason: Utf8Bytes::default() };
        let _ = self.0.close(Some(goodbye)).await;
        self.end().await
    }
}

impl TestServer {
    /// Opens the stream with a key in the header and hears hello.
    pub async fn stream(&self, key: &TestKey) -> StreamClient {
        let url = format!("ws://{}/v1/stream", self.http_address());
        let mut stream = StreamClient::open(self.http_address(), &url, Some(&key.secret)).await;
        let hello = json!({ "type": "hello", "heartbeat_seconds": 30 });
        assert_eq!(stream.frame().await, hello);
        stream
    }
}
