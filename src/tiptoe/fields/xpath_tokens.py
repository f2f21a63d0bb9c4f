"""Which tokens is an XPath expression made of?

As in XPath 1.0, the token before decides whether `*` is a multiplication, and whether `and`, `or`, `div` and
`mod` are operators.
"""

import re
from typing import Final, NamedTuple

__all__ = ["Token", "XPathError", "tokens_of"]

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>\d+(?:\.\d*)?|\.\d+)|(?P<literal>"[^"]*"|'[^']*')"""
    r"""|(?P<sign>//|::|\.\.|!=|<=|>=|[()\[\].@,/|+\-=<>*])|(?P<name>[^\W\d][\w.-]*))"""
)
_OPERATORS: Final = frozenset({"and", "or", "div", "mod"})
_BEFORE_OPERAND: Final = frozenset(
    {"@", "::", "(", "[", ",", "/", "//", "|", "+", "-", "=", "!=", "<", "<=", ">", ">=", "*", *_OPERATORS}
)


class XPathError(ValueError):
    """An expression that cannot be used; says why, and what to try."""


class Token(NamedTuple):
    """One token: a `number`, `literal`, `name`, `sign` or `operator`."""

    kind: str
    text: str


def tokens_of(expression: str) -> list[Token]:
    """Split an expression into tokens; XPathError says where that fails."""
    found: list[Token] = []
    position = 0
    expression = expression.rstrip()
    while position < len(expression):
        match = _TOKEN.match(expression, position)
        if match is None or match.lastgroup is None:
            rest = expression[position : position + 20].strip()
            hint = "; variables and namespaces are not understood" if rest[:1] in ("$", ":") else ""
            raise XPathError(f"{rest!r} cannot be read{hint}")
        position = match.end()
        kind, text = match.lastgroup, match[match.lastgroup]
        follows_operand = bool(found) and not (
            found[-1].kind in ("sign", "operator") and found[-1].text in _BEFORE_OPERAND
        )
        if follows_operand and (text == "*" or (kind == "name" and text in _OPERATORS)):
            kind = "operator"
        found.append(Token(kind, text[1:-1] if kind == "literal" else text))
    return found
