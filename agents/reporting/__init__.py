"""Results for their readers: statistics, tables in notebooks, complete files."""
