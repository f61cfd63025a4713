"""An address that stays while servers come and go behind it: what a tunnel or a proxy with a name gives to users. The token of the address
becomes the token of the server that is there now."""
import socket
import threading
from typing import Any


class Tunnel:
    TOKEN = b"f" * 32

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}/{self.TOKEN.decode()}/"
        self.target: Any = None  # a Served
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.connect, args=(client,), daemon=True).start()

    def connect(self, client: Any) -> Any:
        target = self.target
        if target is None or target.process is None:
            return client.close()
        try:
            server = socket.create_connection(("127.0.0.1", target.port))
        except OSError:
            return client.close()
        threading.Thread(target=self.pass_on, args=(server, client, None), daemon=True).start()
        self.pass_on(client, server, target.token.encode())

    def pass_on(self, source: Any, sink: Any, token: Any) -> None:
        """Everything, and in the first piece, which has the address, the token is replaced."""
        try:
            while data := source.recv(65536):
                sink.sendall(data.replace(self.TOKEN, token) if token and data.startswith((b"GET ", b"HEAD ")) else data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def stop(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
