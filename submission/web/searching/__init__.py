"""The processes that search for the pages, and their results."""
