"""The report as one HTML file: templates, a style sheet and scripts that stand in the package."""
