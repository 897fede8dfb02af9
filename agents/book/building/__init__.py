"""Computing opening books, repertoires and books of traps: hours of work that can be resumed."""
