import assert from "node:assert/strict";
import { test } from "node:test";
import { arranged, arranged_answer, LanePlaces, moved_lane, places_of, toggled, with_places } from "../../../../view/page/layout/lane_order";
import { Answer, Blame, Statistics } from "../../../../view/page/source/requests";
import { Refusal, Source } from "../../../../view/page/source/source";
import { ExactRange, RangeAnswer } from "../../../../view/page/state/exact_range";
import { causes_of, CPU_TIME, exact_sums, sums_of_traffic, total_of, WAITS } from "../../../../view/page/state/range_sums";
import { near, notes_of, notes_text, ruler_of, ruler_text } from "../../../../view/page/state/ruler";
import { decode, encode, INITIAL } from "../../../../view/page/state/state";
import { version } from "./answers";
import { random_of } from "./random";

const NO_PLACES: LanePlaces = { order: [], pinned: [], hidden: [] };

test("lanes: pinned ones come first, hidden ones do not come, and the others stay in order", () => {
  const given = [10, 11, 12, 13];
  for (const [places, shown] of [
    [{}, [10, 11, 12, 13]], [{ pinned: [12] }, [12, 10, 11, 13]], [{ pinned: [13, 10] }, [13, 10, 11, 12]], [{ hidden: [11] }, [10, 12, 13]], [{ order: [13, 10] }, [13, 10, 11, 12]],
    [{ order: [12, 10, 11] }, [12, 13, 10, 11]], [{ order: [99], pinned: [98], hidden: [97] }, [10, 11, 12, 13]], [{ pinned: [10], hidden: [10] }, [11, 12, 13]], [{ hidden: [10, 11, 12, 13] }, []],
  ] as [Partial<LanePlaces>, number[]][]) assert.deepEqual(arranged(given, { ...NO_PLACES, ...places }), shown, JSON.stringify(places));
});

test("lanes: one that is moved changes places with its neighbour, and its address brings all back", () => {
  for (let seed = 1; seed <= 200; ++seed) {
    const random = random_of(seed);
    const given = Array.from({ length: 1 + Math.floor(random() * 9) }, (_, i) => i * 3 + 1);
    let places = NO_PLACES;
    for (let step = 0; step < 20; ++step) {
      const id = given[Math.floor(random() * given.length)];
      const before = arranged(given, places);
      if (random() < 0.2) places = { ...places, pinned: toggled(places.pinned, [id]) };
      else if (random() < 0.2) places = { ...places, hidden: toggled(places.hidden, [id]) };
      else {
        const by = random() < 0.5 ? -1 : 1, row = before.indexOf(id), other = before[row + by];
        const after = arranged(given, (places = moved_lane(given, places, id, by)));
        const expected = [...before];
        const may = row >= 0 && other !== undefined && places.pinned.includes(id) === places.pinned.includes(other);
        if (may) [expected[row], expected[row + by]] = [other, id];
        assert.deepEqual(after, expected, `seed ${seed}, step ${step}`);
      }
      const address = encode({ ...INITIAL, more: with_places({}, places) });
      assert.deepEqual(arranged(given, places_of(decode(address).more)), arranged(given, places), `seed ${seed}: ${address}`);
    }
  }
});

test("lanes: nonsense in an address moves nothing", () => {
  for (const text of ["", "x", "-1", "1.5", ",,", "1e3", "__proto__", "99999999999999"]) assert.deepEqual(places_of({ lanes: text, pinned: text, hidden: text }), NO_PLACES, text);
});

