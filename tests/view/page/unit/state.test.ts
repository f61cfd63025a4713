import assert from "node:assert/strict";
import { test } from "node:test";
import { amount_bounds, share_of } from "../../../../view/page/draw/colours";
import { bytes, grouped, parse_time, percent, rounded, seconds, short, time_at } from "../../../../view/page/format";
import { shortened, shown, visible } from "../../../../view/page/names";
import { next_picture_ms, REST_MS } from "../../../../view/page/frame/pace";
import { Parameters } from "../../../../view/page/source/requests";
import { Source } from "../../../../view/page/source/source";
import { as_of_text, same_version } from "../../../../view/page/state/as_of";
import { Clock } from "../../../../view/page/state/clock";
import { Feed } from "../../../../view/page/state/feed";
import { mean_of } from "../../../../view/page/state/mean";
import { arcs_of } from "../../../../view/page/layout/groups";
import { arc_pin, parse_pin } from "../../../../view/page/state/pins";
import { decode_plan, encode_plan, moved, NO_PLAN, own, Plans, with_machine, with_replicas } from "../../../../view/page/state/plan";
import { decode, encode, INITIAL, State } from "../../../../view/page/state/state";
import { traffic_of, value_bounds, value_text, why_no_change } from "../../../../view/page/state/traffic";
import { World } from "../../../../view/page/state/world";
import { decision_cells } from "../../../../view/page/views/schedule";
import { described, version as version_of } from "./answers";
import { random_of } from "./random";

test("address: what is written is read again", () => {
  for (let seed = 1; seed <= 200; ++seed) {
    const random = random_of(seed);
    const some = <T>(value: T, otherwise: T) => (random() < 0.5 ? value : otherwise);
    const text = () => Array.from({ length: Math.floor(random() * 6) }, () => String.fromCodePoint(33 + Math.floor(random() * 900))).join("") + some("&=#%\n", "");
    const state: State = {
      view: some("matrix", ""), span: random() < 0.3 ? { from_s: 0.125, to_s: 3.000000001 } : { last_s: some<number | null>(10, null) }, at_s: some<number | null>(1.5, null), selected: some([1, 5, 17], []),
      arc: some<[number, number] | null>([3, 4], null), message: some<number | null>(12000000007, null), quantity: some("bytes", "messages"), form: some("change", "rate"), palette: some("viridis", "spectrum"),
      theme: some("dark", "auto"), pins: some(["cpu:3,cpu:4", "messages:1-2"], []), more: some<Record<string, string>>({ open: "a\nb" + text(), plan: text() + "x" }, {}),
    };
    assert.deepEqual(decode("#" + encode(state)), state, `seed ${seed}`);
  }
});

test("address: nonsense leaves the initial state", () => {
  for (const text of ["", "#", "#&&&", "#view", "#=x", "#from=1&to=0", "#from=a&to=b", "#selected=a,-1,1.5", "#arc=1", "#arc=1-x", "#theme=red", "#quantity=", "#last=-3", "#message=", "#.=x", "#at=%"]) {
    assert.deepEqual(decode(text), INITIAL, text);
  }
});

test("numbers: as people read them", () => {
  assert.deepEqual([0, 0.00123456, 1, 12.345, 999.4, 999.6, 1234567, -0.5, NaN].map(short), ["0", "0.00123", "1", "12.3", "999", "1\u202fk", "1.23\u202fM", "−0.5", "–"]);
  assert.deepEqual([0, 1.5e-9, 12e-6, 0.0035, 0.9999, 65, 125, 3725, 200000].map(seconds).map((text) => text.replace(/\u202f/g, " ")), ["0 s", "1.5 ns", "12 µs", "3.5 ms", "1 s", "65 s", "2 min 05 s", "1 h 02 min", "2.31 d"]);
  assert.deepEqual([0, 0.004, 0.0567, 0.273, 1].map(percent).map((text) => text.replace("\u202f", " ")), ["0 %", "0.4 %", "5.7 %", "27 %", "100 %"]);
  assert.deepEqual([999, 1234567].map(grouped), ["999", "1\u202f234\u202f567"]);
  assert.equal(bytes(1530).replace("\u202f", " "), "1.53 kB");
});

