"""Tests of what a submission needs, and of the command line."""
