"""How is an XPath expression parsed?

XPath 1.0, without variables, namespaces and the axes that run through the whole page (`following`,
`preceding`). Errors are reported when the rules are read, not on some page.
"""

from typing import Final

from tiptoe.fields.xpath_functions import FUNCTIONS
from tiptoe.fields.xpath_syntax import (
    Binary,
    Expression,
    Filtered,
    FunctionCall,
    Negative,
    Path,
    PathStep,
    Value,
    is_positional,
)
from tiptoe.fields.xpath_tokens import Token, XPathError, tokens_of

__all__ = ["AXES", "parse_xpath"]

CHARS_MAX: Final = 1_000
DEPTH_MAX: Final = 20

AXES: Final = (
    "ancestor", "ancestor-or-self", "attribute", "child", "descendant", "descendant-or-self",
    "following-sibling", "parent", "preceding-sibling", "self",
)  # fmt: skip
_NODE_TESTS: Final = ("text", "node", "comment")
_LEVELS: Final = (("or",), ("and",), ("=", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "div", "mod"))
_ANYWHERE: Final = PathStep("descendant-or-self", "node()")


def parse_xpath(expression: str) -> Expression:
    """Parse an expression; XPathError says what is wrong with it."""
    if len(expression) > CHARS_MAX:
        raise XPathError(f"longer than {CHARS_MAX} characters")
    parser = _XPathParser(tokens_of(expression))
    parsed = parser.expression()
    if parser.here is not None:
        raise XPathError(f"{parser.here.text!r} was not expected")
    return parsed


class _XPathParser:
    """Parses tokens from left to right."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._position = 0
        self._depth = 0

    @property
    def here(self) -> Token | None:
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def _is(self, *texts: str, ahead: int = 0) -> bool:
        place = self._position + ahead
        if place >= len(self._tokens):
            return False
        token = self._tokens[place]
        return token.kind in ("sign", "operator") and token.text in texts

    def _take(self) -> Token:
        token = self.here
        if token is None:
            raise XPathError("it ends too early")
        self._position += 1
        return token

    def _expect(self, text: str) -> None:
        if not self._is(text):
            raise XPathError(f"{text!r} is missing before {self.here.text if self.here else 'its end'!r}")
        self._position += 1

    # -- expressions -----------------------------------------------------

    def expression(self, level: int = 0) -> Expression:
        """Parse operators of this level and of levels that bind more tightly."""
        self._depth += 1
        if self._depth > DEPTH_MAX * len(_LEVELS):
            raise XPathError("nested too deeply")
        if level == len(_LEVELS):
            read: Expression = self._negative()
        else:
            read = self.expression(level + 1)
            while self._is(*_LEVELS[level]):
                read = Binary(self._take().text, read, self.expression(level + 1))
        self._depth -= 1
        return read

    def _negative(self) -> Expression:
        signs = 0
        while self._is("-"):
            self._position += 1
            signs += 1
        read = self._union()
        for _ in range(signs):
            read = Negative(read)
        return read

    def _union(self) -> Expression:
        read = self._path()
        while self._is("|"):
            self._position += 1
            read = Binary("|", read, self._path())
        return read

    # -- paths -----------------------------------------------------------

    def _path(self) -> Expression:
        if self._is("/", "//"):
            is_anywhere = self._take().text == "//"
            if not is_anywhere and not self._begins_step():
                return Path(None, True, ())
            return Path(None, True, self._steps(is_anywhere=is_anywhere))
        if not self._begins_primary():
            return Path(None, False, self._steps(is_anywhere=False))
        read = self._primary()
        if conditions := self._conditions():
            read = Filtered(read, conditions)
        if self._is("/", "//"):
            return Path(read, False, self._steps(is_anywhere=self._take().text == "//"))
        return read

    def _begins_primary(self) -> bool:
        token = self.here
        if token is None:
            raise XPathError("it ends too early")
        is_call = token.kind == "name" and self._is("(", ahead=1) and token.text not in _NODE_TESTS
        return token.kind in ("number", "literal") or self._is("(") or is_call

    def _begins_step(self) -> bool:
        token = self.here
        return token is not None and (token.kind == "name" or self._is("*", "@", ".", ".."))

    def _primary(self) -> Expression:
        token = self._take()
        if token.kind == "number":
            return Value(float(token.text))
        if token.kind == "literal":
            return Value(token.text)
        if token.text == "(":
            read = self.expression()
            self._expect(")")
            return read
        return self._call(token.text)

    def _call(self, name: str) -> FunctionCall:
        self._expect("(")
        arguments: list[Expression] = []
        while not self._is(")"):
            if arguments:
                self._expect(",")
            arguments.append(self.expression())
        self._expect(")")
        if name not in FUNCTIONS:
            raise XPathError(f"{name}() is not understood; there are {', '.join(sorted(FUNCTIONS))}")
        least, most = FUNCTIONS[name].least, FUNCTIONS[name].most
        if not least <= len(arguments) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            raise XPathError(f"{name}() takes {wanted} values, not {len(arguments)}")
        return FunctionCall(name, tuple(arguments))

    def _steps(self, *, is_anywhere: bool) -> tuple[PathStep, ...]:
        steps: list[PathStep] = []
        while True:
            step = self._step()
            if is_anywhere and step.axis == "child" and not any(map(is_positional, step.conditions)):
                steps.append(PathStep("descendant", step.test, step.conditions))  # the same, and much faster
            else:
                steps += [_ANYWHERE, step] if is_anywhere else [step]
            if not self._is("/", "//"):
                return tuple(steps)
            is_anywhere = self._take().text == "//"

    def _step(self) -> PathStep:
        if self._is(".", ".."):
            axis = "self" if self._take().text == "." else "parent"
            return PathStep(axis, "node()")
        axis = "child"
        if self._is("@"):
            self._position += 1
            axis = "attribute"
        elif self._is("::", ahead=1):
            axis = self._take().text
            self._position += 1
            if axis not in AXES:
                raise XPathError(f"{axis}:: is not understood; there are {', '.join(AXES)}")
        return PathStep(axis, self._test(axis), self._conditions())

    def _test(self, axis: str) -> str:
        token = self._take()
        if token.text == "*" and token.kind in ("sign", "operator"):
            return "*"
        if token.kind != "name":
            raise XPathError(f"a name was expected before {token.text!r}")
        if self._is("("):
            if token.text not in _NODE_TESTS or axis == "attribute":
                raise XPathError(f"{token.text}() cannot stand here")
            self._position += 1
            self._expect(")")
            return f"{token.text}()"
        return token.text.lower()

    def _conditions(self) -> tuple[Expression, ...]:
        conditions: list[Expression] = []
        while self._is("["):
            self._position += 1
            conditions.append(self.expression())
            self._expect("]")
        return tuple(conditions)
