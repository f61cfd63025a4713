import assert from "node:assert/strict";
import { test } from "node:test";
import { causal, Messages } from "../../../../view/page/source/causal";
import { decode_frame } from "../../../../view/page/source/decode";
import { FileSource } from "../../../../view/page/source/file_source";
import { Levels } from "../../../../view/page/source/levels";
import * as requests from "../../../../view/page/source/requests";
import { Numbers, RequestName } from "../../../../view/page/source/requests";
import { described } from "./answers";
import { random_of } from "./random";

function frame(json: unknown, arrays: Uint8Array[]): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const pad = (size: number) => (size + 7) & ~7;
  const bytes = new Uint8Array(arrays.reduce((size, array) => size + pad(array.length), pad(4 + text.length)));
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  let at = pad(4 + text.length);
  for (const array of arrays) {
    bytes.set(array, at);
    at += pad(array.length);
  }
  return bytes.buffer;
}

test("frame: arrays of every type stand at multiples of eight bytes, whatever the length of the text", () => {
  for (let extra = 0; extra < 9; ++extra) {
    const described = [{ name: "a", type: "u8", count: 3 }, { name: "b", type: "f64", count: 2 }, { name: "c", type: "u32", count: 1 }, { name: "d", type: "f32", count: 3 }];
    const data = frame({ id: 7, answer: { text: "é".repeat(extra) }, arrays: described }, [new Uint8Array([1, 2, 255]), new Uint8Array(new Float64Array([1.5, NaN]).buffer),
      new Uint8Array(new Uint32Array([4e9]).buffer), new Uint8Array(new Float32Array([0.5, 1, 2]).buffer)]);
    const { id, answer } = decode_frame(data);
    const arrays = answer as Record<string, Numbers>;
    assert.equal(id, 7);
    assert.deepEqual([...arrays.a], [1, 2, 255]);
    assert.deepEqual([...arrays.b], [1.5, NaN]);
    assert.deepEqual([...arrays.c], [4e9]);
    assert.deepEqual([...arrays.d], [0.5, 1, 2]);
  }
});

test("frame: one that is cut off is refused, not read beyond its end", () => {
  const data = frame({ id: 1, answer: {}, arrays: [{ name: "t", type: "f64", count: 4 }] }, [new Uint8Array(16)]);
  assert.throws(() => decode_frame(data), /cut off/);
  assert.throws(() => decode_frame(new Uint8Array([255, 0, 0, 0]).buffer), /a frame of 4 bytes/);
  assert.throws(() => decode_frame(frame({ id: 1, arrays: [{ name: "t", type: "f128", count: 1 }] }, [new Uint8Array(16)])), /cut off/);
});

// The definition itself: repeat until nothing is added.
function slow_past({ from, to, sent, received }: Messages, index: number): Set<number> {
  const found = new Set<number>();
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (let i = 0; i < from.length; ++i) {
      if (i === index || found.has(i)) continue;
      for (const later of [index, ...found]) if (to[i] === from[later] && received[i] <= sent[later]) found.add(i);
    }
  }
  return found;
}

test("causal: past and future agree with the definition on random messages", () => {
  for (let seed = 1; seed <= 60; ++seed) {
    const random = random_of(seed);
    const count = 3 + Math.floor(random() * 40);
    const sent = Array.from({ length: count }, () => Math.floor(random() * 200));
    const messages = { from: sent.map(() => Math.floor(random() * 5)), to: sent.map(() => Math.floor(random() * 5)), sent, received: sent.map((t) => t + 1 + Math.floor(random() * 30)) };
    const index = Math.floor(random() * count);
    const { past, future } = causal(messages, index);
    assert.deepEqual([...past].sort(), [...slow_past(messages, index)].sort(), `seed ${seed}`);
    // The future of a message is its past with time turned round.
    const turned = { from: messages.to, to: messages.from, sent: messages.received.map((t) => -t), received: messages.sent.map((t) => -t) };
    assert.deepEqual([...future].sort(), [...slow_past(turned, index)].sort(), `seed ${seed}`);
  }
});

test("causal: the nearest come first, and what exceeds the limit is counted", () => {
  const count = 10;
  const messages = { from: new Array(count).fill(0), to: new Array(count).fill(0), sent: Array.from({ length: count }, (_, i) => i), received: Array.from({ length: count }, (_, i) => i + 0.5) };
  const { past, future, past_left_out, future_left_out } = causal(messages, 5, 2);
  assert.deepEqual([past, future, past_left_out, future_left_out], [[4, 3], [6, 7], 3, 2]);
});

const LEVELS = {
  from_s: 0, step_s: 1, bins: 4,
  processes: [{ process: 3, cpu_s: [0.5, 0.5, 0, 1], waiting_s: [0.5, 0.5, 1, 0], queue: [1, 2, 3, 4] }, { process: 8, at: [2], cpu_s: [0.25], waiting_s: [0] }],
  pairs: [{ from: 3, to: 8, at: [0, 3], messages: [10, 20], bytes: [100, 200] }],
};

test("levels: sums of a range are sums of its bins, and a bin that is covered in part counts in part", () => {
  const levels = new Levels(LEVELS);
  const traffic = levels.traffic(0.5, 3.5);
  assert.deepEqual([traffic.process, traffic.cpu_s, traffic.from, traffic.to, traffic.messages, traffic.bytes], [[3, 8], [1.25, 0.25], [3], [8], [15], [150]]);
  assert.deepEqual([traffic.span_s, traffic.before_span_s, traffic.before_messages], [3, 0.5, [5]]);
  assert.equal(traffic.queue[0], (0.5 * 1 + 2 + 3 + 0.5 * 4) / 3);
  assert(Number.isNaN(traffic.queue[1]), "a queue that was not measured is not zero");
});

