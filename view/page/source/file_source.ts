// Answers from the data that is in the file (report.html). What needs the trace itself is refused with a sentence that says so.
import { time_at } from "../format";
import { causal } from "./causal";
import { Levels, LevelsData } from "./levels";
import * as requests from "./requests";
import { Answer, AsOf, Bare, Parameters, RequestName } from "./requests";
import { Link, Refusal, Source } from "./source";

type Answers = { [Name in RequestName]?: Bare<Name> };

interface Range {
  from_s: number;
  to_s: number;
}

export interface FileData {
  report?: Record<string, any> | null;
  as_of?: AsOf;
  answers?: Answers & { requests?: requests.OneRequest[] };
  levels?: LevelsData | null;
  spacetime?: (requests.SingleEvents & Partial<Range>) | null;  // with the range that it covers
}

const TRY = "Start “dpm serve” on the trace to see it.";
const NEEDS: { [Name in RequestName]?: string } = {
  predict: "A prediction replays the trace, which is not in this file. Start “dpm serve” on the trace, and drag there.",
  search: "The search for the best placement replays the trace, which is not in this file. Start “dpm serve” on the trace.",
  placement_file: "This file holds no trace to write a placement for. Start “dpm serve” on the trace.",
};
const ROWS_MAX = 64, WIDTH = 512;  // where a question has none

export class FileSource implements Source {
  readonly link: Link = { kind: "file" };
  readonly version = 1;
  readonly tick = null;
  private readonly levels: Levels | null;
  private readonly answers: Answers;
  // What follows from the data; all else is in the file as it was answered, or is not there.
  private readonly made: { [Name in RequestName]?: (parameters: Parameters<Name>) => Bare<Name> } = {
    traffic: (parameters) => this.of_levels("traffic").traffic(...this.range(parameters)),
    series: (parameters) => this.of_levels("series").series(...this.range(parameters), parameters.width ?? WIDTH, parameters.of),
    overview: (parameters) => this.overview(parameters),
    spacetime: (parameters) => this.spacetime(parameters),
    message: ({ arc }) => this.message(arc),
    event_at: (parameters) => this.event_at(parameters),
    request: ({ number }) => this.one_request(number ?? 0),
    statistics: (parameters) => this.whole("statistics", parameters),
    blame: (parameters) => this.whole("blame", parameters),
  };

  constructor(private readonly data: FileData) {
    this.answers = data.answers ?? {};
    const outsiders = this.processes().filter(({ in_computation }) => !in_computation).map(({ id }) => id);
    this.levels = data.levels ? new Levels(data.levels, new Set(outsiders)) : null;
  }

  on_tick(): () => void {
    return () => {};
  }
  on_link(): void {}

  async request<Name extends RequestName>(name: Name, parameters: Parameters<Name>): Promise<Answer<Name>> {
    const make: ((parameters: Parameters<Name>) => Bare<Name>) | undefined = this.made[name];
    const answer = make ? make(parameters) : this.known(name);
    return { ...answer, as_of: this.data.as_of ?? { events: 0, to_s: this.end_s(), state: "ended", is_final: true } } as Answer<Name>;
  }

  private known<Name extends RequestName>(name: Name): Bare<Name> {
    const answer: Bare<Name> | undefined = this.answers[name];
    if (!answer) throw new Refusal(NEEDS[name] ?? `This file holds no ${name.replace(/_/g, " ")}. ${TRY}`);
    return answer;
  }

  private whole<Name extends "statistics" | "blame">(name: Name, { from_s, to_s }: Parameters<Name>): Bare<Name> {
    if (from_s !== undefined || to_s !== undefined) throw new Refusal(`This file holds sums in steps of time only. ${TRY}`);
    return this.known(name);
  }

  private processes(): requests.Process[] {
    return this.answers.describe?.processes ?? [];
  }

  private range(parameters: { from_s?: number; to_s?: number }): [number, number] {
    return [Math.max(0, parameters.from_s ?? 0), Math.min(this.end_s(), parameters.to_s ?? Infinity)];
  }

  private end_s(): number {
    return this.answers.describe?.now_s ?? this.levels?.to_s ?? this.data.spacetime?.to_s ?? 0;
  }

  private of_levels(name: string): Levels {
    if (!this.levels) throw new Refusal(`This file holds no sums over time, so there is no ${name} in it. ${TRY}`);
    return this.levels;
  }

  // Of the whole run the file knows more than sums of bins: the best P, what was computed exactly.
  private overview(parameters: Parameters<"overview">): requests.Overview {
    const known = this.known("overview");
    if (!this.levels) return known;
    const [from_s, to_s] = this.range(parameters);
    const sums = this.levels.overview(from_s, to_s, parameters.width ?? WIDTH);
    if (from_s > 1e-9 || to_s < this.end_s() - 1e-9) return { ...known, ...sums };
    const { P_now, P_run, P_best, cpu_s, cpu_all_s, messages, bytes, elapsed_s } = known;
    return { ...known, ...sums, P_now, P_run, P_best, cpu_s, cpu_all_s, messages, bytes, elapsed_s };
  }

