//! The errors that upstream documents for each command.
//!
//! In: the rows of the generated `errors` files, in the order of the command table. Out: the codes of a command. A command whose errors
//! upstream does not list is not a command that has none: [`Documented::codes`] is `None` for the first, and empty for the second.

use crate::CommandInfo;

/// What upstream says about the errors of one command; `C` is the API's status code.
#[derive(Debug)]
pub struct Documented<C: 'static> {
    /// The command.
    pub command: &'static CommandInfo,
    /// The codes, in upstream's order; `None` where upstream lists none.
    pub codes: Option<&'static [C]>,
    /// Errors of earlier, asynchronous work may come back here as well.
    pub earlier_errors: bool,
}

/// The row of `command` in a table that has one for each command, in their order.
#[must_use]
#[inline]
pub fn find<C>(table: &'static [Documented<C>], command: &CommandInfo) -> Option<&'static Documented<C>> {
    let same = |row: &&Documented<C>| row.command.api == command.api && row.command.index == command.index;
    table.get(usize::from(command.index)).filter(same)
}
