"""Start the web page: `python app.py`, also the entry point of a Hugging Face Space; options as of `vitviz app`."""

import sys

from vitviz.cli import configure_process, configure_server_libraries, main, pause_gc
from vitviz.runs.process import format_error

configure_process()
try:
    configure_server_libraries()
    if __name__ == "__main__" and sys.argv[1:]:
        sys.argv.insert(1, "app")
        main()
        sys.exit()
    with pause_gc():
        from vitviz.webapp.app import build_app, serve

        demo = build_app()
    if __name__ == "__main__":
        serve(demo)
except (ValueError, OSError) as error:
    sys.exit(f"vitviz: {format_error(error)}")
except KeyboardInterrupt:
    sys.exit(130)  # 128 + SIGINT, as in a shell
