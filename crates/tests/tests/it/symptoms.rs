//! One file per bug or RFC trap, named after the symptom it showed.

mod body_that_never_came_held_its_connection;
mod bounce_at_another_address_ignored;
mod bounce_told_as_new_mail;
mod content_of_many_sessions_fills_the_memory;
mod dead_address_of_ours_stayed_open;
mod dead_job_left_its_mail_queued;
mod help_named_what_was_not_there;
mod labels_of_one_lost_to_another;
mod long_text_called_a_wrong_field;
mod mail_to_oneself_in_two_threads;
mod mail_waits_for_silent_name_servers;
mod problems_told_one_after_the_other;
mod rate_limit_fields_missing_when_it_matters;
mod ready_with_a_full_disk;
mod refusal_lost_in_a_reset;
mod sender_with_an_underscore_refused;
mod smtp_client_waits;
mod smtp_mail_is_half_there;
mod smtp_smuggling;
mod smtp_wrong_client_address;
mod unreadable_request_without_an_error_body;
mod wait_on_a_deleted_inbox_went_on;
mod webhook_reaches_inside;
