"""One game: who plays it, on which seats, held by which referee, and what it comes to."""
