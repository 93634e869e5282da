//! Hears the events of the runtime: in, a subscriber of the `tracing` crate for as long as a test wants; out, one line an event.

use std::{
    fmt::{self, Write as _},
    sync::{Arc, Mutex},
};

use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

/// Keeps the events of this crate, one a line.
#[derive(Clone, Debug, Default)]
pub struct Listener(Arc<Mutex<Vec<String>>>);

impl Listener {
    /// What was heard so far: each event as `field=value field=value`, without the values of times.
    ///
    /// # Panics
    /// If a test panicked while it listened.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().expect("no test panics while it holds it").clone()
    }
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let shown = match field.name() {
            // Its value is no fact to test.
            "nanoseconds" => String::new(),
            _ => format!("{value:?}"),
        };
        write!(self.0, "{}={shown} ", field.name()).expect("a string takes everything");
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "clcu"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        self.0.lock().expect("no test panics while it holds it").push(line.0.trim_end().to_owned());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
