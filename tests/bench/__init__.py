"""The benchmark: a stub provider, Inview and two minimal relays of the same stub, with a real Chromium, in one run.

It is not a test suite: CI measures no times. `python -m tests.bench` (or `make bench`) prints one table;
`test_bench.py` checks, without timing, that the instruments are correct.

    script.py     the replies of the stub: chunks of markdown, chosen by a model id such as `t2000-r100`
    stub.py       the provider: Chat Completions and Messages as SSE; it notes the time of every chunk
    floor.py      the smallest program for the job: stub → websocket → text node, raw or through the openai SDK
    machine.py    processor time, memory and load of processes, read from /proc
    driver.py     Chromium over CDP: typing, lag of text in the DOM, main thread
    relay.py      bytes on the wire, as they pass between a browser and a server
    clients.py    fifty websocket clients without a browser
    reflex_page.py  a page without a browser: it connects, hydrates and applies patches as a browser does
    patches.py    the cost of patches alone: `python -m tests.bench.patches`
    targets.py    starts and stops the three measured servers and knows their URLs
    scenarios.py  the measurements, each with the same code for all three servers
    report.py     figures → table with target and verdict
"""
