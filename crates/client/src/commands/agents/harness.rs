//! Agents and editors that use MCP servers, and where each has its configuration.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::{environment::Environment, error::ClientError};

/// The name of an agent or editor on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum HarnessName {
    /// Claude Desktop.
    Claude,
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    Vscode,
    /// Windsurf.
    Windsurf,
    /// Gemini CLI.
    Gemini,
    /// OpenClaw.
    Openclaw,
    /// Hermes Agent.
    Hermes,
}

/// The form of a configuration file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    /// JSON. `with_type` adds `"type": "stdio"`.
    Json {
        /// Whether the entry states its transport.
        with_type: bool,
    },
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

/// The directory that a path is relative to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Root {
    Home,
    Config,
}

/// An agent or editor.
pub(super) struct Harness {
    /// Its name for people.
    pub(super) title: &'static str,
    /// The form of its file.
    pub(super) format: Format,
    /// The members that lead to the MCP servers.
    pub(super) servers: &'static [&'static str],
    root: Root,
    file: &'static str,
}

const PLAIN_JSON: Format = Format::Json { with_type: false };
const TYPED_JSON: Format = Format::Json { with_type: true };
const MCP_SERVERS: &[&str] = &["mcpServers"];

impl Harness {
    /// Returns the agent or editor with this name.
    pub(super) fn of(name: HarnessName) -> Self {
        let row = |title, format, servers, root, file| Self { title, format, servers, root, file };
        use Root::{Config, Home};
        match name {
            HarnessName::Claude => {
                row("Claude Desktop", PLAIN_JSON, MCP_SERVERS, Config, "Claude/claude_desktop_config.json")
            }
            HarnessName::ClaudeCode => row("Claude Code", TYPED_JSON, MCP_SERVERS, Home, ".claude.json"),
            HarnessName::Codex => row("Codex", Format::Toml, &["mcp_servers"], Home, ".codex/config.toml"),
            HarnessName::Cursor => row("Cursor", PLAIN_JSON, MCP_SERVERS, Home, ".cursor/mcp.json"),
            HarnessName::Vscode => row("Visual Studio Code", TYPED_JSON, &["servers"], Config, "Code/User/mcp.json"),
            HarnessName::Windsurf => {
                row("Windsurf", PLAIN_JSON, MCP_SERVERS, Home, ".codeium/windsurf/mcp_config.json")
            }
            HarnessName::Gemini => row("Gemini CLI", PLAIN_JSON, MCP_SERVERS, Home, ".gemini/settings.json"),
            HarnessName::Openclaw => row("OpenClaw", PLAIN_JSON, &["mcp", "servers"], Home, ".openclaw/openclaw.json"),
            HarnessName::Hermes => row("Hermes Agent", Format::Yaml, &["mcp_servers"], Home, ".hermes/config.yaml"),
        }
    }

    /// Returns the path of the configuration file.
    ///
    /// # Errors
    /// Fails if the user has no home directory.
    pub(super) fn path(&self, environment: &Environment) -> Result<PathBuf, ClientError> {
        let missing = || ClientError::Failed("there is no home directory; set HOME".to_owned());
        Ok(self.root(environment).ok_or_else(missing)?.join(self.file))
    }

    /// Returns the directory that the path begins with.
    pub(super) fn root<'a>(&self, environment: &'a Environment) -> Option<&'a Path> {
        let root = match self.root {
            Root::Home => &environment.home,
            Root::Config => &environment.config_home,
        };
        root.as_deref()
    }
}
