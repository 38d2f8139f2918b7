"""Between the network and the pages: request guard, uploads, queues and caches."""
