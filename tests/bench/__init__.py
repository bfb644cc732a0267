"""The bench: a stub provider, Inview and two bare relays of the same stub, driven by a real Chromium, in one run.

It is not a test suite: nothing in CI is timed. `python -m tests.bench` (or `make bench`) prints one table;
`test_bench.py` beside it checks, untimed, that the instruments tell the truth.

    script.py     what the stub says: chunks of markdown, named by a model id such as `t2000-r100`
    stub.py       the provider: Chat Completions and Messages as SSE, every chunk stamped when it is sent
    floor.py      the least that could do the job: stub → websocket → text node, raw or through the openai SDK
    machine.py    processor time, memory and load of processes, read from /proc
    driver.py     Chromium over CDP: typing, lag of what stands in the DOM, main thread
    relay.py      bytes on the wire, as they pass between a browser and a server
    clients.py    fifty websocket clients without a browser
    reflex_page.py  a page without a browser: it connects, hydrates and applies patches as a browser does
    patches.py    what patches cost by themselves: `python -m tests.bench.patches`
    targets.py    starts and stops the three servers measured and tells their URLs apart
    scenarios.py  the measurements, each the same code for all three
    report.py     figures → table with target and verdict
"""
