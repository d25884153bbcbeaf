"""Programs of others that use a running Bedside: `bedside.client`."""
