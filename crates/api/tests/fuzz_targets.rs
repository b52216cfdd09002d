//! Runs the fuzz targets as bounded tests: with their seeds, with modified seeds, and with random bytes.

use std::path::Path;

use proptest::prelude::*;

#[path = "../../../fuzz/src/lib.rs"]
#[allow(unreachable_pub, dead_code, reason = "the targets are a crate of their own")]
mod targets;

use targets::{
    addresses, arc, authors, charsets, cursors, dkim, dmarc, end_of_data, files, links, mime, reports, search,
    smtp_commands, spf_macros, spf_records, wire,
};

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

/// Defines the tests of all targets.
macro_rules! targets {
    ($($name:ident: $test:ident,)*) => {
        #[test]
        fn every_target_passes_its_seeds() {
            let targets: Vec<(&str, fn(&[u8]))> = vec![$((stringify!($name), $name::run)),*];
            let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/fuzz_targets");
            let files = std::fs::read_dir(files).expect("the folder of targets can be listed").count();
            assert_eq!(targets.len(), files, "every target is tested here");
            for (name, run) in targets {
                seeds(name).iter().for_each(|seed| run(seed));
            }
        }

        proptest! {
            $(
                #[test]
                fn $test(input in inputs(stringify!($name))) {
                    $name::run(&input);
                }
            )*
        }
    };
}

targets! {
    addresses: addresses_accepts_any_input,
    arc: arc_accepts_any_input,
    authors: authors_accepts_any_input,
    charsets: charsets_accepts_any_input,
    cursors: cursors_accepts_any_input,
    dkim: dkim_accepts_any_input,
    dmarc: dmarc_accepts_any_input,
    end_of_data: end_of_data_accepts_any_input,
    files: files_accepts_any_input,
    links: links_accepts_any_input,
    mime: mime_accepts_any_input,
    reports: reports_accepts_any_input,
    search: search_accepts_any_input,
    smtp_commands: smtp_commands_accepts_any_input,
    spf_macros: spf_macros_accepts_any_input,
    spf_records: spf_records_accepts_any_input,
    wire: wire_accepts_any_input,
}