  private spacetime(parameters: Parameters<"spacetime">): Bare<"spacetime"> {
    const [from_s, to_s] = this.range(parameters);
    const list = this.data.spacetime;
    const covered = list && from_s >= (list.from_s ?? 0) - 1e-9 && to_s <= (list.to_s ?? Infinity) + 1e-9;
    if (!covered && this.levels) return this.binned(this.levels, from_s, to_s, parameters);
    if (!list) throw new Refusal(`This file holds no single events. ${TRY}`);
    const { rows } = list;
    const wanted = parameters.rows ?? rows.slice(0, parameters.rows_max ?? ROWS_MAX).map((row) => row.process);
    const kept = rows.map((_, row) => row).filter((row) => wanted.includes(rows[row].process));
    const row_of = new Map(kept.map((row, at) => [row, at]));
    const segments = indices(list.seg_row, (i) => row_of.has(list.seg_row[i]) && list.seg_to[i] > from_s && list.seg_from[i] < to_s);
    const arcs = indices(list.arc_from, (i) => row_of.has(list.arc_from[i]) && row_of.has(list.arc_to[i]) && list.arc_received[i] > from_s && list.arc_sent[i] < to_s);
    const rows_of = (in_list: requests.Numbers, at: number[]) => at.map((i) => row_of.get(in_list[i])!);
    return {
      exact: true, rows: kept.map((row) => rows[row]), rows_left_out: rows.length - kept.length + (list.rows_left_out ?? 0), arcs_left_out: list.arcs_left_out ?? 0,
      seg_row: rows_of(list.seg_row, segments), seg_kind: picked(list.seg_kind, segments), seg_from: picked(list.seg_from, segments), seg_to: picked(list.seg_to, segments), seg_critical: picked(list.seg_critical, segments),
      arc_from: rows_of(list.arc_from, arcs), arc_to: rows_of(list.arc_to, arcs), arc_sent: picked(list.arc_sent, arcs), arc_received: picked(list.arc_received, arcs), arc_bytes: picked(list.arc_bytes, arcs),
      arc_kind: picked(list.arc_kind, arcs), arc_critical: picked(list.arc_critical, arcs), arc_id: picked(list.arc_id, arcs),
    };
  }

  private binned(levels: Levels, from_s: number, to_s: number, parameters: Parameters<"spacetime">): requests.BinnedEvents {
    const processes = this.processes();
    const ids = parameters.rows ?? processes.map((process) => process.id).slice(0, parameters.rows_max ?? ROWS_MAX);
    const machine_of = new Map(processes.map((process) => [process.id, process.machine]));
    return {
      exact: false, rows: ids.map((process) => ({ process, machine: machine_of.get(process) ?? null })), rows_left_out: processes.length - ids.length, arcs_left_out: 0,
      ...levels.bins(from_s, to_s, parameters.width ?? WIDTH, ids),
    };
  }

  get single(): Range | null {
    const list = this.data.spacetime;
    return list ? { from_s: list.from_s ?? 0, to_s: list.to_s ?? this.end_s() } : null;
  }

  // Zooming in elsewhere finds none: a file has those of one range.
  get why_bins(): string {
    const { single } = this;
    if (!single) return `This file holds no single events. ${TRY}`;
    const { from_s, to_s } = single;
    return `This file holds single messages from ${time_at(from_s, to_s - from_s)} to ${time_at(to_s, to_s - from_s)}. Start “dpm serve” on the trace to see others.`;
  }

  private message(id: number): requests.Message {
    const list = this.data.spacetime;
    const index = list ? Array.prototype.indexOf.call(list.arc_id, id) : -1;
    if (!list || index < 0) throw new Refusal(`This message is not in the list of this file. ${TRY}`);
    const found = causal({ from: list.arc_from, to: list.arc_to, sent: list.arc_sent, received: list.arc_received }, index);
    const ids = (of: number[]) => of.map((i) => list.arc_id[i]);
    return {
      from: list.rows[list.arc_from[index]].process, to: list.rows[list.arc_to[index]].process, bytes: list.arc_bytes[index],
      sent_s: list.arc_sent[index], received_s: list.arc_received[index],
      evidence: "Among the messages in this file; others are not known here.",
      past: ids(found.past), future: ids(found.future), past_left_out: found.past_left_out, future_left_out: found.future_left_out,
    };
  }

  private one_request(number: number): requests.OneRequest {
    const request = this.data.answers?.requests?.[number];
    if (!request) throw new Refusal(`This file holds no diagram of request ${number + 1}. ${TRY}`);
    return request;
  }

  private event_at({ process, at_s = 0, direction }: Parameters<"event_at">): requests.EventAt {
    const list = this.data.spacetime;
    const row = list?.rows.findIndex((entry) => entry.process === process) ?? -1;
    if (!list || row < 0) throw new Refusal(`This file holds no single events of this process. ${TRY}`);
    const found: requests.EventAt[] = [];  // the nearest yet, as the last
    const offer = (time: number, type: string, index: number) => {
      if ((direction === "after" && time <= at_s) || (direction === "before" && time >= at_s)) return;
      if (found.length === 0 || Math.abs(time - at_s) < Math.abs(found[found.length - 1].at_s - at_s)) found.push({ at_s: time, type, index });
    };
    for (let i = 0; i < list.arc_from.length; ++i) {
      if (list.arc_from[i] === row) offer(list.arc_sent[i], "SEND", i);
      if (list.arc_to[i] === row) offer(list.arc_received[i], "RECEIVE", i);
    }
    if (found.length === 0) throw new Refusal("There is no further event of this process in this file.");
    return found[found.length - 1];
  }
}

function indices(values: ArrayLike<number>, accept: (index: number) => boolean): number[] {
  const kept: number[] = [];
  for (let i = 0; i < values.length; ++i) if (accept(i)) kept.push(i);
  return kept;
}

function picked(values: ArrayLike<number>, kept: number[]): number[] {
  return kept.map((i) => values[i]);
}
