"""docker-compose.yml as it is, in real containers: by podman, on bases from Debian's packages where
no registry is at hand.

`python -m tests.stack up | down | images | faults` (`make stack`, `make stack-down`). engine/: the
compose file and podman; bases.py: images that others publish; stack.py: all of it together;
checks.py: what only running containers show; faults.py: breaking it.
"""