test("times: neighbouring ticks have different texts, and what is typed is read", () => {
  for (const step of [1e-9, 1e-6, 0.0005, 0.02, 1, 30]) assert.notEqual(time_at(75, step), time_at(75 + step, step), String(step));
  assert.equal(time_at(3723.5, 0.5), "1:02:03.5");
  assert.equal(time_at(59.96, 0.5).replace("\u202f", " "), "60.0 s");
  assert.deepEqual(["12.5", "350 ms", "10us", "1:02:03.5", "2:30", "1,5 s", "x", "", "1:2:3:4", "-1"].map(parse_time), [12.5, 350 * 1e-3, 10 * 1e-6, 3723.5, 150, 1.5, null, null, null, null]);
});

test("names: what is not seen or reorders text is shown, and nothing is empty", () => {
  assert.deepEqual(["", " ", "\u200b"].map(visible), ["(no name)", "(no name)", "\ufffd"]);
  assert.equal(visible("\x1b[31mred\u202e\u2066\x00"), "\ufffd[31mred\ufffd\ufffd\ufffd");
  assert.equal(visible("<b>&amp;"), "<b>&amp;");
  assert.equal(visible("\u{1f9d1}\u200d\u{1f680}"), "\u{1f9d1}\u200d\u{1f680}");
  assert.equal(shortened("a".repeat(50) + "end", 10), "aaaaaa…end");
  assert.equal([...shown("\u{1f680}".repeat(4096), 20)].length, 20);
});

test("pins: series of an address, and nothing else", () => {
  assert.deepEqual(parse_pin("cpu:3,bytes:1-2,messages,sent:x,evil:1,__proto__:1,queue:1-2,constructor"), [{ what: "cpu", process: 3 }, { what: "bytes", from: 1, to: 2 }, { what: "messages" }]);
  assert.deepEqual(parse_pin("load:m0,cpu:m1,load:3,load,evil:m1,disk_busy:m12"), [{ what: "load", machine: 0 }, { what: "disk_busy", machine: 12 }]);
});

test("clock: between ticks time goes on, never back, and comes near to what is reported", () => {
  const clock = new Clock();
  clock.report(10, "recording", 1000);
  let last = 0;
  for (let ms = 1000; ms <= 4000; ms += 16) {
    if ((ms - 1000) % 112 === 0) clock.report(10 + (ms - 1000 - 30) / 1000, "recording", ms);
    const now = clock.now_s(ms);
    assert(now >= last, `${now} after ${last}`);
    last = now;
  }
  assert(Math.abs(last - 13) < 0.3, String(last));
  clock.report(13.5, "ended", 4010);
  assert.equal(clock.now_s(9000), 13.5);
});

test("clock: when ticks come late, time stands rather than runs back", () => {
  const clock = new Clock();
  clock.report(10, "recording", 1000);
  const ahead = clock.now_s(1300);
  clock.report(10.01, "recording", 1310);
  for (let ms = 1310; ms < 1400; ms += 2) assert(clock.now_s(ms) >= ahead, String(ms));
});

test("plan: undo and redo go through all steps, and steps of one slider are one", () => {
  const plans = new Plans();
  plans.change(moved(plans.plan, "db", "blue", "red"));
  for (const cores of [5, 6, 7]) plans.change(with_machine(plans.plan, "blue", { cores }, { speed: 1, cores: 4 }), "cores");
  plans.end_step();
  plans.change(with_machine(plans.plan, "blue", { cores: 8 }, { speed: 1, cores: 4 }), "cores");
  const end = plans.plan;
  const seen = [];
  while (plans.can_undo) {
    plans.undo();
    seen.push(plans.plan);
  }
  assert.deepEqual(seen.map(({ machines }) => own(machines, "blue")?.cores), [7, undefined, undefined]);
  assert.deepEqual(plans.plan, NO_PLAN);
  while (plans.can_redo) plans.redo();
  assert.deepEqual(plans.plan, end);
});

test("plan: what is as in the trace is not a change, and no name has a special meaning", () => {
  const there = moved(NO_PLAN, "__proto__", "blue", "red");
  assert.equal(own(there.machine_of, "__proto__"), "blue");
  assert.equal(JSON.stringify(there.machine_of), '{"__proto__":"blue"}');
  assert.equal(own(decode_plan(encode_plan(there)).machine_of, "__proto__"), "blue");
  assert.equal(own(NO_PLAN.machine_of, "constructor"), undefined);
  assert.deepEqual(moved(there, "__proto__", "red", "red"), NO_PLAN);
  assert.deepEqual(with_replicas(with_replicas(NO_PLAN, "a", 3), "a", 1), NO_PLAN);
  for (const text of ["", "null", "[]", "{", '{"machine_of": 3}']) assert.deepEqual(decode_plan(text), NO_PLAN, text);
});

