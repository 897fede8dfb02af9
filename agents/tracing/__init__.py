"""What a search visited and left out: its trace, its picture, its story."""
