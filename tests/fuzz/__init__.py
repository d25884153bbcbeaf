"""Inputs from outside, drawn by a fuzzer that follows the code's branches (atheris, on libFuzzer).

    make fuzz TARGET=pdf SECONDS=1800

A fault is any exception that is not one of our named errors, a crash of a library, more than `HANG`
seconds or `MEMORY` megabytes for one input, and a text whose places do not hold. What was found
lies in build/fuzz; each find becomes a test of its own beside the code.
"""

NAMES = ("pdf", "docx", "chunking", "sse", "wire")
