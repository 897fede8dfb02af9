"""PufferLib's Connect Four in C, with its own opponent, as a vector environment to time.

Its unchanged source is compiled without the rest of PufferLib; only drawing is left out. The
opponent adds up all lines of play of four plies, with wins weighted by how soon they come.
"""

import ctypes
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from envs.learning.random_play import LegalActionSampler

HEADER = Path("pufferlib", "ocean", "connect4", "connect4.h")
"""The header's path in an unpacked source distribution of PufferLib 3."""
ROWS, COLUMNS = 6, 7
COMPILER = ("cc", "-O3", "-shared", "-fPIC", "-w")

NO_RAYLIB = """
#include <stdbool.h>
typedef struct { unsigned char r, g, b, a; } Color;
typedef struct { int id; } Texture2D;
typedef struct { float x, y, width, height; } Rectangle;
typedef struct { float x, y; } Vector2;
#define KEY_ESCAPE 0
#define BLACK ((Color){0})
#define PURPLE ((Color){0})
#define WHITE ((Color){0})
#define IsKeyDown(key) false
#define LoadTexture(path) ((Texture2D){0})
#define InitWindow(...)
#define SetTargetFPS(...)
#define BeginDrawing()
#define ClearBackground(...)
#define DrawRectangle(...)
#define DrawCircle(...)
#define DrawTexturePro(...)
#define EndDrawing()
#define CloseWindow()
"""
"""A stub for the library that draws the games."""

MANY_GAMES = """
#include "connect4.h"

CConnect4* make_games(int count, float* observations, int* actions, float* rewards,
                      unsigned char* terminals) {
    CConnect4* games = calloc(count, sizeof(CConnect4));
    for (int i = 0; i < count; i++) {
        games[i].observations = observations + ROWS * COLUMNS * i;
        games[i].actions = actions + i;
        games[i].rewards = rewards + i;
        games[i].terminals = terminals + i;
        init(&games[i]);
        c_reset(&games[i]);
    }
    return games;
}

void step_games(CConnect4* games, int count) {
    for (int i = 0; i < count; i++) {
        c_step(&games[i]);
    }
}

void free_games(CConnect4* games) {
    free(games);
}
"""
"""The loop over games that PufferLib's binding has for its vector environments."""


class PufferGames:
    """Many of PufferLib's games against its opponent; finished games begin again.

    Args:
        source: the folder of an unpacked source distribution of PufferLib.
        num_envs: the number of games.

    Raises:
        FileNotFoundError: the source or a C compiler is missing.
        subprocess.CalledProcessError: the source does not compile.
    """

    def __init__(self, source: Path, num_envs: int) -> None:
        self.sampler = LegalActionSampler(seed=1)
        self.rewards = np.zeros(num_envs, np.float32)
        self.terminals = np.zeros(num_envs, np.uint8)
        self._boards = np.zeros((num_envs, COLUMNS, ROWS), np.float32)
        self._actions = np.zeros(num_envs, np.int32)
        self._library = _built(source)
        arrays = (self._boards, self._actions, self.rewards, self.terminals)
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]
        self._library.make_games.restype = ctypes.c_void_p
        self._games = ctypes.c_void_p(self._library.make_games(num_envs, *pointers))

    def __del__(self) -> None:
        if hasattr(self, "_games"):
            self._library.free_games(self._games)

    def action_masks(self) -> NDArray[np.int8]:
        """1 for each column with room, computed here because PufferLib gives no masks."""
        masks: NDArray[np.int8] = (self._boards[:, :, -1] == 0).astype(np.int8)
        return masks

    def prepare(self, actions: NDArray[np.int64]) -> NDArray[np.int32]:
        """The actions as 32-bit integers."""
        return actions.astype(np.int32)

    def step(self, actions: NDArray[np.int32]) -> None:
        """Play an action and the opponent's reply in each game."""
        self._actions[:] = actions
        self._library.step_games(self._games, len(actions))


def _built(source: Path) -> ctypes.CDLL:
    """Compile and load the library."""
    header = source / HEADER
    if not header.is_file():
        raise FileNotFoundError(
            f"{header} is not there: give the folder of PufferLib's source distribution, unpacked"
        )
    with TemporaryDirectory() as folder:
        Path(folder, "raylib.h").write_text(NO_RAYLIB, encoding="utf-8")
        program, library = Path(folder, "many_games.c"), Path(folder, "many_games.so")
        program.write_text(MANY_GAMES, encoding="utf-8")
        include = ["-I", folder, "-I", str(header.parent.resolve())]
        run([*COMPILER, *include, str(program), "-lm", "-o", str(library)], check=True)
        return ctypes.CDLL(str(library))
