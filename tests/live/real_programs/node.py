#!/usr/bin/python3
"""Node: a server and its clients in one event loop, a child process that it talks to, and worker threads."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import real_program

PROGRAM = """
const net = require('net'), http = require('http'), { fork, execFileSync } = require('child_process'), fs = require('fs');
const { Worker, isMainThread, parentPort } = require('worker_threads');
if (process.argv[2] === 'child') {
  process.on('message', n => { if (n === null) process.disconnect(); else process.send(n + 1); });
} else if (!isMainThread) {
  parentPort.on('message', n => parentPort.postMessage(n * n));
} else main();
async function main() {
  const first = await everything();
  console.log(first);
  fs.writeFileSync('progress', '');
  for (let last = false, again; !last;) {
    last = fs.existsSync('struck');
    if ((again = await everything()) !== first) { console.log('another time: ' + again); break; }
  }
  process.exitCode = 3;
}
async function everything() {
  const said = [];
  const echo = net.createServer(s => s.pipe(s)).listen(0, '127.0.0.1', () => {});
  await new Promise(r => echo.on('listening', r));
  const lengths = await Promise.all([...Array(20).keys()].map(i => new Promise((done, fail) => {
    const s = net.connect(echo.address().port, '127.0.0.1'); let got = 0;
    s.on('data', d => { got += d.length; if (got === 10000 * (i + 1)) s.end(); });
    s.on('close', () => done(got)); s.on('error', fail); s.write(Buffer.alloc(10000 * (i + 1)));
  })));
  said.push(lengths.join(' ')); echo.close();
  const web = http.createServer((q, a) => a.end('you asked for ' + q.url)).listen(0, '127.0.0.1');
  await new Promise(r => web.on('listening', r));
  for (let i = 0; i < 100; ++i) {
    const text = await new Promise((done, fail) => http.get({ port: web.address().port, host: '127.0.0.1', path: '/' + i },
      a => { let t = ''; a.on('data', d => t += d); a.on('end', () => done(t)); }).on('error', fail));
    if (i % 50 === 0) said.push(text);
  }
  web.close();
  const child = fork(__filename, ['child']); let n = 0;
  await new Promise(r => { child.on('message', m => { n = m; child.send(n < 100 ? n : null); }); child.on('exit', r); child.send(0); });
  said.push(n, execFileSync('/bin/echo', ['from', 'a', 'program']).toString().trim());
  const worker = new Worker(__filename);
  said.push(await new Promise(r => { worker.on('message', r); worker.postMessage(12); }));
  await worker.terminate();
  return said.join('\\n');
}
"""


def play(session: real_program.Session) -> None:
    program = session.folder / "program.js"
    program.write_text(PROGRAM)
    with session.meter_killed():
        done = session.run(["node", str(program)], metered=True)
    session.note("results", (done.returncode, done.stdout))


real_program.main(play, needs=["node"])
