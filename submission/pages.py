"""Pages of HTML, self-contained, from the templates in `templates/`."""

from jinja2 import Environment, PackageLoader, StrictUndefined

TEMPLATES = Environment(
    loader=PackageLoader("submission"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


def render_page(template: str, **values: object) -> str:
    """Fill in a template.

    Args:
        template: the name of its file.
        values: by the template's names. Strings are escaped where the template does not call them
            `safe`, as it does the pictures that `envs.svg` has drawn.
    """
    return TEMPLATES.get_template(template).render(values)
