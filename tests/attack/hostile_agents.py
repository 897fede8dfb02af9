"""Agents that mean harm, most of them a line; those of the sandbox's own tests are among them."""

from textwrap import dedent

from tests.helpers.forgeries import REPORTS, line_of
from tests.submission.test_isolation import ENDINGS, EXCEPTIONS, HANGS, HARMLESS, LIES, in_agent

RETURNED = {
    "a huge negative integer": "-(10**5000)",
    "64 bits": "2**63",
    "complex": "3j",
    "bytes": "b'3'",
    "a surrogate": "'\\ud800'",
    "escape sequences": "'\\x1b[2J\\x1b]0;title\\x07'",
    "a long text": "'x' * 10**8",
    "a list in itself": "(lambda each: each.append(each) or each)([])",
    "deep lists": "eval('[' * 90 + ']' * 90)",
    "a dict of Kaggle's": "{'submission': 3}",
    "numpy's truth": "__import__('numpy').bool_(True)",
    "an array": "__import__('numpy').zeros(10**6)",
    "an exception": "KeyboardInterrupt('3')",
    "a module": "sys",
    "the observation": "observation",
    "the interpreter's frame": "sys._getframe()",
}
"""Expressions that are no columns, besides those of `test_kaggle_referee.py`."""

OBJECTS = {
    "int that raises": "def __int__(self): raise SystemExit",
    "int that sleeps": "def __int__(self): time.sleep(999)",
    "index that sleeps": "__index__ = __eq__ = __lt__ = lambda *_: time.sleep(999)",
    "repr that raises": "def __repr__(self): raise KeyboardInterrupt",
    "repr that sleeps": "def __repr__(self): time.sleep(999)",
    "repr of 100 MB": "def __repr__(self): return 'x' * 10**8",
    "repr that exits": "def __repr__(self): os._exit(0)",
    "class that raises": "__class__ = property(lambda self: 1 / 0)",
    "pickled bomb": "def __reduce__(self): return os._exit, (3,)",
    "attributes that raise": "def __getattribute__(self, name): raise GeneratorExit",
}
"""Bodies of classes, an object of which is returned."""

RAISED = {
    "nothing said": "raise Exception",
    "base exception": "raise BaseException(3)",
    "stop iteration": "raise StopIteration(3)",
    "10 MB": "raise ValueError('x' * 10**7)",
    "surrogates": "raise ValueError('\\ud800' * 99)",
    "terminal": "raise ValueError('\\x1b[2J\\x1b[31m\\r\\x00')",
    "name that is no text": "raise type('\\ud800\\n', (Exception,), {})('x')",
    "name that raises": "raise type('M', (type,), dict(__name__=property(lambda c: 1 / 0)))"
    "('E', (Exception,), {})",
    "no class": "raise type('E', (Exception,), dict(__class__=property(lambda e: 1 / 0)))",
    "odd syntax error": "raise SyntaxError('x', ('f', [], object(), b'5'))",
    "odd missing module": "raise ModuleNotFoundError('x', name=object())",
    "a circle of causes": "first = ValueError(1); first.__cause__ = first; raise first",
    "text that sleeps": "raise type('E', (Exception,), dict(__str__=lambda e: time.sleep(999)))",
    "text that exits": "raise type('E', (Exception,), dict(__str__=lambda e: os._exit(0)))",
    "many at once": "raise ExceptionGroup('x', [ExceptionGroup('y', [ValueError(n)] * 9) "
    "for n in range(99)])",
}

STUCK = {
    "sleep": "time.sleep(1e6)",
    "pipe": "os.read(os.pipe()[0], 1)",
    "regular expression": "__import__('re').match('(a+)+$', 'a' * 99 + 'b')",
    "huge power": "return 9**9**9 % 7",
    "lock": "lock = __import__('threading').Lock(); lock.acquire(); lock.acquire()",
    "iterator": "all(iter(lambda: True, 1))",
    "its supervisor is stopped": "stat = open(f'/proc/{os.getppid()}/stat').read(); "
    "os.kill(int(stat.rpartition(')')[2].split()[1]), signal.SIGSTOP); time.sleep(99)",
    "deaf": "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)); time.sleep(999)",
    "a false stack": 'os.write(2, b\'most recent call first\\n  File "main.py", line 9, in '
    "\\x1b[2J\\n' * 99); time.sleep(999)",
    "endless line": "while True:\n        for file in range(3, 20):\n"
    "            try: os.write(file, b'x' * 65536)\n            except OSError: pass",
    "children that replace themselves": "if os.fork() == 0:\n        while True:\n"
    "            if os.fork() > 0: os._exit(0)\n    time.sleep(999)",
}

VICTIM = "'a folder of others'"
"""Stands for the path of a folder in which nothing may change."""

FOLDERS = {
    "1500 nested folders": "for _ in range(1500): os.mkdir('f'); os.chdir('f')",
    "2000 files": "for n in range(2000): open(f'{n}', 'w').close()",
    "odd names": "for n in range(1, 256):\n"
    "        try: os.mkdir(bytes([n]) * 200)\n        except OSError: pass",
    "links to others": f"os.symlink({VICTIM}, 'f'); os.symlink('.', 'loop'); os.mkfifo('pipe')",
    "no rights": "os.mkdir('f'); open('f/g', 'w').close(); os.chmod('f', 0); os.chmod('.', 0)",
    "all removed": "__import__('shutil').rmtree(HOME + '/agent'); os.rmdir(HOME + '/working')",
    "moved away": "os.rename(HOME, HOME + 'x')",
    "a link in its place": f"os.rename(HOME, HOME + 'x'); os.symlink({VICTIM}, HOME)",
    "modules that hide others": "[open(f'{name}.py', 'w').write('1 / 0') for name in "
    "('json', 'sitecustomize', 'usercustomize', 'submission', 'random')]",
    "another file": "open(HOME + '/agent/main.py', 'w').write('while True: pass')",
}
"""What is done in and to a player's own folder, `HOME`."""

