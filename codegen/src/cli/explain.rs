//! `clcu explain`: what the tables say about a name.

use clcu_codegen::{
    explain::{self, Explanation, Places, markdown, page, terminal},
    finding::Finding,
    model::Api,
    pipeline,
    snapshot::lines::{self, BySymbol},
};

use super::{
    exit::{Exit, Failure},
    screen::print,
    session::Session,
};

/// In which form.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Terminal,
    Json,
    Markdown,
}

impl Form {
    /// What the options ask for.
    pub(crate) fn of(json: bool, markdown: bool) -> Self {
        match (json, markdown) {
            (true, _) => Self::Json,
            (_, true) => Self::Markdown,
            _ => Self::Terminal,
        }
    }
}

pub(crate) fn run(session: &Session, name: &str, form: Form) -> Result<(), Failure> {
    let models = session.snapshots()?;
    let read = |path: &str| Ok::<_, Failure>(lines::read(&session.document(path)?)?);
    let mut declared = Vec::new();
    for api in Api::ALL {
        declared.push(read(&pipeline::lines_path(api))?);
    }
    // CUDA's text is the comments of its declarations.
    let written = [BySymbol::new(), read(pipeline::TEXT_LINES)?];
    let places = declared.iter().zip(&written).map(|(declarations, text)| Places { declarations, text });
    let sources: Vec<_> = models.iter().zip(places).collect();
    let explained = explain::explain(&sources, name).map_err(|unknown| nothing(name, &unknown.nearest))?;
    for (at, explanation) in explained.iter().enumerate() {
        let text = show(session, explanation, form);
        print(&if at > 0 { format!("\n{text}") } else { text });
    }
    Ok(())
}

fn show(session: &Session, explanation: &Explanation, form: Form) -> String {
    match form {
        // Lists of texts and numbers: there is nothing in them that JSON could not hold.
        Form::Json => format!("{}\n", serde_json::to_string_pretty(explanation).unwrap_or_default()),
        Form::Markdown => markdown::render(&page::page(explanation)),
        Form::Terminal => terminal::render(&page::page(explanation), session.screen.style()),
    }
}

fn nothing(name: &str, nearest: &[String]) -> Failure {
    let finding = Finding::error(format!("neither API has anything called `{name}`"));
    let help = match nearest {
        [] => "give the name of a command, record, handle type, rule, enumeration or error code".to_owned(),
        names => format!("did you mean {}?", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")),
    };
    Failure::new(Exit::Input, finding.help(help))
}
