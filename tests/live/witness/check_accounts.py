#!/usr/bin/python3
"""check_accounts.py WITNESS: what validation/witness reads out of a strace log, and what it finds different, with written input."""

import pathlib
import sys
from collections.abc import Iterable, Sequence
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "validation/witness"))
import comparison
from account import RECEIVE, SEND, Accept, Account, Flow, Move, Task, by_class, datagrams
from strace_account import StraceReader

LOG = """\
10 execve("/usr/bin/true", ["true"], 0x7ffd /* 20 vars */) = 0
10 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x7f) = 11
10 clone3({flags=CLONE_VM|CLONE_FS|CLONE_THREAD, child_tid=0x7f} => {parent_tid=[12]}, 88) = 12
10 accept4(3<TCP:[127.0.0.1:80]>,  <unfinished ...>
11 sendto(4<TCP:[127.0.0.1:5000->127.0.0.1:80]>, ""..., 100, 0, NULL, 0) = 100
10 <... accept4 resumed>{sa_family=AF_INET, sin_port=htons(5000), sin_addr=inet_addr("127.0.0.1")}, [16], SOCK_CLOEXEC) = 6<TCP:[127.0.0.1:80->127.0.0.1:5000]>
10 accept(3<TCP:[127.0.0.1:80]>, NULL, NULL) = -1 EAGAIN (Resource temporarily unavailable)
12 recvfrom(6<TCP:[127.0.0.1:80->127.0.0.1:5000]>, ""..., 50, MSG_PEEK, NULL, NULL) = 50
12 recvfrom(6<TCP:[127.0.0.1:80->127.0.0.1:5000]>,  <unfinished ...>
12 <... recvfrom resumed>""..., 4096, 0, NULL, NULL) = 100
12 recvfrom(6<TCP:[127.0.0.1:80->127.0.0.1:5000]>, "", 4096, 0, NULL, NULL) = 0
10 write(7<pipe:[77]>, ""..., 9) = 9
10 write(1</tmp/a>, ""..., 9) = 9
11 sendfile(4<TCP:[127.0.0.1:5000->127.0.0.1:80]>, 5</tmp/file>, [0] => [40], 40) = 40
11 splice(8<pipe:[78]>, NULL, 4<TCP:[127.0.0.1:5000->127.0.0.1:80]>, NULL, 30, 0) = 30
11 sendmmsg(9<UDP:[127.0.0.1:9]>, [{msg_hdr={msg_iov=[{iov_base=""..., iov_len=5}], msg_iovlen=1}, msg_len=5}, {msg_hdr={}, msg_len=6}], 2, 0) = 2
11 recvmmsg(9<UDP:[127.0.0.1:9]>, [{msg_hdr={msg_iov=[{iov_base=""..., iov_len=50}]}, msg_len=7}], 8, MSG_DONTWAIT, NULL) = 1 (left {tv_sec=0, tv_nsec=0})
11 sendmsg(5<UNIX-STREAM:[21->22]>, {msg_name=NULL, msg_iov=[{iov_base=""..., iov_len=3}], msg_control=[{cmsg_data=[5</tmp/b>]}]}, 0) = 3
12 recvmsg(6<UNIX-STREAM:[22,"/run/a>b"]>, {msg_name=NULL, msg_flags=0}, 0) = 3
10 write(8<anon_inode:[eventfd]>, "\\2\\0\\0\\0\\0\\0\\0\\0", 8) = 8
11 read(8<anon_inode:[eventfd]>,  <unfinished ...>
11 <... read resumed>"\\n\\1\\0\\0\\0\\0\\0\\0", 1024)    = 8
10 exit_group(0) = ?
"""  # noqa: E501 - as strace writes it
# Two ports that a second connection has again; one that its peer has closed, so that strace does not find its name.
AGAIN = """\
10 socket(AF_INET, SOCK_STREAM, IPPROTO_IP) = 4<TCP:[900]>
11 accept4(3<TCP:[127.0.0.1:80]>, {sa_family=AF_INET, sin_port=htons(5000), sin_addr=inet_addr("127.0.0.1")}, [16], 0) = 6<TCP:[127.0.0.1:80->127.0.0.1:5000]>
10 write(4<TCP:[127.0.0.1:5000->127.0.0.1:80]>, ""..., 7) = 7
11 read(6<TCP:[127.0.0.1:80->127.0.0.1:5000]>, ""..., 9) = 7
10 socket(AF_INET, SOCK_STREAM, IPPROTO_IP) = 4<TCP:[901]>
10 write(4<TCP:[127.0.0.1:5000->127.0.0.1:80]>, ""..., 8) = 8
10 socket(AF_INET, SOCK_STREAM, IPPROTO_IP) = 4<TCP:[902]>
10 write(4<TCP:[127.0.0.1:5001->127.0.0.1:80]>, ""..., 9) = 9
11 accept4(3<TCP:[127.0.0.1:80]>, {sa_family=AF_INET, sin_port=htons(5000), sin_addr=inet_addr("127.0.0.1")}, [16], 0) = 6<TCP:[127.0.0.1:80->127.0.0.1:5000]>
11 read(6<TCP:[127.0.0.1:80->127.0.0.1:5000]>, ""..., 9) = 8
11 accept4(3<TCP:[127.0.0.1:80]>, {sa_family=AF_INET, sin_port=htons(5001), sin_addr=inet_addr("127.0.0.1")}, [16], 0) = 6<TCP:[905]>
11 read(6<TCP:[905]>, ""..., 99) = 9
"""  # noqa: E501 - as strace writes it
# A thread and its own thread work before the call that made the first one returns.
EARLY = """\
10 execve("/usr/bin/true", ["true"], 0x7ffd /* 20 vars */) = 0
10 clone3({flags=CLONE_VM|CLONE_FS|CLONE_THREAD, child_tid=0x7f} <unfinished ...>
11 clone3({flags=CLONE_VM|CLONE_FS|CLONE_THREAD, child_tid=0x7f} <unfinished ...>
12 write(7<pipe:[77]>, ""..., 9) = 9
11 <... clone3 resumed> => {parent_tid=[12]}, 88) = 12
12 write(7<pipe:[77]>, ""..., 9) = 9
10 <... clone3 resumed> => {parent_tid=[11]}, 88) = 11
12 write(7<pipe:[77]>, ""..., 9) = 9
"""
REQUEST, ANSWER = Flow("tcp", "127.0.0.1:5000", "127.0.0.1:80"), Flow("tcp", "127.0.0.1:80", "127.0.0.1:5000")
failures = []


