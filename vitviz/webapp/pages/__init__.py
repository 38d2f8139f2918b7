"""The pages: one noun per page, each with the server functions that it calls."""