test("lanes: each mark keeps its processes, and those of hidden lanes are left out", () => {
  for (let seed = 1; seed <= 100; ++seed) {
    const random = random_of(seed);
    const rows = Array.from({ length: 1 + Math.floor(random() * 6) }, (_, i) => ({ process: 100 + i, machine: null }));
    const row = () => Math.floor(random() * rows.length);
    const list = (value: () => number) => Array.from({ length: 20 }, value);
    const number = list(() => random());
    const exact = {
      as_of: version(1), exact: true as const, rows, rows_left_out: 0, arcs_left_out: 0, seg_row: list(row), seg_kind: number, seg_from: number, seg_to: number, seg_critical: number, arc_from: list(row), arc_to: list(row), arc_sent: number, arc_received: number,
      arc_bytes: number, arc_kind: number, arc_critical: number, arc_id: number, inside_events: [], inside_row: list(row), inside_event: number, inside_t: number, inside_value: number,
    };
    const binned = { as_of: version(1), exact: false as const, rows, rows_left_out: 0, arcs_left_out: 0, bin_row: list(row), bin_from: number, bin_to: number, bin_work: number, bin_wait: number, flow_from: list(row), flow_to: list(row), flow_t: number, flow_messages: number };
    const pick = () => rows.map(({ process }) => process).filter(() => random() < 0.4);
    const places = { order: pick().reverse(), pinned: pick(), hidden: pick() };
    const marks = (answer: Answer<"spacetime">, ends: ArrayLike<number>[], value: ArrayLike<number>) => Array.from(value, (one, i) => JSON.stringify([one, ...ends.map((rows_of) => answer.rows[rows_of[i]].process)]));
    const all = (answer: Answer<"spacetime">) => (answer.exact
      ? [marks(answer, [answer.seg_row], answer.seg_from), marks(answer, [answer.arc_from, answer.arc_to], answer.arc_id), marks(answer, [answer.inside_row!], answer.inside_t!)]
      : [marks(answer, [answer.bin_row], answer.bin_work), marks(answer, [answer.flow_from, answer.flow_to], answer.flow_messages)]);
    for (const answer of [exact, binned]) {
      const shown = arranged_answer(answer, places);
      assert.deepEqual(shown.rows.map(({ process }) => process), arranged(rows.map(({ process }) => process), places));
      const kept = all(answer).map((group) => group.filter((mark) => !(JSON.parse(mark) as number[]).slice(1).some((id) => places.hidden.includes(id))));
      assert.deepEqual(all(shown), kept, `seed ${seed}`);
      assert.equal(arranged_answer(answer, NO_PLACES), answer);
    }
  }
});

test("ruler: between two times in any order, and nonsense is none", () => {
  assert.deepEqual(ruler_of({ ruler: ruler_text(3.5, 1.000000001) }), { from_s: 1.000000001, to_s: 3.5 });
  assert.equal(ruler_text(2, 2), "");
  for (const text of ["", "1", "1,", ",1", "2,1", "1,1", "1,2,3", "a,b", "1,Infinity"]) assert.equal(ruler_of({ ruler: text }), null, text);
  const state = { ...INITIAL, more: { ruler: "1,2.25" } };
  assert.deepEqual(decode(encode(state)), state);
  assert.deepEqual([near(12.3456789, 0.03), near(1.23456e-4, 2e-7), near(-0.26, 0.1)], [12.35, 0.0001235, -0.3]);
});

test("notes: what is written is read again, in the order of time, and nonsense is none", () => {
  const text = notes_text([{ at_s: 2, text: "later, \"&=#\u202e" }, { at_s: 0.1 + 0.2, text: "first" }]);
  const state = { ...INITIAL, more: { notes: text } };
  assert.deepEqual(notes_of(decode(encode(state)).more), [{ at_s: 0.3, text: "first" }, { at_s: 2, text: "later, \"&=#\u202e" }]);
  assert.equal(notes_text([]), "");
  for (const nonsense of ["", "{", "{}", "[1]", '[["a","b"]]', '[[1,""]]', "[[1,2]]", "null"]) assert.deepEqual(notes_of({ notes: nonsense }), [], nonsense);
  assert.equal(notes_of({ notes: JSON.stringify([[1, "x".repeat(1000)]]) })[0].text.length, 200);
});

const TRAFFIC = { span_s: 2, before_span_s: 0, process: [4, 5], cpu_s: [0.5, 0.25], waiting_s: [1, 0], queue: [NaN, NaN], from: [4, 5, 4], to: [5, 4, 9], messages: [3, 2, 1], bytes: [30, 200, 7], before_messages: [0, 0, 0], before_bytes: [0, 0, 0] };
const STATISTICS = { processes: [{ process: "four", sent: 6, sent_bytes: 60, received: 1, received_bytes: 9 }] } as unknown as Statistics;

