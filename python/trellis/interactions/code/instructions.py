"""Instructions of LLVM on vectors of floats or doubles."""

from __future__ import annotations

import ctypes
import struct
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Machine:
    """An instruction set.

    Attributes
    ----------
    level : str
        ``v2``, ``v3``, ``v4`` of x86-64, or ``native``.
    vector_bytes : int
        The bytes of a vector.
    """

    level: str
    vector_bytes: int

    @property
    def cpu(self) -> str:
        """LLVM's name of the processors that have it; "" for the one at hand."""
        return "" if self.level == "native" else f"x86-64-{self.level}"


@dataclass
class Instructions:
    """Instructions on values of one type, a vector of `lanes` floats or doubles, or one of them.

    Attributes
    ----------
    machine : Machine
        For which it is.
    bits : int
        32 or 64.
    lanes : int
        Values in a vector; 1: no vector.
    lines : list of str
        The instructions so far, to which calls add.
    """

    machine: Machine
    bits: int
    lanes: int
    lines: list[str] = field(default_factory=list)
    declarations: set[str] = field(default_factory=set)
    names: list[int] = field(default_factory=lambda: [0])
    rows: dict[str, list[str]] = field(default_factory=dict)  # values of rows of tables, by their numbers

    @property
    def one(self) -> str:
        """The type of a value."""
        return "float" if self.bits == 32 else "double"

    @property
    def precision(self) -> str:
        """Return the name of the precision."""
        return "single" if self.bits == 32 else "double"

    @property
    def type(self) -> str:
        """Return the type of values."""
        return self.vector_of(self.one)

    @property
    def integers(self) -> str:
        """Return the type of whole numbers as wide as values."""
        return self.vector_of(f"i{self.bits}")

    @property
    def truths(self) -> str:
        """Return the type of the outcome of comparisons."""
        return self.vector_of("i1")

    def vector_of(self, one: str) -> str:
        """Return the type of a vector of a type."""
        return one if self.lanes == 1 else f"<{self.lanes} x {one}>"

    def put(self, instruction: str) -> str:
        """Add an instruction that has a value, and return its name."""
        self.names[0] += 1
        name = f"%v{self.names[0]}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def all_lanes(self, one: str, value: str) -> str:
        """Return a constant of a type in all lanes."""
        return value if self.lanes == 1 else f"splat ({one} {value})"

    def constant(self, value: float) -> str:
        """Return a number in all lanes."""
        if self.bits == 32:
            value = ctypes.c_float(value).value
        return self.all_lanes(self.one, f"0x{struct.unpack('Q', struct.pack('d', value))[0]:016X}")

    def integer(self, value: int) -> str:
        """Return a whole number in all lanes."""
        return self.all_lanes(f"i{self.bits}", str(value))

    def binary(self, op: str, a: str, b: str) -> str:
        """Return fadd, fsub, fmul or fdiv of two values; a product and a sum may be rounded once."""
        return self.put(f"{op} contract {self.type} {a}, {b}")

    def add(self, a: str, b: str) -> str:
        """Return a + b."""
        return self.binary("fadd", a, b)

    def mul(self, a: str, b: str) -> str:
        """Return a b."""
        return self.binary("fmul", a, b)

    def sub(self, a: str, b: str) -> str:
        """Return a - b."""
        return self.binary("fsub", a, b)

    def negative(self, a: str) -> str:
        """Return -a."""
        return self.put(f"fneg {self.type} {a}")

    def multiply_add(self, a: str, b: str, c: str) -> str:
        """Return a b + c, rounded once."""
        return self.call(f"llvm.fma.{self._suffix()}", a, b, c)

    def compare(self, predicate: str, a: str, b: str) -> str:
        """Return the outcome of a comparison."""
        return self.put(f"fcmp {predicate} {self.type} {a}, {b}")

    def select(self, condition: str, a: str, b: str) -> str:
        """Return a where the condition holds, b elsewhere."""
        return self.put(f"select {self.truths} {condition}, {self.type} {a}, {self.type} {b}")

    def on_integers(self, op: str, a: str, b: str) -> str:
        """Return the outcome of an operation on whole numbers."""
        return self.put(f"{op} {self.integers} {a}, {b}")

    def cast(self, op: str, from_: str, value: str, to: str) -> str:
        """Return a value as another type."""
        return self.put(f"{op} {from_} {value} to {to}")

    def call(self, name: str, *args: str | tuple[str, str]) -> str:
        """Return the value of an intrinsic function; args: values of this type, or types and values."""
        typed = [(self.type, arg) if isinstance(arg, str) else arg for arg in args]
        self.declarations.add(f"declare {self.type} @{name}({', '.join(type_ for type_, _ in typed)})")
        return self.put(f"call {self.type} @{name}({', '.join(f'{type_} {value}' for type_, value in typed)})")

    def splat(self, value: str) -> str:
        """Return one value in all lanes."""
        if self.lanes == 1:
            return value
        first = self.put(f"insertelement {self.type} poison, {self.one} {value}, i64 0")
        return self.put(f"shufflevector {self.type} {first}, {self.type} poison, <{self.lanes} x i32> zeroinitializer")

    def load_from(self, place: str) -> str:
        """Return the value at an address."""
        return self.put(f"load {self.type}, ptr {place}, align {self.bits // 8}")

    def load(self, base: str, place: int) -> str:
        """Return the value that begins some floats or doubles behind an address."""
        return self.load_from(self.put(f"getelementptr {self.one}, ptr {base}, i64 {place}"))

    def store(self, value: str, base: str, place: int) -> None:
        """Write a value some floats or doubles behind an address."""
        at = self.put(f"getelementptr {self.one}, ptr {base}, i64 {place}")
        self.lines.append(f"  store {self.type} {value}, ptr {at}, align {self.bits // 8}")

    def side_by_side(self, parts: list[str]) -> str:
        """Return vectors of four values, a power of two of them, as one vector."""
        lanes = 4
        while len(parts) > 1:
            type_ = f"<{lanes} x {self.one}>"
            lanes *= 2
            order = ", ".join(f"i32 {lane}" for lane in range(lanes))
            parts = [
                self.put(f"shufflevector {type_} {a}, {type_} {b}, <{lanes} x i32> <{order}>")
                for a, b in zip(parts[::2], parts[1::2], strict=True)
            ]
        return parts[0]

    def floor(self, x: str) -> str:
        """Return the largest whole number that is not above x."""
        return self.call(f"llvm.floor.{self._suffix()}", x)

    def function(self, returns: str, name: str, arguments: str) -> str:
        """Return a function of all instructions."""
        return "\n".join([f"define {returns} @{name}({arguments}) #0 {{", "entry:", *self.lines, "}"])

    def absolute(self, x: str) -> str:
        """Return the absolute value."""
        return self.call(f"llvm.fabs.{self._suffix()}", x)

    def with_sign(self, x: str, of: str) -> str:
        """Return |x| with the sign of another value."""
        return self.call(f"llvm.copysign.{self._suffix()}", x, of)

    def _suffix(self) -> str:
        return f"f{self.bits}" if self.lanes == 1 else f"v{self.lanes}f{self.bits}"
