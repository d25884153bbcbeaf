"""`python -m services.generator.native.compiling`: the kernels for several kinds of CPU, as an
image's build makes them. See built.py."""

from services.generator.native.compiling.built import build

if __name__ == "__main__":
    for path in build():
        print(path)
