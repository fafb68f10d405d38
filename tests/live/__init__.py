"""Tests of live sessions: threads, commands, logs, what is built on them."""
