"""A window that shows pictures, by pygame; which is imported when the first one is shown."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Window:
    """Shows one picture after the other in the one window that pygame has in a process.

    Args:
        title: what stands above the pictures.
        pictures_per_second: at most so many are shown; `show` waits for the time to pass.
    """

    def __init__(self, title: str, pictures_per_second: int) -> None:
        self._title = title
        self._milliseconds = 1000 // pictures_per_second
        self._opened = False

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Show a picture, uint8 of shape (height, width, 3), in a window of its size.

        Raises:
            ModuleNotFoundError: pygame is not installed.
        """
        pygame = _pygame()
        height, width, _ = picture.shape
        surface = pygame.display.get_surface()
        if surface is None or surface.get_size() != (width, height):
            pygame.display.init()
            pygame.display.set_caption(self._title)
            surface = pygame.display.set_mode((width, height))
            self._opened = True
        pygame.surfarray.blit_array(surface, picture.swapaxes(0, 1))
        pygame.event.pump()
        pygame.display.flip()
        pygame.time.wait(self._milliseconds)

    def close(self) -> None:
        """Close the window, where it was opened for this one; the next picture opens it again."""
        if self._opened:
            _pygame().display.quit()
            self._opened = False


def _pygame() -> Any:
    try:
        import pygame
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "render_mode='human' shows the board with pygame: install it (pip install pygame)"
        ) from error
    return pygame
