"""Who is stronger: a round robin's ratings, its tables and its page."""
