"""Reads what a notebook shows: HTML that must be well-formed, harmless and readable."""

from base64 import b64decode
from html.parser import HTMLParser
from xml.etree import ElementTree

from tests.helpers.svg_reading import SVG

VOID = {"br", "img", "input", "meta"}
IMAGE = "data:image/svg+xml;base64,"


class Page(HTMLParser):
    """The elements and the text of a piece of HTML, read by Python's parser."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


HARMLESS = {
    *("b", "br", "circle", "desc", "div", "g", "img", "p", "path", "polygon", "polyline", "pre"),
    *("style", "rect", "span", "svg", "table", "tbody", "td", "text", "th", "title", "tr"),
}
"""The elements that results may contain; none of them runs or loads anything."""


def shown(result: object) -> Page:
    """A result as a notebook shows it; its plain text must equal its `str`."""
    bundle = result._repr_mimebundle_()  # type: ignore[attr-defined]
    assert bundle.keys() == {"text/plain", "text/html"}
    assert bundle["text/plain"] == str(result)
    page = Page(bundle["text/html"])
    require_harmless(page)
    return page


def require_harmless(page: Page) -> None:
    """Check that nothing runs and nothing is loaded; images must be embedded in the page."""
    assert {*page.tags} <= HARMLESS
    for name, value in page.attributes:
        assert not name.startswith("on")
        assert name not in ("href", "xlink:href")
        assert "url(" not in (value or "")
        if name == "src":
            assert value is not None
            assert value.startswith(IMAGE)
            require_harmless(Page(b64decode(value.removeprefix(IMAGE)).decode()))


def drawings(result: object) -> list[ElementTree.Element]:
    """The outermost pictures of a result, whose HTML must be well-formed XML."""
    html = result._repr_mimebundle_()["text/html"]  # type: ignore[attr-defined]
    root = ElementTree.fromstring(f"<div>{html}</div>")
    nested = {inner for outer in root.iter(f"{SVG}svg") for inner in list(outer.iter())[1:]}
    return [svg for svg in root.iter(f"{SVG}svg") if svg not in nested]