test("sums: of lanes by cause, in all, and of a lane that did nothing", () => {
  const lanes = sums_of_traffic(TRAFFIC, [4, 5, 6]);
  assert.deepEqual(lanes.map(({ sent, sent_bytes, received, received_bytes }) => [sent, sent_bytes, received, received_bytes]), [[4, 37, 2, 200], [2, 200, 3, 30], [0, 0, 0, 0]]);
  assert.deepEqual(causes_of(lanes), [CPU_TIME, WAITS]);
  const exact = exact_sums(STATISTICS, [{ causes: [{ cause: "run-queue wait", time_s: 1 }, { cause: CPU_TIME, time_s: 0.5 }, { cause: "other waits", time_s: 2 }] }, { causes: [] }], [4, 6], (id) => (id === 4 ? "four" : undefined));
  assert.deepEqual(causes_of(exact), [CPU_TIME, "other waits", "run-queue wait"]);
  const total = total_of([...exact, ...lanes]);
  assert.deepEqual([total.sent, total.sent_bytes, total.received, total.causes.get(CPU_TIME), total.causes.get(WAITS)], [12, 297, 6, 1.25, 1]);
});

// A source that answers by this table; a string is a refusal.
function source_of(answers: Record<string, (parameters: { of?: number }) => object | string>, asked: string[]): Pick<Source, "request"> {
  const request = async (name: string, parameters: object) => {
    asked.push(name);
    const answer = answers[name](parameters);
    if (typeof answer === "string") throw new Refusal(answer);
    return { ...answer, as_of: version(1) };
  };
  return { request: request as Source["request"] };
}

const OF = { range: { from_s: 1, to_s: 2 }, lanes: [4], threads_of: (id: number) => (id === 4 ? [4, 41] : [id]), name_of: () => "four" };

test("sums: first from the sums over time, then exactly, with the threads of a lane together", async () => {
  const asked: string[] = [], got: RangeAnswer[] = [];
  let working = true;
  const causes = (of: number): Pick<Blame, "causes"> => ({ causes: [{ cause: CPU_TIME, time_s: of }, ...(of === 41 ? [{ cause: WAITS, time_s: 1 }] : [])] });
  const statistics = () => {
    const answer = working ? { computing: 0.5 } : STATISTICS;
    working = false;
    return answer;
  };
  const range = new ExactRange(source_of({ traffic: () => TRAFFIC, statistics, blame: ({ of }) => causes(of!) }, asked), (answer) => got.push(answer), (sentence) => assert.equal(sentence, ""));
  await range.ask(OF, false);
  assert.deepEqual(asked, ["traffic", "statistics", "statistics", "blame", "blame"]);
  assert.deepEqual(got.map(({ is_exact, lanes }) => [is_exact, lanes[0].sent, lanes[0].causes.get(CPU_TIME)]), [[false, 4, 0.5], [true, 6, 45]]);
  await range.ask(OF, true);
  assert.deepEqual([asked.length, got[2].is_exact, got[2].why_not !== ""], [6, false, true]);
});

test("sums: a refusal leaves those over time, with its reason, and what is given up does not answer", async () => {
  const asked: string[] = [], got: RangeAnswer[] = [], refused: string[] = [];
  const of = (traffic: () => object | string) => new ExactRange(source_of({ traffic, statistics: () => "no trace here" }, asked), (answer) => got.push(answer), (sentence) => refused.push(sentence));
  await of(() => TRAFFIC).ask(OF, false);
  assert.deepEqual([got.length, got[1].is_exact], [2, false]);
  assert.match(got[1].why_not, /no trace here/);
  const one_lane = new ExactRange(source_of({ traffic: () => TRAFFIC, statistics: () => STATISTICS, blame: ({ of }) => (of === 4 ? { causes: [{ cause: CPU_TIME, time_s: 3 }] } : "not metered") }, asked), (answer) => got.push(answer), (sentence) => refused.push(sentence));
  await one_lane.ask(OF, false);
  assert.deepEqual([got.length, got[3].is_exact, got[3].lanes[0].causes.get(CPU_TIME)], [4, true, 3]);
  const none = new ExactRange(source_of({ traffic: () => TRAFFIC, statistics: () => STATISTICS, blame: () => "too many events" }, asked), (answer) => got.push(answer), (sentence) => refused.push(sentence));
  await none.ask(OF, false);
  assert.match(got[5].why_not, /too many events/);
  got.length = 2;
  await of(() => "nothing").ask(OF, false);
  assert.deepEqual(refused, ["nothing"]);
  const given_up = of(() => TRAFFIC);
  const answer = given_up.ask(OF, false);
  given_up.stop();
  await answer;
  assert.equal(got.length, 2);
});
