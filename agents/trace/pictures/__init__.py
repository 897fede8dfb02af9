"""Pictures of traces, as SVG and as text."""
