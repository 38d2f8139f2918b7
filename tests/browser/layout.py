"""What tests of the layout share."""


def resize(page, width, height=844):
    """Resize the viewport and wait until it has this size."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function(
        "size => String([document.documentElement.clientWidth, innerHeight]) === String(size)", arg=[width, height]
    )


def check_width(page):
    """Wait until nothing is wider than the page: observers redraw figures some frames after a resize."""
    page.wait_for_function("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
