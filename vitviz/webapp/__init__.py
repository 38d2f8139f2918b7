"""The web app: pages and server."""
