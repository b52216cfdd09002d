//! Keys of `signup`.

use posthouse_domain::{plan::Limit, signup::DIFFICULTY_MAX};

use crate::config::{
    key::{ConfigKey, DefaultValue, Key, keys, value},
    types::{Count, Flag, HttpUrl, Quota, ValueType},
};

keys! {
    ENABLED: bool = "signup.enabled" => {
        kind: Flag,
        default: DefaultValue::Text("`false`; `true` in the loopback profile"),
        example: true,
        help: "Lets agents and people sign up. Each signup creates a workspace.",
    }
    DIFFICULTY: usize = "signup.difficulty" => {
        kind: Count { min: 0, max: DIFFICULTY_MAX as usize },
        default: value(20),
        example: 22,
        help: "Zero bits that the solution of a challenge must produce. Each bit doubles the work; 20 take about a second.",
    }
    PER_ADDRESS_PER_DAY: Limit = "signup.per_address_per_day" => {
        kind: Quota,
        default: value(5),
        example: 20,
        help: "Self-signups per day (UTC) from one client address, for IPv6 from one /56 network.",
    }
    TERMS_URL: String = "signup.terms_url" => {
        kind: HttpUrl,
        default: DefaultValue::Text("none"),
        example: "https://mail.example.com/terms",
        help: "URL of your terms of service, which the challenge names.",
    }
}
