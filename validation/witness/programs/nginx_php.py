"""nginx with two workers in front of php-fpm with three; ab asks on connections that are not kept."""

import glob
import re
import signal
from stage import Stage

NEEDS = ["nginx", "ab", "curl", "php-fpm*"]
PORTS = ["http", "fastcgi"]
SHORT = True
VARIES = [("php-fpm.* (SEND|RECEIVE) unix", "php-fpm tells itself of each SIGCHLD by a byte, and several at once are one"),
          ("nginx .* unix", "how many of nginx's workers are there when it tells them of one another, and to end, depends on their start")]
FPM = """[global]
daemonize = no
error_log = "{folder}/fpm-errors"
[www]
user = root
group = root
listen = 127.0.0.1:{fastcgi}
pm = static
pm.max_children = 3
"""
NGINX = """daemon off; worker_processes 2; pid "{folder}/nginx-pid"; error_log "{folder}/nginx-errors"; user root;
events {{ worker_connections 256; }}
http {{
  access_log off; client_body_temp_path "{folder}/t1"; proxy_temp_path "{folder}/t2"; fastcgi_temp_path "{folder}/t3";
  uwsgi_temp_path "{folder}/t4"; scgi_temp_path "{folder}/t5";
  server {{
    listen 127.0.0.1:{http};
    location / {{ fastcgi_pass 127.0.0.1:{fastcgi}; fastcgi_param "SCRIPT_FILENAME" "{www}/index.php";
      fastcgi_param QUERY_STRING $query_string; fastcgi_param REQUEST_METHOD $request_method; }}
    location /status {{ stub_status; }}
  }}
}}
"""


def play(stage: Stage) -> None:
    places = {"folder": stage.folder, "www": stage.parts / "www", "http": stage.port("http"), "fastcgi": stage.port("fastcgi")}
    for name, text in (("fpm.conf", FPM), ("nginx.conf", NGINX)):
        (stage.folder / name).write_text(text.format(**places))
    fpm = stage.start([glob.glob("/usr/sbin/php-fpm*")[0], "-R", "-y", stage.folder / "fpm.conf"])
    stage.wait_for_port("fastcgi")
    nginx = stage.start(["nginx", "-c", stage.folder / "nginx.conf"])
    stage.wait_for_port("http")
    address = f"http://127.0.0.1:{stage.port('http')}"
    stage.note("curl", [stage.run(["curl", "-s", f"{address}/?n={20 * number}"]) for number in range(1, 6)])
    said = stage.run(["ab", "-q", "-n", 40 if stage.quick else 1000, "-c", 4, f"{address}/?n=50"])
    stage.note("ab", re.findall(r"(?:Complete requests|Failed requests|Total transferred): +(\d+)", said))
    accepted = int(re.findall(r"^ (\d+) ", stage.run(["curl", "-s", f"{address}/status"]), re.MULTILINE)[0])
    stage.counter("connections that its status says are accepted", accepted, program="nginx", of="accepts")
    for server in (nginx, fpm):
        stage.stop(server, signal.SIGQUIT)
