"""XPath chooses as the standard says, and never takes long."""

import math
import time

import pytest
from selectolax.lexbor import LexborHTMLParser

from tiptoe.fields.page_tree import PageTree
from tiptoe.fields.work_budget import TooCostly, WorkBudget
from tiptoe.fields.xpath import XPathError, compile_xpath
from tiptoe.fields.xpath_values import XValue, to_text

PAGE = """<!doctype html><html><head><title>T</title><meta property="og:title" content="OG"></head><body>
<div class="a b" id=x><h1> Hello <i>World</i></h1>
<dl><dt>ISBN</dt><dd>123</dd><dt>Cena</dt><dd>99,50</dd></dl>
<ul><li>1</li><li class="c">2</li><li>3</li></ul></div><div><p>p1<b>q</b>r</p><p title="t">p2</p></div>
<table><tr><th>Autor</th><td>Jan</td></tr><tr><th>Rok</th><td>2020</td></tr></table></body></html>"""


def chosen(expression: str, html: str = PAGE) -> XValue | list[str]:
    """Return the value of an expression; of nodes their texts."""
    value = compile_xpath(expression).select(PageTree(LexborHTMLParser(html)))
    return [to_text([node], WorkBudget()) for node in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("//h1", [" Hello World"]),
        ("//h1/text()", [" Hello "]),
        ('//dt[.="ISBN"]/following-sibling::dd[1]', ["123"]),
        ('//dt[text()="Cena"]/following-sibling::dd[1]/text()', ["99,50"]),
        ("//li[2]", ["2"]),
        ("//li[last()]", ["3"]),
        ("//li[position()>1]", ["2", "3"]),
        ("(//li)[3]", ["3"]),
        ("//li[position()=last()-1]", ["2"]),
        ("//@class", ["a b", "c"]),
        ('//meta[@property="og:title"]/@content', ["OG"]),
        ("normalize-space(//h1)", "Hello World"),
        ("count(//li)*2+1", 7.0),
        ('//tr[th="Rok"]/td', ["2020"]),
        ('//td[../th="Autor"]', ["Jan"]),
        ("//b/ancestor::div", ["p1qrp2"]),
        ("//li[contains(@class,'c')]/preceding-sibling::li", ["1"]),
        ('//p[starts-with(@title,"t")]|//h1', [" Hello World", "p2"]),
        ("//div/p", ["p1qr", "p2"]),
        ("//p/node()", ["p1", "q", "r", "p2"]),
        ("/html/body/div[1]/ul/li[1]", ["1"]),
        ("//ul/li[not(@class)][2]", ["3"]),
        ('substring("12345",2,3)', "234"),
        ('substring("12345",1.5,2.6)', "234"),
        ('substring-after(//p[1],"p1")', "qr"),
        ('substring-before("a-b","-")', "a"),
        ('translate("bar","abc","AB")', "BAr"),
        ('concat(//li[1],"-",//li[2])', "1-2"),
        ("//li[. > 1]", ["2", "3"]),
        ("//li[number(.) mod 2 = 1]", ["1", "3"]),
        ("//*[self::h1 or self::p][1]", [" Hello World", "p1qr"]),
        ("boolean(//x)", False),
        ("//x", []),
        ("//div[.//b or @id]/@id", ["x"]),
        ("sum(//li)", 6.0),
        ("round(2.5)", 3.0),
        ("-3", -3.0),
        ("1 div 0", math.inf),
        ("string-length('abc')", 3.0),
        ("name(//*[@title])", "p"),
        ("//li[1]/following-sibling::*[1]/@class", ["c"]),
        ('//p[@title="t"]/@title/..', ["p2"]),
        ("//text()[contains(.,'p2')]", ["p2"]),
        ("//li = 2 and not(//li = 9)", True),
        ("/", None),
    ],
)
def test_expressions_choose_as_the_standard_says(expression: str, expected: object) -> None:
    """The values are those of libxml2 on the same page."""
    found = chosen(expression)
    assert found == expected if expected is not None else isinstance(found, list) and len(found) == 1


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("", "ends too early"),
        ("//", "ends too early"),
        ("//a[", "ends too early"),
        ("//a]", "was not expected"),
        ("//a b", "was not expected"),
        ("$x", "variables and namespaces"),
        ("//ns:a", "variables and namespaces"),
        ("foo(1)", r"foo\(\) is not understood"),
        ("following::a", "following:: is not understood"),
        ("//a[contains(@x)]", "takes 2 values, not 1"),
        ('"abc', "cannot be read"),
        ("//a[@]", "a name was expected"),
        ("text(", "is missing"),
        ("//a/@text()", "cannot stand here"),
        ("(" * 60 + "1" + ")" * 60, "nested too deeply"),
        ("a" * 2000, "longer than"),
    ],
)
def test_what_is_wrong_is_said_when_the_rules_are_read(expression: str, said: str) -> None:
    with pytest.raises(XPathError, match=said):
        compile_xpath(expression)


HARMLESS = "//*[contains(., 'y')]"


@pytest.mark.parametrize(
    "expression",
    [
        "//*[count(//*[count(//*) > 0]) > 0]",
        "//*[. = //*]",
        "//*[count(preceding-sibling::*[preceding-sibling::*]) + count(ancestor::*[ancestor::*]) > 1]",
        "//*[count(//*/ancestor-or-self::*) = 0]",
        HARMLESS,
    ],
)
@pytest.mark.parametrize("shape", ["<div>x", "<div>x</div>"])
def test_no_expression_runs_for_ever(expression: str, shape: str) -> None:
    """A harvester must not hang on any page with any rule."""
    page = PageTree(LexborHTMLParser("<body>" + shape * 2000), budget=WorkBudget(100_000))
    began = time.process_time()
    is_ended = False
    try:
        compile_xpath(expression).select(page)
    except TooCostly:
        is_ended = True
    assert is_ended is (expression != HARMLESS)
    assert time.process_time() - began < 3.0
