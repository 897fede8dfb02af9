"""Tests of the searches and what they stand on."""