test("traffic: a rate is of the range, a change is of the rate before, and the first range has no change", () => {
  const answer = { span_s: 2, before_span_s: 2, process: [1, 2], cpu_s: [1, 0.5], waiting_s: [0, 1], queue: [NaN, 3], from: [1], to: [2], messages: [10], bytes: [1000], before_messages: [6], before_bytes: [0] };
  assert.equal(traffic_of(answer, "messages", "rate").pairs[0].value, 5);
  assert.equal(traffic_of(answer, "bytes", "total").pairs[0].value, 1000);
  assert.equal(traffic_of(answer, "messages", "change").pairs[0].value, 1);
  assert(Number.isNaN(traffic_of({ ...answer, before_span_s: 0 }, "messages", "change").pairs[0].value));
  assert.equal(traffic_of(answer, "messages", "rate").loads.get(1)!.cpu, 0.5);
  assert.deepEqual(value_bounds([NaN, 0, 3, 7], "rate"), { least: 0, most: 7 });
  assert.deepEqual(value_bounds([0.5, 700], "rate"), { least: 0.5, most: 700 });
  assert.deepEqual(value_bounds([-4, 1], "change"), { least: -4, most: 4 });
  assert.deepEqual(value_bounds([], "rate"), { least: 0, most: 0 });
});

test("traffic: where changes are shown, a pair whose messages have ceased is active, and so are its processes", () => {
  const answer = { span_s: 2, before_span_s: 2, process: [1], cpu_s: [0], waiting_s: [2], queue: [NaN], from: [1], to: [2], messages: [0], bytes: [0], before_messages: [8], before_bytes: [80] };
  const change = traffic_of(answer, "messages", "change"), rate = traffic_of(answer, "messages", "rate");
  assert.deepEqual([change.pairs[0].value, change.pairs[0].activity, rate.pairs[0].activity], [-2, 8, 0]);
  for (const id of [1, 2]) assert.deepEqual([change.loads.get(id)!.activity, change.loads.get(id)!.sent, rate.loads.get(id)!.activity], [8, 0, 0]);
  assert.deepEqual([why_no_change(answer, "change"), why_no_change({ ...answer, before_span_s: 0 }, "rate")], ["", ""]);
  assert.match(why_no_change({ ...answer, before_span_s: 0 }, "change"), /no change is known/);
});

test("traffic: an arc has a mean size and its receiver's queue, and what is not known is not 0", () => {
  const answer = { span_s: 2, before_span_s: 2, process: [1, 2], cpu_s: [1, 0.5], waiting_s: [0, 1], queue: [NaN, 3], from: [1, 2, 1], to: [2, 1, 7], messages: [10, 0, 4], bytes: [1000, 0, 0], before_messages: [5, 5, 0], before_bytes: [250, 500, 0] };
  const values = (quantity: "size" | "queue", form: "rate" | "total" | "change") => traffic_of(answer, quantity, form).pairs.map(({ value }) => value);
  assert.deepEqual(values("size", "rate"), [100, NaN, 0]);
  assert.deepEqual(values("size", "total"), [100, NaN, 0]);
  assert.deepEqual(values("size", "change"), [25, NaN, NaN]);
  assert.deepEqual(values("queue", "rate"), [3, NaN, NaN]);
  assert.deepEqual(values("queue", "change"), [NaN, NaN, NaN]);
  assert.match(why_no_change(answer, "change", "queue"), /not known/);
  assert.deepEqual([value_text(3, "queue", "rate"), value_text(100, "size", "total"), value_text(2, "messages", "rate")], ["3", "100\u202fB", "2/s"]);
  assert.deepEqual([arc_pin("queue", 1, 2), arc_pin("size", 1, 2), arc_pin("messages", 1, 2)], ["queue:2", "bytes:1-2", "messages:1-2"]);
});

