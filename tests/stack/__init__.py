"""docker-compose.yml as it is, in real containers: by podman, on bases from Debian's packages where no registry is at hand.

`python -m tests.stack up | down | faults` (`make stack`, `make stack-down`). machine.py: what runs containers here; bases.py: images that
others publish; compose.py: the compose file; containers.py: podman; stack.py: all of it together; faults.py: breaking it.
"""
