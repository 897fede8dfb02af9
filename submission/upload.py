"""How a submission gets to Kaggle."""

import shlex


def upload_command(file: str, message: str) -> str:
    """The command of Kaggle's own client that submits a file to the ConnectX competition."""
    return f'kaggle competitions submit -c connectx -f {shlex.quote(file)} -m "{message}"'
