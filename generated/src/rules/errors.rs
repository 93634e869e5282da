//! The errors that upstream documents for each command.
//!
//! In: the rows of the generated `errors` files, in the order of the command table. Out: the codes of a command. A command whose errors
//! upstream does not list is not a command that has none: [`Documented::codes`] is `None` for the first, and empty for the second.

use crate::CommandInfo;

/// What upstream says about the errors of one command; `C` is the API's status code.
#[derive(Debug)]
pub struct Documented<C: 'static> {
    /// The command's symbol.
    pub symbol: &'static str,
    /// The codes, in upstream's order; `None` where upstream lists none.
    pub codes: Option<&'static [C]>,
    /// Errors of earlier, asynchronous work may come back here as well.
    pub earlier_errors: bool,
}

/// A row: whose errors, which, and whether those of earlier work may come back.
#[doc(hidden)]
#[must_use]
pub const fn documented<C>(symbol: &'static str, codes: Option<&'static [C]>, earlier_errors: bool) -> Documented<C> {
    Documented { symbol, codes, earlier_errors }
}

/// The row of `command` in a table that has one for each command, in their order.
#[inline]
#[must_use]
pub fn find<C>(table: &'static [Documented<C>], command: &CommandInfo) -> Option<&'static Documented<C>> {
    let same = |row: &&Documented<C>| row.symbol.as_bytes() == command.symbol.to_bytes();
    table.get(usize::from(command.index)).filter(same)
}
