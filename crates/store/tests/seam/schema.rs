//! The schema of a fresh database is the one in `tests/schema/`, and released migrations never change.

use std::{fmt::Write, path::Path};

use posthouse_store::{DatabaseUrl, migrate, migrate::MIGRATIONS};
use sha2::{Digest, Sha256};

use crate::support::Dir;

/// The SHA-256 of each migration without comments. A released migration is never edited, because databases that have it wouldn't get the
/// change: add a migration instead.
const CHECKSUMS: &[Checksum] = &[
    Checksum { name: "0001_schema", sha256: "bf6cbe6d150ef29964d2a58b32bf35e8d35c5fa355025ecb2afc20fe7d98a27c" },
    Checksum { name: "0002_connectors", sha256: "e7afc7a2898735270e0b018da41ba26937f18af0b64e9b2f9196d5921b5629ef" },
    Checksum {
        name: "0003_mcp_subscriptions",
        sha256: "93b6f9b429e51ff28f3b56fa9b85de65a1d4ca1c54b8f62e8560fd974055380d",
    },
    Checksum { name: "0004_screening", sha256: "21a3d697928f2e254c95685f86afb577c5213816f2e3e6454ebd9d851674f6d6" },
    Checksum { name: "0005_guard", sha256: "938eabbc7da2a6e88b7cd7c271d8ab07e417cdaf7f48ab3847a69088f2766f3c" },
    Checksum { name: "0006_files", sha256: "17ed301075eebd4e86552fe900eae831626b4643115d4c82533321f9a20fcbfc" },
    Checksum { name: "0007_knowledge", sha256: "e0af9e368a91dde5be810f2636e44768c1c331015a8db8eca5685602d9699c0c" },
    Checksum { name: "0008_local_check", sha256: "e6aba70071e8c7ba7b4ac69a683687ef96cc69b7bcff6e1871e6256ea69ce729" },
    Checksum { name: "0009_file_copies", sha256: "7594c9ff71cbbeb60281da1b5455779e35e919e9536e105e83f21370a0d43cd0" },
    Checksum { name: "0010_mcp_files", sha256: "9f2d73fb7a769f646169152f9375bc822395912941d22f2a69527aba9f93b4ee" },
    Checksum { name: "0011_visibility", sha256: "98980c16bd8e3ab6d4aecc349e6e1b3f6f843a723200b4d149371f9278c286a0" },
];

struct Checksum {
    name: &'static str,
    sha256: &'static str,
}

#[test]
fn released_migrations_are_unchanged() {
    let names: Vec<_> = MIGRATIONS.iter().map(|migration| migration.name).collect();
    let listed: Vec<_> = CHECKSUMS.iter().map(|checksum| checksum.name).collect();
    assert_eq!(names, listed, "list the checksum of every migration");
    for (migration, checksum) in MIGRATIONS.iter().zip(CHECKSUMS) {
        let sha256 = Sha256::digest(without_comments(migration.text)).iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        assert_eq!(sha256, checksum.sha256, "{}: add a migration instead of changing a released one", migration.name);
    }
}

/// Comments may change: they declare what the program makes of a table.
fn without_comments(text: &str) -> String {
    let code = text.lines().map(|line| line.split("--").next().unwrap_or(line).trim_end());
    code.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_fresh_sqlite_database_has_the_schema_of_the_golden_file() {
    let dir = Dir::new();
    compare(&DatabaseUrl::Sqlite(dir.path().join("fresh.db")), "sqlite.sql", sqlite_layout);
}

#[test]
fn a_fresh_postgres_database_has_the_schema_of_the_golden_file() {
    let url = crate::postgres::Cluster::shared().create_database().parse().unwrap();
    compare(&url, "postgres.txt", str::to_owned);
}

/// Applies all migrations and compares the result with a golden file. If they differ, the new text is written to a file
/// and the failure shows the command that accepts it.
fn compare(url: &DatabaseUrl, file: &str, layout: fn(&str) -> String) {
    migrate::apply(url, MIGRATIONS).unwrap();
    let found = layout(&migrate::schema(url).unwrap());
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schema").join(file);
    let expected = std::fs::read_to_string(&golden).unwrap_or_default();
    if found != expected {
        let actual = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
        std::fs::write(&actual, &found).unwrap();
        let line = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
        panic!(
            "the schema differs from {}: {line:?}. If that is intended: cp {} {}",
            golden.display(),
            actual.display(),
            golden.display()
        );
    }
}

/// Removes comments and line breaks from the stored statements, and puts each column of a table on its own line.
fn sqlite_layout(schema: &str) -> String {
    let code: Vec<&str> = schema.lines().map(|line| line.split(" --").next().unwrap_or(line).trim()).collect();
    let code = code.join(" ").split_whitespace().collect::<Vec<_>>().join(" ").replace(" )", ")").replace("( ", "(");
    let mut out = String::new();
    for statement in code.split_inclusive(';') {
        let statement = statement.trim();
        let is_table = statement.starts_with("CREATE TABLE");
        let mut depth = 0;
        for c in statement.chars() {
            depth += i32::from(c == '(') - i32::from(c == ')');
            out.push(c);
            if is_table && depth == 1 && (c == ',' || c == '(') {
                out.push_str("\n ");
                if c == '(' {
                    out.push(' ');
                }
            }
        }
        out.push('\n');
    }
    out
}

#[test]
fn the_layout_keeps_everything_but_comments() {
    let stored = "CREATE TABLE t ( -- rows\n  a BLOB NOT NULL,   -- an ID\n  b INTEGER,\n  PRIMARY KEY (a, b)\n)STRICT;\n\
                  CREATE INDEX t_b ON t (b) WHERE b > 0;\n";
    let expected = "CREATE TABLE t (\n  a BLOB NOT NULL,\n  b INTEGER,\n  PRIMARY KEY (a, b))STRICT;\n\
                    CREATE INDEX t_b ON t (b) WHERE b > 0;\n";
    assert_eq!(sqlite_layout(stored), expected);
}
