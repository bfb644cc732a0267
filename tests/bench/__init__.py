"""The benchmark: a stub provider, Inview and two minimal relays of the same stub, with a real Chromium, in one run.

It is not a test suite: CI measures no times. `python -m tests.bench` (or `make bench`) prints one table;
`test_bench.py` checks, without timing, that the instruments are correct.

    scenarios.py  the measurements, each with the same code for all three servers
    report.py     figures → table with target and verdict
    seed.py       long stored conversations for the app
    starting.py   the time until the first page
    servers/      what is measured: `script.py` (the replies of the stub, chosen by a model id such as `t2000-r100`),
                  `stub.py` (the provider), `floor.py` (the smallest program for the job), `targets.py` (starts and
                  stops them)
    instruments/  `driver.py` (Chromium over CDP), `clients.py` and `reflex_page.py` (pages without a browser),
                  `relay.py` (bytes on the wire), `machine.py` (processor time, memory and load, read from /proc)

Programs that measure one thing each:

    growth/       the cost of a send, a preview and a search as the stored data grows: `python -m tests.bench.growth`
    patches.py    the cost of patches alone: `python -m tests.bench.patches`
    attacked.py   `/health` during an attack: `python -m tests.bench.attacked`
    usage.py      the page of usage on a large ledger: `python -m tests.bench.usage`
"""
