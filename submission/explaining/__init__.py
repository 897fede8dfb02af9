"""The `explain` command: what a search did, in words, as a picture, and as an exercise."""
