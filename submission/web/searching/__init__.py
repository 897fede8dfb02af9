"""The processes that search for the pages, and what they find out."""