def same(what: str, expected: set[Any] | list[Any] | tuple[int, int, int] | int, found: set[Any] | tuple[Any, ...] | int | list[Any]) -> None:
    if expected != found:
        failures.append(f"{what}:\n  expected {expected}\n  found    {found}")


def differs(what: str, count: int, found: list[Any]) -> None:
    if len(found) != count:
        failures.append(f"{what}: {count} differences expected, found {found}")


account = StraceReader().read(LOG.splitlines())
same("moves", {(11, SEND, REQUEST, 100), (12, RECEIVE, REQUEST, 100), (10, SEND, Flow("pipe", "77", "77"), 9), (11, SEND, REQUEST, 40),
               (11, RECEIVE, Flow("pipe", "78", "78"), 30), (11, SEND, REQUEST, 30), (11, SEND, datagrams("udp"), 5),
               (11, SEND, datagrams("udp"), 6), (11, RECEIVE, datagrams("udp"), 7), (11, SEND, Flow("unix", "21", "22"), 3),
               (12, RECEIVE, Flow("unix", "21", "22"), 3), (10, SEND, datagrams("eventfd"), 2), (11, RECEIVE, datagrams("eventfd"), 266)},
     {(move.tid, move.way, move.flow.named, move.length) for move in account.moves})
same("accepts", [Accept(10, "tcp", REQUEST.ends)], account.accepts)
same("threads", (10, 11, 10), tuple(account.pid_of(tid) for tid in (10, 11, 12)))
early = StraceReader().read(EARLY.splitlines())
same("threads that work before their makers' calls return", [("true", 10)] * 2, [(early.program_of(tid), early.pid_of(tid)) for tid in (11, 12)])
same("and what they send", 3, len(early.moves))
again = StraceReader().read(AGAIN.splitlines())
for way in (SEND, RECEIVE):
    same(f"each connection by itself, {way}", [[1, 7], [1, 8], [1, 9]], by_class(again, {80: "web"})["?", way, "tcp web"])
same("accepts of ports used again", [("127.0.0.1:5000", 2), ("127.0.0.1:5001", 1)],
     [(port, sum(port in accept.ends for accept in again.accepts)) for port in ("127.0.0.1:5000", "127.0.0.1:5001")])
