//! Options that every command of the client accepts.

use clap::{Args, builder::NonEmptyStringValueParser};

use crate::environment;

/// Options of every command that talks to a server.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Server and output")]
pub struct ClientOptions {
    /// Print JSON, one object a line; the default if the output is no terminal.
    #[arg(long, global = true, display_order = 200, conflicts_with = "table")]
    json: bool,
    /// Print tables, also if the output is no terminal.
    #[arg(long, global = true, display_order = 201)]
    table: bool,
    /// Members to print, separated by commas, such as id,inbox.address.
    #[arg(long, global = true, value_name = "LIST", value_delimiter = ',', display_order = 202)]
    fields: Vec<String>,
    /// Address of the server [env: POSTHOUSE_BASE_URL].
    #[arg(long, global = true, value_name = "URL", display_order = 203)]
    base_url: Option<String>,
    /// Stored key and server to use [env: POSTHOUSE_PROFILE].
    #[arg(long, global = true, value_name = "NAME", display_order = 204, value_parser = NonEmptyStringValueParser::new())]
    profile: Option<String>,
}

/// The same options before the name of the command. The help lists them with the commands.
#[derive(Args, Clone, Debug, Default)]
pub struct LeadingOptions {
    #[arg(id = "leading_json", long = "json", hide = true)]
    json: bool,
    #[arg(id = "leading_table", long = "table", hide = true)]
    table: bool,
    #[arg(id = "leading_fields", long = "fields", value_delimiter = ',', hide = true)]
    fields: Vec<String>,
    #[arg(id = "leading_base_url", long = "base-url", hide = true)]
    base_url: Option<String>,
    #[arg(id = "leading_profile", long = "profile", hide = true, value_parser = NonEmptyStringValueParser::new())]
    profile: Option<String>,
}

impl LeadingOptions {
    /// Returns the first of these options that was given, as it is written.
    #[must_use]
    pub fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.json, "--json"),
            (self.table, "--table"),
            (!self.fields.is_empty(), "--fields"),
            (self.base_url.is_some(), "--base-url"),
            (self.profile.is_some(), "--profile"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
    }
}

/// The form of the output that the options ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WantedForm {
    /// Tables on a terminal, otherwise JSON.
    Automatic,
    /// `--json`.
    Json,
    /// `--table`.
    Table,
}

impl ClientOptions {
    /// Completes these options with those before the name of the command.
    pub(crate) fn with_leading(self, leading: LeadingOptions) -> Self {
        Self {
            json: self.json || leading.json,
            table: self.table || leading.table,
            fields: if self.fields.is_empty() { leading.fields } else { self.fields },
            base_url: self.base_url.or(leading.base_url),
            profile: self.profile.or(leading.profile),
        }
    }

    /// Returns the form of the output.
    pub(crate) fn form(&self) -> WantedForm {
        match (self.json, self.table) {
            (true, _) => WantedForm::Json,
            (false, true) => WantedForm::Table,
            (false, false) => WantedForm::Automatic,
        }
    }

    /// Returns the members to print; empty for the usual ones.
    pub(crate) fn fields(&self) -> Vec<String> {
        self.fields.iter().map(|field| field.trim().to_owned()).filter(|field| !field.is_empty()).collect()
    }

    /// Returns the address of the server, if an option or the environment names one.
    pub(crate) fn base_url(&self, environment: &environment::Environment) -> Option<String> {
        self.base_url.clone().or_else(|| environment.base_url.clone())
    }

    /// Returns the profile that an option names, which wins over the environment.
    pub(crate) fn chosen_profile(&self) -> Option<&str> {
        self.profile.as_deref()
    }

    /// Returns the address of the server that an option names.
    pub(crate) fn chosen_base_url(&self) -> Option<String> {
        self.base_url.clone()
    }

    /// Returns the name of the profile, if an option or the environment names one.
    pub(crate) fn profile(&self, environment: &environment::Environment) -> Option<String> {
        self.profile.clone().or_else(|| environment.profile.clone())
    }
}
