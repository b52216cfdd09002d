//! The options that name the store and its configuration, before and after the name of a command.

use std::path::PathBuf;

use clap::Args;
use posthouse_domain::Time;

use super::outcome::CommandError;
use crate::boot::owner;
use crate::config::{Configuration, Sources, absolute};

/// Options that the operator's commands accept, before and after their name.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Global options")]
pub(super) struct GlobalOptions {
    /// TOML configuration file; environment variables (POSTHOUSE__SECTION__KEY) override it.
    #[arg(long, value_name = "FILE", global = true, display_order = 100)]
    pub(super) config: Option<PathBuf>,
    /// Directory of the embedded database, blobs and keys [default: ./data].
    #[arg(long, value_name = "DIR", global = true, display_order = 101)]
    pub(super) data_dir: Option<PathBuf>,
    /// Time at which the clock of this process starts, for rehearsals.
    #[arg(long, value_name = "TIME", global = true, hide = true, value_parser = Time::parse)]
    pub(super) clock_start: Option<Time>,
}

/// [`GlobalOptions`] before the name of the command.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Options of serve and admin")]
pub(super) struct LeadingStoreOptions {
    /// TOML configuration file; environment variables (POSTHOUSE__SECTION__KEY) override it.
    #[arg(id = "leading_config", long = "config", value_name = "FILE", display_order = 100)]
    pub(super) config: Option<PathBuf>,
    /// Directory of the embedded database, blobs and keys [default: ./data].
    #[arg(id = "leading_data_dir", long = "data-dir", value_name = "DIR", display_order = 101)]
    pub(super) data_dir: Option<PathBuf>,
}

impl LeadingStoreOptions {
    /// Returns the first of these options that was given, as it is written.
    pub(super) fn first_given(&self) -> Option<&'static str> {
        let given = [(&self.config, "--config"), (&self.data_dir, "--data-dir")];
        given.into_iter().find(|(value, _)| value.is_some()).map(|(_, name)| name)
    }
}

impl GlobalOptions {
    /// Completes these options with those before the name of the command.
    pub(super) fn with_leading(self, leading: LeadingStoreOptions) -> Self {
        let (config, data_dir) = (self.config.or(leading.config), self.data_dir.or(leading.data_dir));
        Self { config, data_dir, ..self }
    }

    pub(super) fn start_clock(&self, config: &mut Configuration) {
        config.clock_ahead_ms = self.clock_start.map_or(0, |start| start.since_ms(crate::boot::clock().now()));
    }

    pub(super) fn sources(&self) -> Sources {
        Sources::of_process(self.config.clone(), self.data_dir.clone())
    }

    /// Loads the configuration for a command that works on a store, and checks that there is one.
    pub(super) fn load_with_store(&self) -> Result<Configuration, CommandError> {
        let config = self.load()?;
        crate::boot::require_store(&config)?;
        Ok(config)
    }

    /// Loads the configuration. From here on, root works as the owner of the store.
    pub(super) fn load(&self) -> Result<Configuration, CommandError> {
        let config = self.load_as_caller()?;
        owner::become_owner(&config)?;
        Ok(config)
    }

    /// [`GlobalOptions::load`] for a command that becomes the owner itself. Its paths are absolute, because errors name them.
    pub(super) fn load_as_caller(&self) -> Result<Configuration, CommandError> {
        let mut config = crate::config::load(&self.sources())?;
        config.data_dir = absolute(&config.data_dir);
        self.start_clock(&mut config);
        crate::telemetry::start(&config.log);
        Ok(config)
    }
}
