//! The errors that upstream documents for each command.
//!
//! In: the generated `errors` files, one text with a line for each command, in the order of the command table. Out: the codes of a command.
//! A command whose errors upstream does not list is not a command that has none: [`Documented::codes`] is `None` for the first, and empty
//! for the second.
//!
//! It is text because it is read for messages alone: some 4,000 paths to codes were 9 MiB of the compiler's memory.

use core::{fmt, marker::PhantomData};

use crate::CommandInfo;

/// What upstream says about the errors of one command; `C` is the API's status code.
#[derive(Clone, Copy, Debug)]
pub struct Documented<C: Code> {
    /// The command's symbol.
    pub symbol: &'static str,
    /// The codes, in upstream's order; `None` where upstream lists none.
    pub codes: Option<Codes<C>>,
    /// Errors of earlier, asynchronous work may come back here as well.
    pub earlier_errors: bool,
}

/// A status code that has names.
pub trait Code: Copy + PartialEq + fmt::Debug + 'static {
    /// The code of this name; `None` for a name that is not one of upstream's.
    fn from_name(name: &str) -> Option<Self>;
}

/// A list of codes, as upstream names them.
#[derive(Clone, Copy)]
pub struct Codes<C: Code> {
    names: &'static str,
    codes: PhantomData<fn() -> C>,
}

impl<C: Code> Codes<C> {
    /// The codes, in upstream's order.
    pub fn iter(&self) -> impl Iterator<Item = C> + use<C> {
        self.names.split_ascii_whitespace().filter_map(C::from_name)
    }

    /// Whether `code` is among them.
    #[must_use]
    pub fn contains(&self, code: &C) -> bool {
        self.iter().any(|listed| listed == *code)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.split_ascii_whitespace().count()
    }

    /// Whether there are none: upstream says that the command does not fail.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

impl<C: Code> fmt::Debug for Codes<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The errors of an API's commands: for each a line with its symbol, `unlisted` or the names of its codes, and `earlier` before them where
/// earlier work may come back.
#[derive(Clone, Copy)]
pub struct ErrorTable<C> {
    lines: &'static str,
    codes: PhantomData<fn() -> C>,
}

impl<C: Code> ErrorTable<C> {
    /// The table of these lines.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(lines: &'static str) -> Self {
        Self { lines, codes: PhantomData }
    }

    /// What is documented, by command, in the order of the command table. Commands of Windows come last, on every target.
    pub fn iter(&self) -> impl Iterator<Item = Documented<C>> + use<C> {
        self.lines.lines().filter(|line| !line.is_empty()).map(|line| {
            let (symbol, rest) = line.split_once(' ').unwrap_or((line, ""));
            let (earlier_errors, names) = match rest.strip_prefix("earlier") {
                Some(names) => (true, names.trim_ascii_start()),
                None => (false, rest),
            };
            let codes = (names != "unlisted").then_some(Codes { names, codes: PhantomData });
            Documented { symbol, codes, earlier_errors }
        })
    }
}

impl<C: Code> fmt::Debug for ErrorTable<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// What is documented for `command`, in the table of its API.
#[must_use]
pub fn find<C: Code>(table: ErrorTable<C>, command: &CommandInfo) -> Option<Documented<C>> {
    let same = |row: &Documented<C>| row.symbol.as_bytes() == command.symbol.to_bytes();
    table.iter().nth(usize::from(command.index)).filter(same)
}
