//! Ports that belong to a test before, between and after the times when a server listens on them.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
};

use tokio::net::TcpSocket;

/// How many ports are tried at several addresses.
const TRIES_MAX: usize = 100;

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
        Self::of(bind(address).expect("the address can be bound"))
    }

    fn of(socket: TcpSocket) -> Self {
        Self { address: socket.local_addr().expect("a bound socket has an address"), _socket: socket }
    }

    /// Returns the address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Reserves one port of several addresses, for servers that must have the same.
///
/// # Panics
/// Panics if no port is free at all of them.
#[must_use]
pub fn reserve_at_all<const N: usize>(hosts: [Ipv4Addr; N]) -> [ReservedPort; N] {
    let reserve = |_| {
        let first = bind(SocketAddr::from((hosts[0], 0))).ok()?.local_addr().ok()?.port();
        let bound: Vec<TcpSocket> =
            hosts.into_iter().map(|host| bind(SocketAddr::from((host, first)))).collect::<io::Result<_>>().ok()?;
        bound.into_iter().map(ReservedPort::of).collect::<Vec<_>>().try_into().ok()
    };
    (0..TRIES_MAX).find_map(reserve).expect("some port is free at all addresses")
}

fn bind(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

impl Default for ReservedPort {
    fn default() -> Self {
        Self::new()
    }
}