test("traffic: an arc between groups has the mean of all messages, and the longest queue", () => {
  const boxes = [{ key: "a", group: null, of: null, members: [1, 2] }, { key: "b", group: null, of: null, members: [3, 4] }];
  const pair = (from: number, to: number, value: number, messages: number) => ({ from, to, value, messages, bytes: value * messages, activity: messages });
  const pairs = [pair(1, 3, 100, 1), pair(2, 3, 10, 9), pair(2, 4, NaN, 0)];
  assert.equal(arcs_of(boxes, pairs, "mean")[0].value, 19);
  assert.equal(arcs_of(boxes, pairs, "longest")[0].value, 100);
  assert(Number.isNaN(arcs_of(boxes, pairs)[0].value));
});

test("traffic: ends that are not metered have messages, and stand in one group", () => {
  const answer = { span_s: 10, before_span_s: 0, process: [0], cpu_s: [5], waiting_s: [1], queue: [NaN], from: [0, 7], to: [7, 0], messages: [30, 20], bytes: [300, 200], before_messages: [0, 0], before_bytes: [0, 0] };
  const { loads } = traffic_of(answer, "messages", "rate");
  assert.deepEqual([loads.get(7)!.sent, loads.get(7)!.received, loads.get(7)!.cpu], [20, 30, 0]);
  const world = new World();
  world.take(described(1, { id: 7, name: "outside 10.0.0.1:80", outside: true }, { id: 8, name: "outside 10.0.0.2:80", outside: true }));
  for (const grouping of ["program", "machine", "container"] as const) assert.equal(world.group_of(7, grouping), world.group_of(8, grouping));
});

test("colours: amounts that are nearly equal have nearly the same colour, and more is never less", () => {
  for (let seed = 1; seed <= 200; ++seed) {
    const random = random_of(seed);
    const decades = random() * 6, values = Array.from({ length: 2 + Math.floor(random() * 30) }, () => Math.pow(10, random() * decades)).sort((a, b) => a - b);
    const { least, most } = amount_bounds(values);
    const shares = values.map((value) => share_of(value, least, most));
    shares.forEach((share, i) => {
      assert(share >= 0 && share <= 1 && (i === 0 || share >= shares[i - 1]), `seed ${seed}`);
      if (i > 0 && values[i] < 1.05 * values[i - 1]) assert(share - shares[i - 1] < 0.06, `seed ${seed}: ${values[i - 1]} and ${values[i]} have the shares ${shares[i - 1]} and ${share}`);
    });
    assert.equal(shares[shares.length - 1], 1);
  }
  const { least, most } = amount_bounds([24278, 24281]);
  assert(share_of(24278, least, most) > 0.99);
});

test("versions: said where an answer is not of all that there is", () => {
  assert.equal(as_of_text(version_of(9), 9, false), "");
  assert.equal(as_of_text(version_of(9, { state: "recording", is_final: false }), 10, true), "");
  assert.equal(as_of_text(version_of(9, { state: "recording", is_final: false }), 12, true), "as of 9\u202fs; the run is at 12\u202fs");
  assert.equal(as_of_text(version_of(9, { state: "recording", is_final: false, working: 0.43 }), 9.5, false), "as of 9\u202fs; the run ended at 9.5\u202fs · computing 43\u202f%");
  assert.equal(as_of_text(version_of(9, { is_final: false }), 9, false), "before the analysis of the whole trace");
  assert(same_version(version_of(9), version_of(9, { working: 0.5 })));
  for (const other of [version_of(8), version_of(9, { state: "recording" }), version_of(9, { is_final: false }), null]) assert(!same_version(version_of(9), other));
});

test("questions: what is worked on is asked again by itself until it is done, also by a feed that asks seldom", async () => {
  Object.assign(globalThis, { document: { hidden: false }, window: globalThis });
  const answers = [{ computing: 0.1, as_of: version_of(1) }, { as_of: version_of(1, { is_final: false, working: 0.5 }) }, { as_of: version_of(2) }];
  let asked = 0;
  const marked: unknown[] = [];
  const request = async () => answers[Math.min(asked++, 2)];
  const source = { link: { kind: "open" as const }, version: 1, tick: null, single: null, why_bins: "", on_tick: () => () => {}, on_link: () => {}, request: request as unknown as Source["request"] };
  const feed = new Feed({ source, request: "queues", parameters: () => ({}), on_answer: () => {}, mark: { show: (answer) => marked.push(answer), update: () => {} }, each_ms: 1e9 });
  feed.poke();
  await new Promise((done) => setTimeout(done, 1800));
  assert.deepEqual([asked, marked], [3, answers]);
  feed.again();
  await new Promise((done) => setTimeout(done, 20));
  assert.equal(asked, 4);
  feed.stop();
});

