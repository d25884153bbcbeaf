"""Downtime pack: a folder that answers on a ward's PC without a network. Made, signed and checked
here; `bedside pack` is its command."""