same("classes", [[3, 170]], by_class(account, {80: "web"})["true", SEND, "tcp web"])


def told(moves: Iterable[tuple[int, str, Flow, int]], accepts: Sequence[Accept] = (), cpu_ns: int = 0) -> Account:
    tasks = {10: Task(10, 10, "server", 1, cpu_ns), 11: Task(11, 11, "child", 10, cpu_ns), 20: Task(20, 20, "client", 1, 0)}
    return Account(tasks, [Move(*move) for move in moves], list(accepts))


MOVES = [(10, RECEIVE, REQUEST, 5), (10, RECEIVE, REQUEST, 7), (20, SEND, REQUEST, 12), (20, RECEIVE, ANSWER, 1)]
differs("the same", 0, comparison.moved_differently(told(MOVES), told(reversed(MOVES[:0:-1] + MOVES[:1]))))
differs("a receive is missing", 1, comparison.moved_differently(told(MOVES), told(MOVES[1:])))
differs("a receive by another thread", 2, comparison.moved_differently(told(MOVES), told([(11, *MOVES[0][1:]), *MOVES[1:]])))
differs("two receives are one", 1, comparison.moved_differently(told(MOVES), told([(10, RECEIVE, REQUEST, 12), *MOVES[2:]])))
LOCAL = Flow("unix", "51", "52")


def parts(flow: Flow, *lengths: int) -> list[Any]:
    """Of what is found if its two receives of 5 and 7 bytes were of these."""
    def moves(received: Sequence[int]) -> Account:
        return told([(10, RECEIVE, flow, length) for length in received])

    return [difference.part for difference in comparison.moved_differently(moves((5, 7)), moves(lengths))]


same("two receives from a UNIX stream divide its bytes in another way", ["division"], parts(LOCAL, 12))
same("and from a TCP stream, which are not said to", [""], parts(REQUEST, 12))
same("a byte is missing in a UNIX stream", [""], parts(LOCAL, 5, 6))


def run_of(moves: list[tuple[int, str, Flow, int]], answer: int = 0) -> comparison.Run:
    answers = [{"service": "tcp web", "bytes": answer, "why": "it holds a time"}] if answer else []
    return comparison.Run(told(moves), {"web": 80}, answers)


def unexplained(found: Any) -> list[Any]:
    return [difference for difference in found if not difference.reason]


differs("two receives are one, in another run", 0, comparison.classes_differ(run_of(MOVES), run_of([(10, RECEIVE, REQUEST, 12), *MOVES[2:]]), []))
differs("a byte less, in another run", 1, comparison.classes_differ(run_of(MOVES), run_of([(10, RECEIVE, REQUEST, 11), *MOVES[2:]]), []))
longer = [*MOVES[:3], (20, RECEIVE, ANSWER, 2)]
differs("an answer that is longer", 1, comparison.classes_differ(run_of(MOVES), run_of(longer), []))
told_of = comparison.classes_differ(run_of(MOVES, 1), run_of(longer, 2), [])
differs("an answer that is longer, as its client counted", 0, unexplained(told_of))
differs("and it is shown", 1, told_of)
differs("an answer that is longer than its client counted", 1,
        unexplained(comparison.classes_differ(run_of(MOVES, 1), run_of([*MOVES[:3], (20, RECEIVE, ANSWER, 3)], 2), [])))
LOOP, PIPE = Flow("unix", "31", "32"), Flow("unix", "41", "42")
WOKEN = [("server .* unix", "how often it wakes itself is chance")]


def loop(woken: int, read: int, other: int = 90) -> comparison.Run:
    """A process that wakes itself, and sends another one some bytes over a channel of the same medium."""
    moves = [(10, SEND, LOOP, woken), (10, SEND, PIPE, 90), (11, RECEIVE, PIPE, other)]
    return run_of(moves + [(10, RECEIVE, LOOP, read)] * bool(read))


told_of = comparison.classes_differ(loop(60, 58), loop(60, 10), WOKEN)
differs("a loop that ends before it reads what woke it", 0, unexplained(told_of))
same("and what it leaves is shown", ["unix: of what processes send to themselves, 2 bytes are left by strace, and 50 by a trace of another run"],
     [difference.text for difference in told_of if "themselves" in difference.text])
