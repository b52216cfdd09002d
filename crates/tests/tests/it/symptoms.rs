//! One file per bug or RFC trap, named after the symptom it showed.

mod ready_with_a_full_disk;
mod smtp_client_waits;
mod smtp_mail_is_half_there;
mod smtp_smuggling;
mod smtp_wrong_client_address;
