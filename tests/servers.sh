#!/usr/bin/env bash
# Brings the real programs that the tests talk to: Chromium, nginx, a compose implementation, LibreOffice and tesseract from Debian's
# packages when this is a Debian machine and we are root, else what can be had without; a Weaviate server built once into a
# cache. About a minute and 700 MB for the packages, once.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
command -v chromium >/dev/null || missing+=(chromium)
command -v chromium-headless-shell >/dev/null || missing+=(chromium-headless-shell)  # has no window: half the time
command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || missing+=(nginx-light)
command -v openssl >/dev/null || missing+=(openssl)
# A `docker` alone is no compose: the plugin may be missing.
docker-compose version >/dev/null 2>&1 || docker compose version >/dev/null 2>&1 || podman-compose version >/dev/null 2>&1 \
  || missing+=(docker-compose)
for part in writer calc impress; do  # each opens files of its own kind
  { command -v soffice && { ! command -v dpkg || dpkg -s "libreoffice-$part-nogui" || dpkg -s "libreoffice-$part"; }; } >/dev/null 2>&1 \
    || missing+=("libreoffice-$part-nogui")
done
for language in nld eng; do  # the second reader of scans
  { command -v tesseract && tesseract --list-langs | grep -qx "$language"; } >/dev/null 2>&1 || missing+=("tesseract-ocr-$language")
done
command -v tesseract >/dev/null || missing+=(tesseract-ocr)
if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "== Debian packages: ${missing[*]}" >&2
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >/dev/null
    apt-cache show chromium-headless-shell >/dev/null 2>&1 || missing=("${missing[@]/chromium-headless-shell/chromium}")
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  else
    echo "== not installed and not root: ${missing[*]}" >&2
    command -v chromium >/dev/null || .venv/bin/python -m playwright install chromium
  fi
fi

if [ -z "${BEDSIDE_WEAVIATE_URL:-}" ]; then
  .venv/bin/python -m tests.support.weaviate_dev --build-only
fi