differs("a loop of which the trace has no receive at all", 1, unexplained(comparison.classes_differ(loop(60, 58), loop(60, 0), WOKEN)))
differs("what another process never receives", 1, [difference for difference in unexplained(
    comparison.classes_differ(loop(60, 58), loop(60, 10, other=1), WOKEN)) if "never received" in difference.text])
differs("a loop that nothing explains", 1, unexplained(comparison.classes_differ(loop(60, 58), loop(60, 10), [])))
own, others = Accept(10, "tcp", REQUEST.ends), Accept(11, "tcp", REQUEST.ends)
differs("accepted by another process", 2, comparison.accepted_differently(told(MOVES, [own]), told(MOVES, [others])))
differs("accepted twice", 1, comparison.accepted_differently(told(MOVES, [own]), told(MOVES, [own, own])))
differs("accepted and never used by that process", 1, comparison.accepted_by_others(told(MOVES, [others])))
used = [{"pid": 10, "cpu_s": 2.0}]  # by the server and the child that it reaped
differs("all CPU time", 0, comparison.cpu_differs(used, told([], cpu_ns=999_000_000)).differences)
differs("1 % less CPU time", 1, comparison.cpu_differs(used, told([], cpu_ns=991_000_000)).differences)
differs("2 % less CPU time", 2, comparison.cpu_differs(used, told([], cpu_ns=980_000_000)).differences)
unread = [(10, SEND, REQUEST, 5), (10, SEND, REQUEST, 5), (10, SEND, REQUEST, 5), (20, RECEIVE, REQUEST, 7), (20, SEND, ANSWER, 1)]
same("messages that are not received to their end", 3, comparison.never_received(told(unread)))
tree = Account({10: Task(10, 10, "server", 1, 10**9), 11: Task(11, 11, "child", 10, 10**8), 12: Task(12, 12, "grandchild", 11, 10**8)})
alone = [{"pid": 10, "cpu_s": 1.0}]
differs("children that nothing explains", 2, comparison.cpu_differs(alone, tree).differences)
taken = comparison.cpu_differs(alone, tree, {("server", "child")}).differences
differs("children of a process that ignores SIGCHLD", 0, unexplained(taken))
same("and what they used is shown", ["child (11) and 1 processes that it reaped: trace 200.0 ms, not in what wait4() says of server (10)"],
     [difference.text for difference in taken])
differs("other children of that program", 2, unexplained(comparison.cpu_differs(alone, tree, {("server", "other")}).differences))
IGNORES = """\
9 clone(child_stack=NULL, flags=SIGCHLD) = 10
10 execve("/opt/a", ["a"], 0x7ffd /* 20 vars */) = 0
10 clone(child_stack=NULL, flags=SIGCHLD) = 11
11 execve("/opt/early", ["early"], 0x7ffd /* 20 vars */) = 0
10 clone(child_stack=NULL, flags=SIGCHLD) = 12
12 execve("/opt/late", ["late"], 0x7ffd /* 20 vars */) = 0
10 rt_sigaction(SIGCHLD, {sa_handler=SIG_IGN, sa_mask=[], sa_flags=SA_RESTORER, sa_restorer=0x7f}, NULL, 8) = 0
10 execve("/opt/b", ["b"], 0x7ffd /* 20 vars */) = 0
12 write(1</tmp/a>, ""..., 9) = 9
12 rt_sigaction(SIGCHLD, {sa_handler=0x55, sa_mask=[], sa_flags=SA_RESTORER|SA_NOCLDWAIT, sa_restorer=0x7f}, NULL, 8) = 0
12 clone(child_stack=NULL, flags=SIGCHLD) = 13
13 execve("/opt/c", ["c"], 0x7ffd /* 20 vars */) = 0
13 rt_sigaction(SIGCHLD, {sa_handler=0x55, sa_mask=[], sa_flags=SA_RESTORER, sa_restorer=0x7f}, NULL, 8) = 0
13 rt_sigaction(SIGCHLD, NULL, {sa_handler=0x55, sa_mask=[], sa_flags=0}, 8) = 0
13 clone(child_stack=NULL, flags=SIGCHLD) = 14
14 execve("/opt/d", ["d"], 0x7ffd /* 20 vars */) = 0
"""
same("children that are taken away", {("b", "late"), ("late", "c")}, StraceReader().read(IGNORES.splitlines()).uncounted)
print("\n".join(failures) or "accounts are read and compared as they should be")
sys.exit(bool(failures))