test("levels: P counts the computation, messages all processes", () => {
  const { P_of, cpu_s, messages } = new Levels(LEVELS, new Set([3])).overview(0, 4, 4);
  const all = new Levels(LEVELS).overview(0, 4, 4);
  assert.deepEqual([cpu_s, messages], [all.cpu_s - 2, all.messages]);
  assert.deepEqual(P_of, Array.from(all.P_of, (P, bin) => P - [0.5, 0.5, 0, 1][bin]));
});

test("levels: a machine has the values of its bins, and NaN where a value is unknown", () => {
  const none = [null, null, null, null];
  const machines = [{ machine: 2, load: [1, 3, null, null], memory: [5, 5, 6, 7], swap: none, faults: none, swapped: none, disk_read: none, disk_written: none, disk_busy: none }];
  const { v0, v1, v2 } = new Levels({ ...LEVELS, machines }).series(0, 4, 2, [{ what: "load", machine: 2 }, { what: "memory", machine: 2 }, { what: "load", machine: 0 }]);
  assert.deepEqual([v0, v1, v2], [[2, NaN], [5, 6.5], [NaN, NaN]]);
});

test("levels: series are rates, and fewer bins than asked for are put together", () => {
  const levels = new Levels(LEVELS);
  assert.deepEqual(levels.series(0, 4, 100, [{ what: "cpu", process: 3 }, { what: "messages", from: 3, to: 8 }, { what: "received", process: 8 }]), {
    step_s: 1, t_s: [0, 1, 2, 3], v0: [0.5, 0.5, 0, 1], v1: [10, 0, 0, 20], v2: [10, 0, 0, 20],
  });
  const { t_s, v0, step_s } = levels.series(0, 4, 2, [{ what: "sent_bytes" }]);
  assert.deepEqual([t_s, v0, step_s], [[0, 2], [50, 100], 2]);
});

test("file: what needs a server is refused with a sentence that says what to do", async () => {
  const source = new FileSource({ answers: { describe: described(4) } });
  const names: RequestName[] = ["predict", "search", "placement_file", "queues", "traffic", "spacetime", "message", "event_at", "request"];
  for (const name of names) await assert.rejects(source.request(name, { process: 0, arc: 0, of: [] }), /dpm serve/, name);
  for (const name of ["statistics", "blame"] as const) await assert.rejects(source.request(name, { from_s: 1, to_s: 2 }), /dpm serve/, name);
});

test("file: where there are only bins, the answer tells where single events are", async () => {
  const levels = { from_s: 0, step_s: 1, bins: 8, processes: [{ process: 5, cpu_s: [0, 0, 0, 0, 1, 1, 1, 1], waiting_s: [0, 0, 0, 0, 0, 0, 0, 0] }], pairs: [] };
  const none: requests.SingleEvents = { exact: true, rows: [{ process: 5, machine: 0 }], rows_left_out: 0, arcs_left_out: 0, seg_critical: [], seg_row: [], seg_kind: [], seg_from: [], seg_to: [], arc_from: [], arc_to: [], arc_sent: [], arc_received: [], arc_bytes: [], arc_kind: [], arc_critical: [], arc_id: [] };
  const describe = described(8, { id: 5, machine: 0 });
  const source = new FileSource({ answers: { describe }, levels, spacetime: { ...none, from_s: 2, to_s: 6 } });
  const outside = await source.request("spacetime", { from_s: 0, to_s: 1 });
  assert.equal(outside.exact, false);
  assert.match(source.why_bins, /from 2\u202fs to 6\u202fs.*dpm serve/);
  assert.equal((await source.request("spacetime", { from_s: 3, to_s: 4 })).exact, true);
  const without = new FileSource({ answers: { describe }, levels });
  assert.equal((await without.request("spacetime", { from_s: 0, to_s: 1 })).exact, false);
  assert.match(without.why_bins, /no single events.*dpm serve/);
});

test("file: events of rows that are not shown are left out, and counted", async () => {
  const list: requests.SingleEvents & { from_s: number; to_s: number } = {
    exact: true, rows_left_out: 0, arcs_left_out: 0, seg_critical: [0, 0, 0],
    from_s: 0, to_s: 4, rows: [5, 6, 7].map((process) => ({ process, machine: 0 })), seg_row: [0, 1, 2], seg_kind: [0, 0, 1], seg_from: [0, 1, 2], seg_to: [1, 2, 3],
    arc_from: [0, 1], arc_to: [1, 2], arc_sent: [1, 2], arc_received: [1.5, 2.5], arc_bytes: [10, 20], arc_kind: [0, 0], arc_critical: [0, 1], arc_id: [100, 101],
  };
  const source = new FileSource({ answers: { describe: described(4) }, spacetime: list });
  const single = async (parameters: requests.Parameters<"spacetime">) => (await source.request("spacetime", parameters)) as requests.SingleEvents;
  const answer = await single({ from_s: 0, to_s: 4, rows: [6, 7] });
  assert.deepEqual([answer.rows_left_out, answer.seg_row, answer.arc_from, answer.arc_to, answer.arc_id], [1, [0, 1], [0], [1], [101]]);
  const narrow = await single({ from_s: 0, to_s: 0.9 });
  assert.deepEqual([narrow.seg_row, narrow.arc_id], [[0], []]);
  assert.deepEqual((await source.request("message", { arc: 101 })).past, [100]);
  assert.equal((await source.request("event_at", { process: 6, at_s: 1.6, direction: "after" })).at_s, 2);
});
