//! Ports that belong to a test before, between and after the times when a server listens on them.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::TcpSocket;

/// A port that is bound but rejects connections. A server that sets `SO_REUSEADDR`, as servers do, can listen on it;
/// the kernel never chooses it for others. Dropping it frees the port.
pub struct ReservedPort {
    address: SocketAddr,
    _socket: TcpSocket,
}

impl ReservedPort {
    /// Reserves a port of 127.0.0.1.
    #[must_use]
    pub fn new() -> Self {
        Self::at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
    }

    /// Reserves the port of this address; 0 means any.
    ///
    /// # Panics
    /// Panics if the address can't be bound.
    #[must_use]
    pub fn at(address: SocketAddr) -> Self {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }.expect("sockets exist");
        let reserved = socket.set_reuseaddr(true).and_then(|()| socket.bind(address));
        reserved.expect("the address can be bound");
        Self { address: socket.local_addr().expect("a bound socket has an address"), _socket: socket }
    }

    /// Returns the address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Default for ReservedPort {
    fn default() -> Self {
        Self::new()
    }
}
