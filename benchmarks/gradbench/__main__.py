"""Answers GradBench on standard output."""

import sys

from benchmarks.gradbench.tool import serve

serve(sys.stdin, sys.stdout)
