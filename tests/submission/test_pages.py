"""Templates: strings are escaped, and a value that is missing is an error."""

import pytest
from jinja2 import UndefinedError

from submission.reports import render_page


def test_strings_are_escaped() -> None:
    page = render_page("page.html", title="<b>&\"'")
    assert page.count("&lt;b&gt;&amp;&#34;&#39;") == 2
    assert "<b>" not in page


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="title"):
        render_page("page.html")
