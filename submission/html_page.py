"""The frame of a self-contained page of HTML, which needs nothing from anywhere else."""

from html import escape
from string import Template

FRAME = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; color: #0b1f38; margin: 2rem auto; max-width: 80rem;
  padding: 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0; }
th, td { padding: 0.2rem 0.7rem; text-align: right; border-bottom: 1px solid #e2e8f0; }
.wide { overflow-x: auto; }
$style</style>
</head>
<body>
<h1>$title</h1>
$body</body>
</html>
""")


def html_page(title: str, style: str, body: str) -> str:
    """A page.

    Args:
        title: plain text, its heading too.
        style: rules of CSS that are added to those of the frame.
        body: HTML, in which strangers' words have been escaped.
    """
    return FRAME.substitute(title=escape(title), style=style, body=body)
