"""The semaphore, message queue, shared memory and signal of the Python module: the events that programs in C and C++ have."""

import pathlib
import sys

from expecting import expect
from site_of_case import Site


def check_python_modules(site: Site) -> None:
    actions = {"turn": "semaphore_wait semaphore_post", "wake": "signal_send signal_receive",
               "queue": "message_queue_open message_queue_close message_queue_send message_queue_receive",
               "memory": "shared_memory_open shared_memory_close shared_memory_write shared_memory_read"}
    script = site.script("process p from python_modules.py\n" + "".join(
        f"event {name}-{action.split('_')[-1]} is {action} on {name} at *.p.modules\n"
        for name, all in actions.items() for action in all.split()))
    modules = [sys.executable, str(pathlib.Path(__file__).parent / "programs/python_modules.py")]
    events, _, done = site.watch(script, *modules)
    expect(done.stdout.startswith("connected\n") and done.returncode == 0, (done.stdout, done.stderr))
    main_pid = next(event["pid"] for event in events if event["event"] == "queue-open")
    parent, child = ([(event["event"], event.get("value")) for event in events if (event["pid"] == main_pid) == is_parent]
                     for is_parent in (True, False))
    post = next(value for event, value in parent if event == "turn-post")  # the child may have waited already
    expect(parent == [("queue-open", None), ("memory-open", 100), ("memory-write", 7), ("queue-send", 6), ("queue-send", 6),
                      ("turn-post", post), ("wake-receive", 1), ("queue-close", None), ("memory-close", None)], parent)
    expect(child == [("turn-wait", 0), ("queue-receive", 6), ("queue-receive", 6), ("memory-read", 7), ("wake-send", main_pid)], child)
    expect(site.run(modules).stdout == "connected\n", "without a monitor")
