"""Making opening books, repertoires and books of traps: hours of work in files that go on."""
