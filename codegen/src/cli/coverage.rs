//! `clcu coverage`: how much of upstream's text became rules, by function, and what is left.

use std::collections::BTreeMap;

use clcu_codegen::{
    explain::{sheet::Sheet, terminal},
    model::Api,
    pipeline,
    snapshot::coverage::{self, Account, BySubject, Text},
};
use serde::Serialize;

use super::{exit::Failure, screen::print, session::Session};

/// One API.
#[derive(Serialize)]
struct Report {
    /// By document.
    documents: BTreeMap<String, Figures>,
    /// The commands that no text is about (OpenCL only: CUDA's comments are beside what they are about).
    no_text: Vec<String>,
    /// The commands whose text has no list of errors (OpenCL only).
    no_list: Vec<String>,
    /// The commands whose list has no code: the text says what happens instead (OpenCL only).
    no_codes: Vec<String>,
    /// By command, record or enumeration.
    symbols: BySubject,
}

/// What became of the sentences of a document. They are never added up: they do not measure the same thing.
#[derive(Default, Serialize)]
struct Figures {
    /// Commands, records and enumerations with such sentences.
    symbols: usize,
    /// Pairs of a command and a code (OpenCL only).
    codes: usize,
    checkable: usize,
    partly: usize,
    attested: usize,
    explained: usize,
    unread: usize,
}

impl Figures {
    fn add(&mut self, account: &Account) {
        self.symbols += 1;
        self.codes += account.codes;
        self.checkable += account.checkable;
        self.partly += account.partly;
        self.attested += account.attested;
        self.explained += account.explained;
        self.unread += account.unread.len();
    }
}

pub(crate) fn run(session: &Session, json: bool) -> Result<(), Failure> {
    let mut reports = BTreeMap::new();
    for api in Api::ALL {
        let symbols = coverage::read(&session.document(&pipeline::coverage_path(api))?)?;
        reports.insert(api.name(), report(symbols));
    }
    if json {
        // Maps of numbers and texts: there is nothing in them that JSON could not hold.
        print(&format!("{}\n", serde_json::to_string_pretty(&reports).unwrap_or_default()));
    } else {
        for (at, api) in Api::ALL.into_iter().enumerate() {
            if let Some(report) = reports.get(api.name()) {
                let text = terminal::render(&sheet(api, report, session.screen.verbose), session.screen.style());
                print(&if at > 0 { format!("\n{text}") } else { text });
            }
        }
    }
    Ok(())
}

fn report(symbols: BySubject) -> Report {
    let mut documents: BTreeMap<String, Figures> = BTreeMap::new();
    for account in symbols.values().filter(|account| has_sentences(account)) {
        documents.entry(account.document.clone().unwrap_or_default()).or_default().add(account);
    }
    let named = |test: &dyn Fn(&Account) -> bool| -> Vec<String> {
        symbols.iter().filter(|(_, account)| test(account)).map(|(symbol, _)| symbol.clone()).collect()
    };
    let no_text = named(&|account| account.text == Some(Text::Absent));
    let no_list = named(&|account| account.text == Some(Text::Silent));
    let no_codes = named(&|account| account.text == Some(Text::Listed) && account.codes == 0);
    Report { documents, no_text, no_list, no_codes, symbols }
}

/// Whether there is text to read: always in CUDA's accounts, which have nothing else.
fn has_sentences(account: &Account) -> bool {
    account.text.is_none_or(|text| text == Text::Listed)
}

fn sheet(api: Api, report: &Report, verbose: bool) -> Sheet {
    let mut sheet = Sheet::default();
    let opencl = api == Api::OpenCl;
    sheet.heading(1, format!("{api}: what became of sentences that demand something"));
    let row = |name: &str, figures: &Figures| {
        let mut cells = vec![name.to_owned()];
        cells.extend(opencl.then(|| figures.codes.to_string()));
        cells.push(figures.checkable.to_string());
        cells.extend(opencl.then(|| figures.partly.to_string()));
        cells.push(figures.attested.to_string());
        cells.extend((!opencl).then(|| figures.explained.to_string()));
        cells.push(figures.unread.to_string());
        cells
    };
    let mut head = vec!["document"];
    if opencl {
        head.extend(["codes", "checkable", "partly checkable", "attested", "unread"]);
    } else {
        head.extend(["checkable", "attested", "demand nothing", "unread"]);
    }
    sheet.table("Documents", &head, report.documents.iter().map(|(name, figures)| row(name, figures)).collect());
    head[0] = if opencl { "command" } else { "symbol" };
    let listed = report.symbols.iter().filter(|(_, account)| has_sentences(account));
    let rows = listed.clone().map(|(symbol, account)| {
        let mut figures = Figures::default();
        figures.add(account);
        row(symbol, &figures)
    });
    sheet.table("Symbols", &head, rows.collect());
    let lists = [
        (&report.no_text, "have no text"),
        (&report.no_list, "have text without a list of errors"),
        (&report.no_codes, "have a list without a code"),
    ];
    for (names, what) in lists.into_iter().filter(|(names, _)| !names.is_empty()) {
        let shown: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        sheet.paragraph(format!("{} commands {what}: {}.", names.len(), shown.join(", ")));
    }
    if verbose {
        let left: Vec<Vec<String>> =
            listed.flat_map(|(symbol, account)| account.unread.iter().map(move |one| vec![symbol.clone(), one.clone()])).collect();
        sheet.table("Unread", &["left to read", "sentence"], left);
    } else {
        sheet.paragraph("--verbose names each sentence that is unread, by the symbol whose text it is in and a hash.");
    }
    sheet
}
