"""`connectx web`: games, values, searches and replays in the browser."""
