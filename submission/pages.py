"""Pages of HTML, self-contained, from the templates in `templates/`."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


def render_page(template: str, **values: object) -> str:
    """Fill in a template.

    Args:
        template: the name of its file.
        values: by the template's names. Strings are escaped where the template does not call them
            `safe`, as it does the pictures that `envs.svg` has drawn.

    Raises:
        UndefinedError: a value is missing.
    """
    return _templates().get_template(template).render(values)


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # no other command needs it

    return Environment(
        loader=PackageLoader("submission"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
