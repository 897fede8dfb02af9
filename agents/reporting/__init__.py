"""Results as their readers have them: statistics, tables in notebooks, files that are complete."""
