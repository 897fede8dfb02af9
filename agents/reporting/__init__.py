"""Results for readers: statistics, tables in notebooks, files written as a whole or not at all."""
