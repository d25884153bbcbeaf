#!/usr/bin/env bash
# Brings the real servers that the tests talk to: Chromium, nginx and a compose implementation from Debian's packages
# when this is a Debian machine and we are root, else what can be had without; a Weaviate server built once into a cache.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
command -v chromium >/dev/null || missing+=(chromium)
command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || missing+=(nginx-light)
command -v openssl >/dev/null || missing+=(openssl)
command -v docker-compose >/dev/null || command -v podman-compose >/dev/null || command -v docker >/dev/null || missing+=(docker-compose)
if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "== Debian packages: ${missing[*]}" >&2
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >/dev/null
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  else
    echo "== not installed and not root: ${missing[*]}" >&2
    command -v chromium >/dev/null || .venv/bin/python -m playwright install chromium
  fi
fi

if [ -z "${BEDSIDE_WEAVIATE_URL:-}" ]; then
  .venv/bin/python -m tests.support.weaviate_dev --build-only
fi
