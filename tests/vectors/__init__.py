"""Documents that every checker must accept, and documents that every checker must refuse, frozen.

`python -m tests.vectors OUT` writes each of them as a file, with an index; `python -m tests.vectors` makes the frozen
lists anew. They are what docs/reference/formats.md says, in examples: whoever writes a checker tries it on them.
"""
