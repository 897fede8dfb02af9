"""The environments' ids in Gymnasium's registry."""

CONNECT_FOUR = "connectx/ConnectFour-v0"
CONNECT_X = "connectx/ConnectX-v0"
TIC_TAC_TOE = "connectx/TicTacToe-v0"
IDS = (CONNECT_FOUR, CONNECT_X, TIC_TAC_TOE)

SINGLE = "envs.learning.single_env"
VECTOR = "envs.learning.vector_env"


def register_environments() -> None:
    """Enter the environments with the names of their classes: a class is loaded when it is made."""
    _register(CONNECT_FOUR, "ConnectX")
    _register(CONNECT_X, "ConnectX")
    _register(TIC_TAC_TOE, "TicTacToe")


def _register(environment_id: str, game: str) -> None:
    import gymnasium  # not sooner: whoever imports `envs` may not need it

    gymnasium.register(
        environment_id,
        entry_point=f"{SINGLE}:{game}Env",
        vector_entry_point=f"{VECTOR}:{game}VectorEnv",
    )
