//! Prints the author of each message on standard input, for `scripts/author-oracle.py`. A message is its length in
//! decimal, a line feed and its bytes. Each output line is the canonical address, or empty if there is no author.

use std::io::{self, BufRead as _, Read as _, Write as _};

fn main() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut output = io::BufWriter::new(io::stdout().lock());
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let length: usize = line.trim().parse().map_err(io::Error::other)?;
        let mut raw = vec![0; length];
        input.read_exact(&mut raw)?;
        let author =
            posthouse_mail::author::author(&raw).map(|author| author.address().canonical()).unwrap_or_default();
        writeln!(output, "{author}")?;
        line.clear();
    }
    output.flush()
}