OWN_FOLDER = "HOME = os.path.dirname(os.getcwd()); assert '/connectx-' in HOME\n    "

TAMPERING = {
    "json": "import json; json.dumps = json.loads = json.JSONEncoder.encode = None",
    "builtins": "import builtins; builtins.len = builtins.int = builtins.isinstance = None",
    "no builtins": "__import__('builtins').__dict__.clear()",
    "no modules": "sys.modules.clear()",
    "trace": "sys.settrace(lambda *_: 1 / 0); sys.setprofile(lambda *_: 1 / 0)",
    "recursion limit": "sys.setrecursionlimit(2**31 - 1); f = lambda: f(); f()",
    "os": "os.write = os._exit = os.getpid = os.fdopen = lambda *_: 1",
    "standard error": "sys.stderr.close(); os.close(2); sys.stdout = object()",
    "no variables": "os.environ.clear(); os.chdir('/')",
    "no open files": "__import__('resource').setrlimit(7, (0, 0)); open('x')",
    "exit handler": "__import__('atexit').register(time.sleep, 999)",
    "going threads": "import threading\n    for _ in range(200): "
    "threading.Thread(target=time.sleep, args=[999]).start()",
    "memory of the interpreter": "import ctypes; ctypes.memset(id(3), 255, 64)",
    "libc": "import ctypes; ctypes.CDLL(None).exit(0)",
    "nobody": "os.setgid(65534); os.setuid(65534)",
    "the rules": "observation.board.clear(); observation['board'] = observation.mark = None; "
    "observation['remainingOverageTime'] = 1e9",
    "files of the system": "open('/etc/shadow').read(); os.listdir('/root')",
    "parents' files": "for pid in os.listdir('/proc'):\n"
    "        for file in range(9) if pid.isdigit() and int(pid) != os.getpid() else ():\n"
    "            try: open(f'/proc/{pid}/mem' if file > 7 else f'/proc/{pid}/environ').read(9)\n"
    "            except OSError: pass",
    "network": "import socket; socket.create_connection(('192.0.2.1', 80), 0.2)",
    "a server": "import socket; s = socket.create_server(('127.0.0.1', 0)); s.accept()",
    "unpickled": "import pickle; pickle.loads(b'cos\\n_exit\\n(I0\\ntR.')",
    "debugger": "breakpoint()",
}

FILES = {
    "the builtin print": "agent = print",
    "exit itself": "agent = exit",
    "exits as it is loaded": "import os; os._exit(0)",
    "sleeps as it is loaded": "import time; time.sleep(999)",
    "no key": "import gc\nfor each in gc.get_objects():\n    if type(each).__name__ == 'Responder':"
    "\n        each._key = each._write = None\ndef agent(observation): return 3",
    "callable that lies": "class Lie:\n    __name__ = property(lambda self: 1 / 0)\n"
    "    __code__ = 3\n    def __call__(self, *_): return 3\nagent = Lie()",
}

PARENTS_PIPES = """
    import os
    FORGED = %r
    def agent(observation):
        pid = os.getpid()
        for _ in range(2):
            with open(f"/proc/{pid}/stat") as stat:
                pid = int(stat.read().rpartition(")")[2].split()[1])
            for file in (0, 1, *range(3, 40)):
                try:
                    with open(f"/proc/{pid}/fd/{file}", "wb", buffering=0) as pipe:
                        pipe.write(FORGED)
                except OSError:
                    pass
        return 3
"""
"""Writes to whatever its parents have open."""


def _odd_object(body: str) -> str:
    return f"import os, time\nclass Odd:\n    {body}\ndef agent(observation): return Odd()"


FAILING = {
    **{f"returns {name}": in_agent(f"return {value}") for name, value in RETURNED.items()},
    **{f"object with {name}": _odd_object(body) for name, body in OBJECTS.items()},
    **{f"raises {name}": in_agent(body) for name, body in RAISED.items()},
    **{f"stuck in {name}": in_agent(body) for name, body in STUCK.items()},
    **{f"ends by {name}": in_agent(body) for name, (body, _) in ENDINGS.items()},
    **{f"fails by {name}": in_agent(body) for name, (body, _) in EXCEPTIONS.items()},
    **{f"hangs in {name}": in_agent(body) for name, body in HANGS.items()},
}
"""Each of them fails in every game."""

ODD = {
    **{
        f"folder: {name}": in_agent(f"{OWN_FOLDER}{body}\n    return 3")
        for name, body in FOLDERS.items()
    },
    **{
        f"tampers with {name}": in_agent(f"{body}\n    return 3")
        for name, body in TAMPERING.items()
    },
    **{f"file: {name}": source for name, source in FILES.items()},
    **{f"harmless: {name}": in_agent(body) for name, body in HARMLESS.items()},
    **{
        f"lies about {name}": f"import time\n{lie}\ndef agent(observation): return 3"
        for name, lie in LIES.items()
    },
    **{
        f"parents' pipes: {number}": dedent(PARENTS_PIPES % line_of(message))
        for number, message in enumerate([*REPORTS, {"event": "end", "is_silent": True}])
    },
}
"""Each of them fails or plays."""
