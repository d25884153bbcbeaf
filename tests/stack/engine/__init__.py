"""Containers, by podman: what runs them here, a compose file, its services as containers. Knows
nothing of Bedside."""
