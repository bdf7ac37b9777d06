# What DBOS is given to do: workflows whose steps do nothing, on SQLite. Started by peers.mjs with the file of the
# database and the names of the workloads; prints the seconds of each, taken where the workflow is called.
import asyncio
import subprocess
import sys
import time

from dbos import DBOS

DBOS(config={"name": "bench", "system_database_url": f"sqlite:///{sys.argv[1]}", "log_level": "ERROR"})


@DBOS.step()
def nothing(n):
    return n


@DBOS.step()
async def nothing_beside(n):
    return n


@DBOS.step()
def shell():
    return subprocess.run(["bash", "-c", "true"], check=True, capture_output=True).returncode


@DBOS.workflow()
def row():
    for n in range(1000):
        nothing(n)


@DBOS.workflow()
async def beside():
    await asyncio.gather(*[nothing_beside(n) for n in range(200)])
    await nothing_beside(0)


@DBOS.workflow()
def loop():
    for n in range(100):
        nothing(n)


@DBOS.workflow()
def shells():
    for _ in range(20):
        shell()


WORKLOADS = {"row": row, "beside": lambda: asyncio.run(beside()), "loop": loop, "shell": shells}

DBOS.launch()
try:
    for name in sys.argv[2:]:
        begun = time.perf_counter()
        WORKLOADS[name]()
        print("seconds", name, time.perf_counter() - begun, flush=True)
finally:
    DBOS.destroy()
