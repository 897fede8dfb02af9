"""Elements of SVG. Lengths are in pixels; texts are escaped, and `text_width` is their width."""

from base64 import b64encode
from collections.abc import Iterable
from html import escape
from unicodedata import east_asian_width

Point = tuple[float, float]

FONT = "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace"
CHARACTER = 0.61  # width of a character of this font, in parts of its size


def text_width(text: str, size: float) -> float:
    """Return the width of a text; characters of East Asian scripts count as two."""
    cells = sum(2 if east_asian_width(char) in "WF" else 1 for char in text)
    return cells * CHARACTER * size


def number(value: float) -> str:
    """Return a coordinate to a tenth of a pixel, the same on every machine."""
    return f"{round(value, 6):.1f}".removesuffix(".0")


def element(name: str, *content: str, **attributes: object) -> str:
    """Return an element; in attribute names `_` becomes a hyphen, and a final `_` is dropped."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_attribute(value))}"'
        for key, value in attributes.items()
    )
    return f"<{name}{written}>{''.join(content)}</{name}>" if content else f"<{name}{written}/>"


def text(words: str, at: Point, size: float, **attributes: object) -> str:
    """Return a line of text whose baseline goes through `at`."""
    return element("text", _text(words), x=at[0], y=at[1], font_size=size, **attributes)


def polygon(points: Iterable[Point], **attributes: object) -> str:
    """Return a closed figure."""
    return element("polygon", points=_joined(points), **attributes)


def polyline(points: Iterable[Point], **attributes: object) -> str:
    """Return an open line through `points`."""
    return element("polyline", points=_joined(points), fill="none", **attributes)


def translated(content: str, by: Point, **attributes: object) -> str:
    """Return content moved by `by`."""
    shift = f"translate({number(by[0])} {number(by[1])})"
    return element("g", content, transform=shift, **attributes)


def title(words: str) -> str:
    """Return a title for the enclosing element: a tooltip, which screen readers read aloud."""
    return element("title", _text(words))


def drawing(size: Point, *content: str) -> str:
    """Return an image of this size, with the point (0, 0) at the top left."""
    width, height = size
    return element(
        "svg",
        *content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        role="img",
        font_family=FONT,
    )


def document(size: Point, name: str, description: str, content: Iterable[str]) -> str:
    """Return a stand-alone document on a white background."""
    width, height = size
    ground = element("rect", width=width, height=height, fill="#ffffff")
    about = title(name), element("desc", _text(description))
    return drawing(size, *about, ground, "\n", "\n".join(content), "\n") + "\n"


OF_SAVED = "connectx-saved"  # the class of pictures shown where a page's own SVG is removed


def in_page(picture: str, words: str, style: str = "") -> str:
    """Return HTML that shows a document inside a page, such as a notebook.

    A notebook that the user does not yet trust is shown without SVG and style rules. So the HTML
    also contains the picture as an image, which a style rule hides where the SVG is shown. `words`
    is its alternative text, and `style` that of the box around it.
    """
    source = f"data:image/svg+xml;base64,{b64encode(picture.strip().encode()).decode()}"
    return element(
        "div",
        element("style", f"svg + .{OF_SAVED} {{ display: none; }}"),
        picture,
        element("img", class_=OF_SAVED, alt=words, src=source),
        style=f"overflow-x: auto; {style}".strip(),
    )


def _joined(points: Iterable[Point]) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in points)


def _text(words: str) -> str:
    return escape(words, quote=False)


def _attribute(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)
