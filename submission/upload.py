"""How a submission gets to Kaggle."""

import shlex


def upload_command(file: str, message: str) -> str:
    """The command of Kaggle's own client that submits a file to the ConnectX competition."""
    # A name that begins with a dash would be read as an option.
    path = f"./{file}" if file.startswith("-") else file
    return f'kaggle competitions submit -c connectx -f {shlex.quote(path)} -m "{message}"'
