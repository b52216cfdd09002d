//! Server-sent events, as far as MCP uses them: the data of each event is a message.

/// Largest event in bytes.
const EVENT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Splits a byte stream into the data of its events.
#[derive(Default)]
pub(super) struct EventReader {
    line: Vec<u8>,
    data: String,
    after_return: bool,
}

impl EventReader {
    /// Reads a piece of the stream and returns the data of the events that end in it.
    ///
    /// # Errors
    /// Fails if an event is too large.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<Vec<String>, &'static str> {
        let mut events = Vec::new();
        for byte in bytes {
            let is_second = std::mem::replace(&mut self.after_return, *byte == b'\r') && *byte == b'\n';
            match byte {
                b'\n' if is_second => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                other => self.line.push(*other),
            }
            if self.line.len() + self.data.len() > EVENT_BYTES_MAX {
                return Err("an event of the server is larger than 64 MiB");
            }
        }
        Ok(events)
    }

    /// Ends a line. An empty one ends the event.
    fn end_line(&mut self) -> Option<String> {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        if line.is_empty() {
            return Some(std::mem::take(&mut self.data)).filter(|data| !data.is_empty());
        }
        if let Some(data) = line.strip_prefix("data:") {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_the_same_however_they_are_cut() {
        let stream = b": comment\r\nid: 1\r\ndata: {\"a\":\r\ndata: \"\xc3\xa9\"}\r\n\r\nevent: message\ndata:2\n\n\rdata: 3\r\rdata: 4";
        for size in 1..stream.len() {
            let mut reader = EventReader::default();
            let events: Vec<String> = stream.chunks(size).flat_map(|piece| reader.read(piece).unwrap()).collect();
            assert_eq!(events, ["{\"a\":\n\"é\"}", "2", "3"], "{size}");
        }
    }
}
