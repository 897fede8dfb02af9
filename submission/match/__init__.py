"""Matches: schedules, games, results files, statistics and sequential tests."""
