//! Keys outside a section, and those of `mail` and `log`.

use std::path::PathBuf;

use posthouse_app::settings::SecretText;

use crate::config::{
    key::{ConfigKey, DefaultValue, Key, keys, list, value},
    types::{
        BlobUrl, CanonicalAddress, DatabaseLocation, Domain, FilePath, HttpUrl, InstanceKeyText, OneOf, Text,
        ValueType, list_of,
    },
};

keys! {
    BASE_URL: String = "base_url" => {
        kind: HttpUrl,
        default: DefaultValue::Text("`http://` and the address of `http.listen`"),
        example: "https://mail.example.com",
        help: "Public URL of the API.",
    }
    DATA_DIR: PathBuf = "data_dir" => {
        kind: FilePath,
        default: value("./data"),
        example: "/var/lib/posthouse",
        flag: "--data-dir",
        help: "Directory of the embedded database, blobs, keys and certificates.",
    }
    #[secret]
    DATABASE_URL: String = "database_url" => {
        kind: DatabaseLocation,
        default: DefaultValue::Text("an SQLite database in `data_dir`"),
        example: "postgres://posthouse:password@db.example.com/posthouse?sslmode=verify-full",
        help: "The database. `sslmode` is `disable`, `prefer`, `require` or `verify-full`.",
    }
    BLOB_URL: String = "blob_url" => {
        kind: BlobUrl,
        default: DefaultValue::Text("files in `data_dir`"),
        example: "s3://bucket/prefix",
        help: "The store of message contents. The endpoint and credentials of S3 come from the standard AWS variables.",
    }
    #[secret]
    INSTANCE_KEY: SecretText = "instance_key" => {
        kind: InstanceKeyText,
        default: DefaultValue::Text("the file `instance.key` in `data_dir`, created at the first start"),
        example: "cmVwbGFjZS10aGlzLXdpdGgtMzItcmFuZG9tLWJ5dGU=",
        help: "Key that encrypts stored secrets.",
    }
    MAIL_DEFAULT_DOMAIN: String = "mail.default_domain" => {
        kind: Domain,
        default: value("agents.localhost"),
        example: "agents.example.com",
        help: "Domain that inboxes of all workspaces share.",
    }
    MAIL_TEMPORARY_DOMAIN: String = "mail.temporary_domain" => {
        kind: Domain,
        default: DefaultValue::Text("`tmp.` followed by `mail.default_domain`"),
        example: "tmp.example.com",
        help: "Domain of temporary inboxes.",
    }
    MAIL_RESERVED_NAMES: Vec<String> = "mail.reserved_names" => {
        kind: list_of(Text),
        default: value(list([])),
        example: list(["acme", "acme-support"]),
        help: "Further names that speak for you, beside those of the service and of its domains. Other workspaces can't \
            have them as local parts at the shared domain, as handles, or in display names.",
    }
    MAIL_POSTMASTER: String = "mail.postmaster" => {
        kind: CanonicalAddress,
        default: DefaultValue::Text("the owner of the first workspace"),
        example: "ops@example.com",
        help: "Address of the person who is notified of mail to postmaster and abuse at the default domain.",
    }
    LOG_JSON: bool = "log.format" => {
        kind: OneOf(&[("text", false), ("json", true)]),
        default: value("text"),
        example: "json",
        help: "`text` is for people, `json` for machines.",
    }
    LOG_LEVEL: &'static str = "log.level" => {
        kind: OneOf(&[
            ("off", "off"), ("error", "error"), ("warn", "warn"), ("info", "info"), ("debug", "debug"),
            ("trace", "trace"),
        ]),
        default: value("info"),
        example: "debug",
        help: "Lowest level of messages in the log.",
    }
}
