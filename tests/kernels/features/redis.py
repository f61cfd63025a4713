"""A Redis server answers as many requests as its client sends, and the trace has both ends of each."""


from site_of_guest import Site, expect, moved

HAS_SOURCE = True
REQUESTS = 50
CLIENT = """
import socket, subprocess, sys, time
server = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", "s", "--save", "", "--appendonly", "no"], stdout=subprocess.DEVNULL)
while True:
    try:
        talk = socket.socket(socket.AF_UNIX); talk.connect("s"); break
    except OSError:
        talk.close(); time.sleep(.05)
for number in range(int(sys.argv[1])):
    talk.sendall(b"*3\\r\\n$3\\r\\nSET\\r\\n$1\\r\\nk\\r\\n$2\\r\\n%02d\\r\\n" % (number % 100))
    assert talk.recv(100) == b"+OK\\r\\n"
talk.close()
server.terminate()
server.wait()
"""


def play(site: Site) -> None:
    site.need("redis-server")
    trace = site.meter("/usr/bin/python3", "-c", CLIENT, str(REQUESTS))
    replies = [event for event in moved(trace, "SEND") if event.length == 5]
    requests = [event for event in moved(trace, "RECEIVE") if event.length == 28]
    expect(len(replies) == REQUESTS, f"the server has sent {len(replies)} replies, not {REQUESTS}")
    expect(len(requests) == REQUESTS, f"the server has received {len(requests)} requests, not {REQUESTS}")
