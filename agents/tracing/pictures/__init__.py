"""A trace as a picture: what it shows, where it goes, and its shapes as SVG or as text."""
