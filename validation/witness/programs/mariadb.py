"""MariaDB; a script of SQL, single questions by TCP and by a UNIX socket, and eight clients at once."""

import re
import subprocess
from stage import Stage
from typing import Any

NEEDS = ["mariadbd", "mariadb", "mysqlslap", "mariadb-install-db"]
PORTS = ["sql"]
VARIES = [("mysqlslap .* tcp|mariadbd .* tcp", "its clients take the next question when they are ready: who asks how many is chance")]
SQL = """create database t; use t; create table a(i int primary key auto_increment, v varchar(100), k int, key(k)) engine=innodb;
insert into a(v,k) select concat('row',seq),seq%17 from seq_1_to_2000; select k,count(*),md5(group_concat(v order by i)) from a group by k;
update a set k=k+1 where i%3=0; select sum(k),sum(crc32(v)) from a; delete from a where k=5; select count(*) from a; checksum table a;
"""


def prepare(folder: Any, _: Any) -> None:
    subprocess.run(["mariadb-install-db", "--no-defaults", f"--datadir={folder}/data", "--user=root", "--skip-test-db",
                    "--auth-root-authentication-method=normal"], check=True, capture_output=True)


def connections_of(stage: Stage, client: list[str]) -> int:
    return int(stage.run([*client, "-e", "show global status like 'Connections'"]).split()[1])


def play(stage: Stage) -> None:
    port = stage.port("sql")
    stage.run(["cp", "-r", stage.prepared / "data", "data"])
    server = stage.start(["mariadbd", "--no-defaults", f"--datadir={stage.folder}/data", "--user=root", f"--port={port}",
                          "--bind-address=127.0.0.1", f"--socket={stage.folder}/socket", f"--pid-file={stage.folder}/pid",
                          "--innodb-buffer-pool-size=64M", "--skip-name-resolve"])
    stage.wait_for_port("sql")
    (stage.folder / "script").write_text(SQL)
    client = ["mariadb", "--no-defaults", "-uroot", "-N"]
    by_tcp, by_unix = [*client, "-h127.0.0.1", f"-P{port}"], [*client, f"--socket={stage.folder}/socket"]
    stage.note("script", stage.run(by_tcp, stdin=stage.folder / "script"))
    before = connections_of(stage, by_unix)
    for name, way in (("questions by TCP", by_tcp), ("questions by UNIX socket", by_unix)):
        stage.note(name, [stage.run([*way, "-e", f"select {k}, count(*) from t.a where k < {k}"]) for k in range(3)])
    questions = 160 if stage.quick else 4000
    said = stage.run(["mysqlslap", "--no-defaults", "-h127.0.0.1", f"-P{port}", "-uroot", "--concurrency=8", f"--number-of-queries={questions}",
                      "--create-schema=t", "--query=select v from a where i=77"])
    stage.note("mysqlslap", re.findall(r"Number of clients running queries: (\d+)", said))
    # Of its own, and the two before it was asked first: the script's and the one that asked.
    stage.counter("Connections", connections_of(stage, by_unix) - before + 2, program="mariadbd", of="accepts")
    stage.stop(server)
