//! Which formats are asked for: one on standard output, any others into files.

use crate::report::github::GithubReporter;
use crate::report::html::HtmlReporter;
use crate::report::human::{self, HumanReporter};
use crate::report::json::JsonReporter;
use crate::report::junit::JunitReporter;
use crate::report::sarif::SarifReporter;
use crate::report::short::ShortReporter;
use crate::report::{Reporter, Target};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reports")]
pub struct OutputArgs {
    /// What goes to standard output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "human")]
    pub message_format: MessageFormat,
    /// Also show how every pass was verified, and what the solver was asked
    #[arg(short, long)]
    pub verbose: bool,
    /// Also write SARIF 2.1.0, for code scanning
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Also write JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Also write a report to look at, in one file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Also write verification witnesses (format 2.0), for `check-proof --witness`
    #[arg(long, value_name = "FILE.yml")]
    pub witness: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    Human,
    /// One line a root and a finding
    Short,
    /// One object a line
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// JUnit XML
    Junit,
    /// Annotations and a step summary of GitHub Actions
    Github,
}

impl OutputArgs {
    /// `file` is the one that is verified, if it is one; `quiet` is cargo's own flag; `survey`: every
    /// function is a root.
    pub fn reporters(
        &self,
        file: Option<&Path>,
        quiet: bool,
        survey: bool,
    ) -> Vec<Box<dyn Reporter>> {
        let human = HumanReporter {
            width: human::width(),
            quiet,
            verbose: self.verbose,
            survey,
            file: file.map(Path::to_path_buf),
        };
        let mut all: Vec<Box<dyn Reporter>> = vec![match self.message_format {
            MessageFormat::Human => Box::new(human),
            MessageFormat::Short => Box::new(ShortReporter),
            MessageFormat::Json => Box::new(JsonReporter),
            MessageFormat::Sarif => Box::new(SarifReporter(Target::Stdout)),
            MessageFormat::Junit => Box::new(JunitReporter(Target::Stdout)),
            MessageFormat::Github => Box::new(GithubReporter),
        }];
        if let Some(file) = &self.sarif {
            all.push(Box::new(SarifReporter(Target::File(file.clone()))));
        }
        if let Some(file) = &self.junit {
            all.push(Box::new(JunitReporter(Target::File(file.clone()))));
        }
        if let Some(file) = &self.html {
            all.push(Box::new(HtmlReporter(Target::File(file.clone()))));
        }
        all
    }
}
