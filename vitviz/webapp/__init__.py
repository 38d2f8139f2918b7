"""All of it -> the web page."""
