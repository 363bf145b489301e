//! MIR as rustc prints it: syntax tree, parser, printer.
