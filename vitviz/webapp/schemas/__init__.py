"""Types of all data between the page and Python, one module per page: initial data, requests and responses.

`python -m scripts.types` writes them in TypeScript, which the scripts of the page are checked against. Requests are
untrusted nevertheless: `vitviz.webapp.server.requests` checks every field.
"""
