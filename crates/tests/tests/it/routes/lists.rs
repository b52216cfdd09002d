//! `/v1/lists`, and the effect of allow and block lists on inbound and outbound messages.

mod entries;
mod receive;
mod send;