test("mean: as if each moment were added, and what is not known does not count", () => {
  for (let seed = 1; seed <= 50; ++seed) {
    const random = random_of(seed);
    const step_s = 1 + Math.floor(random() * 3), count = 1 + Math.floor(random() * 20);
    const t_s = Array.from({ length: count }, (_, i) => i * step_s), values = t_s.map(() => (random() < 0.2 ? NaN : random() * 4));
    const from_s = Math.floor(random() * count * step_s), to_s = from_s + 1 + Math.floor(random() * count * step_s);
    const moments = [];
    for (let t = from_s; t < Math.min(to_s, count * step_s); ++t) moments.push(values[Math.floor(t / step_s)]);
    const known = moments.filter(Number.isFinite);
    const expected = known.reduce((a, b) => a + b, 0) / known.length;
    const mean = mean_of(t_s, values, step_s, from_s, to_s);
    assert(Number.isNaN(expected) ? Number.isNaN(mean) : Math.abs(mean - expected) < 1e-9, `seed ${seed}: ${mean} instead of ${expected}`);
  }
});

test("numbers: where there is little room, with fewer digits", () => {
  assert.deepEqual(rounded(0.02531).map(short), ["0.0253", "0.025", "0.03"]);
  assert.deepEqual(rounded(12345).map(short), ["12.3\u202fk", "12\u202fk", "10\u202fk"]);
});

test("pictures: each frame while the page is used, a few a second while it is looked at, none while nothing changes", () => {
  const rest = { awake_until_ms: 0, changed: false, slides: false, last_ms: 1000 };
  assert.equal(next_picture_ms(rest, 1010), null);
  assert.equal(next_picture_ms({ ...rest, awake_until_ms: 1011 }, 1010), 0);
  const soon = next_picture_ms({ ...rest, changed: true }, 1010)!, later = next_picture_ms({ ...rest, slides: true }, 1010)!;
  assert.ok(soon > 100 && soon < REST_MS && later > REST_MS && later <= 1000, `${soon} ${later}`);
  assert.equal(next_picture_ms({ ...rest, changed: true, last_ms: -Infinity }, 1010), 0);
});

test("questions: time that passes waits for its turn, what the user chooses is asked at once", async () => {
  Object.assign(globalThis, { document: { hidden: false }, window: globalThis });
  let to_s = 1, selected = 1, version = 0;
  const asked: Parameters<"series">[] = [];
  const request = async (_: string, parameters: Parameters<"series">) => (asked.push(parameters), { step_s: 1, t_s: [], as_of: version_of(1) });
  const source = { link: { kind: "open" as const }, get version() { return version; }, tick: null, single: null, why_bins: "", on_tick: () => () => {}, on_link: () => {}, request: request as Source["request"] };
  const feed = new Feed({ source, request: "series", parameters: () => ({ to_s, of: [{ what: "cpu", process: selected }] }), choice: ({ of }) => JSON.stringify(of), on_answer: () => {}, mark: null, each_ms: 200 });
  const passes = async (ms: number) => {
    for (const end = performance.now() + ms; performance.now() < end; ++to_s, ++version) {
      feed.poke();
      await new Promise((done) => setTimeout(done, 5));
    }
  };
  await passes(100);
  assert.deepEqual(asked.length, 1);
  selected = 2;
  await passes(20);
  assert.deepEqual(asked.map(({ of }) => of[0].process), [1, 2]);
  await passes(300);
  assert.ok(asked.length >= 3 && asked.length <= 4, String(asked.length));
  feed.stop();
});

test("schedule: a decision in words, with what is not known left open", () => {
  const moved = { at_s: 2, moves: [{ process: "redis-server", from: "core0", to: "core1" }], predicted_gain: { expected: 0.5, low: 0.25, high: null }, measured_gain: -0.125, outcome: "undone", reason: "because\u202e" };
  assert.deepEqual(decision_cells(moved), ["2\u202fs", "redis-server: core0 to core1", "+50\u202f% (+25\u202f% to –)", "−13\u202f%", "undone", "because\ufffd"]);
  assert.deepEqual(decision_cells({ at_s: null, moves: [], predicted_gain: null, measured_gain: null, outcome: "nothing", reason: "none" }), ["–", "–", "–", "–", "nothing", "none"]);
});
