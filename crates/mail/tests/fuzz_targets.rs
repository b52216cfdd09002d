//! Runs the fuzz targets as bounded tests: with their seeds, with modified seeds, and with random bytes.

use std::path::Path;

use proptest::prelude::*;

#[path = "../../../fuzz/src/lib.rs"]
#[allow(unreachable_pub)]
mod targets;

use targets::{addresses, authors, end_of_data, mime, reports, smtp_commands};

/// Returns the seeds of a target. Fails if there are none.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let entries = std::fs::read_dir(&folder).expect("every target has a folder of seeds");
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.expect("a folder of seeds can be listed").path();
        std::fs::read(path).expect("a seed can be read")
    };
    let seeds: Vec<Vec<u8>> = entries.map(read).collect();
    assert!(!seeds.is_empty(), "no seeds in {}", folder.display());
    seeds
}

/// Generates seeds in which a few bytes are replaced, removed or inserted, or random bytes.
fn inputs(target: &str) -> impl Strategy<Value = Vec<u8>> + use<> {
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0_u8..4, any::<u8>()), 0..6);
    let edited = (prop::sample::select(seeds(target)), edits).prop_map(|(mut bytes, edits)| {
        for (index, kind, byte) in edits {
            let at = index.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => bytes.insert(at, b'\n'),
                _ if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => {}
            }
        }
        bytes
    });
    prop_oneof![3 => edited, 1 => prop::collection::vec(any::<u8>(), 0..300)]
}

#[test]
fn every_target_passes_its_seeds() {
    type Target = (&'static str, fn(&[u8]));
    let targets: [Target; 6] = [
        ("smtp_commands", smtp_commands::run),
        ("end_of_data", end_of_data::run),
        ("mime", mime::run),
        ("reports", reports::run),
        ("addresses", addresses::run),
        ("authors", authors::run),
    ];
    for (name, run) in targets {
        seeds(name).iter().for_each(|seed| run(seed));
    }
}

proptest! {
    #[test]
    fn smtp_commands_accepts_any_input(input in inputs("smtp_commands")) {
        smtp_commands::run(&input);
    }

    #[test]
    fn end_of_data_accepts_any_input(input in inputs("end_of_data")) {
        end_of_data::run(&input);
    }

    #[test]
    fn mime_accepts_any_input(input in inputs("mime")) {
        mime::run(&input);
    }

    #[test]
    fn reports_accepts_any_input(input in inputs("reports")) {
        reports::run(&input);
    }

    #[test]
    fn addresses_accepts_any_input(input in inputs("addresses")) {
        addresses::run(&input);
    }

    #[test]
    fn authors_accepts_any_input(input in inputs("authors")) {
        authors::run(&input);
    }
}
