"""Types of all data between the page and Python: a module for each resource, with requests and replies of its routes.

`python -m scripts.types` writes them in TypeScript, which the scripts of the page are checked against. Requests are
untrusted: their pydantic models refuse invalid values and unknown fields.
"""
