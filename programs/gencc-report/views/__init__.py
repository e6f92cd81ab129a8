"""The views of a page: each module has NAME, TITLE, ABOUT (what it shows, what to look for) and render(kernel, report)."""
