//! Shows how downloads go: bars on a terminal, a line at the beginning of each otherwise.

use std::{collections::BTreeMap, sync::Mutex, time::Duration};

use clcu_codegen::fetch::Progress;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// On standard error.
pub(crate) enum Show {
    /// Nothing at all.
    Nothing,
    /// Lines that stay.
    Lines,
    /// Bars that vanish.
    Bars(MultiProgress, Mutex<BTreeMap<String, ProgressBar>>),
}

impl Show {
    pub(crate) fn bars() -> Self {
        Self::Bars(MultiProgress::new(), Mutex::default())
    }
}

impl Progress for Show {
    fn begin(&self, what: &str, bytes: Option<u64>) {
        match self {
            Self::Nothing => {}
            Self::Lines => super::screen::say(&format!("fetching {what}{}", bytes.map_or_else(String::new, in_words))),
            Self::Bars(all, bars) => {
                let bar = all.add(bytes.map_or_else(ProgressBar::new_spinner, ProgressBar::new));
                let template = if bytes.is_some() {
                    "fetching {msg} [{bar:30}] {bytes}/{total_bytes}"
                } else {
                    "fetching {msg} {spinner} {bytes}"
                };
                if let Ok(style) = ProgressStyle::with_template(template) {
                    bar.set_style(style.progress_chars("=> "));
                }
                bar.set_message(what.to_owned());
                bar.enable_steady_tick(Duration::from_millis(100));
                if let Ok(mut bars) = bars.lock() {
                    bars.insert(what.to_owned(), bar);
                }
            }
        }
    }

    fn at(&self, what: &str, bytes: u64) {
        if let Self::Bars(_, bars) = self
            && let Ok(bars) = bars.lock()
            && let Some(bar) = bars.get(what)
        {
            bar.set_position(bytes);
        }
    }

    fn end(&self, what: &str) {
        if let Self::Bars(_, bars) = self
            && let Ok(mut bars) = bars.lock()
            && let Some(bar) = bars.remove(what)
        {
            bar.finish_and_clear();
        }
    }

    fn note(&self, text: &str) {
        match self {
            Self::Nothing => {}
            Self::Lines => super::screen::say(text),
            Self::Bars(all, _) => all.suspend(|| super::screen::say(text)),
        }
    }
}

/// `, 2.5 MB`.
fn in_words(bytes: u64) -> String {
    let tenths = bytes.saturating_add(50_000) / 100_000;
    format!(", {}.{} MB", tenths / 10, tenths % 10)
}
