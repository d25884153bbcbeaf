"""Tells people outside of Bedside that something waits for them there, never what."""
