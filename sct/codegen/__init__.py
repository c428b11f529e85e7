"""IR -> Python source -> function."""

from sct.codegen.disk import load_compiled
from sct.codegen.generate import generate, load
from sct.codegen.interface import NO_DEFAULT, Interface, LineMap, Parameter, Source

__all__ = ["NO_DEFAULT", "Interface", "LineMap", "Parameter", "Source", "generate", "load", "load_compiled"]
