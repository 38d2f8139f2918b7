"""The routes by resource: each module has a router of endpoints, each with one request and one reply."""
