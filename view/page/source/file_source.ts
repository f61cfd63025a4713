// Answers from the data that is in the file (report.html). What needs the trace itself is refused with a sentence that says so.
import { time_at } from "../format";
import { causal } from "./causal";
import { Levels, LevelsData } from "./levels";
import { Answer, Link, Refusal, Source } from "./source";

export interface FileData {
  report?: Record<string, any> | null;
  answers?: Record<string, Answer>;
  levels?: LevelsData | null;
  spacetime?: Answer | null;  // an exact answer, with from_s and to_s: the range that it covers
}

const TRY = "Start “dpm serve” on the trace to see it.";
const NEEDS: Record<string, string> = {
  predict: "A prediction replays the trace, which is not in this file. Start “dpm serve” on the trace, and drag there.",
  search: "The search for the best placement replays the trace, which is not in this file. Start “dpm serve” on the trace.",
  placement_file: "This file holds no trace to write a placement for. Start “dpm serve” on the trace.",
};
const ROWS_MAX = 64;

export class FileSource implements Source {
  readonly link: Link = { kind: "file" };
  readonly version = 1;
  readonly tick = null;
  private readonly levels: Levels | null;

  constructor(private readonly data: FileData) {
    const processes: Record<string, any>[] = data.answers?.describe?.processes ?? [];
    const outsiders = processes.filter(({ in_computation }) => in_computation === false).map(({ id }) => id);
    this.levels = data.levels ? new Levels(data.levels, new Set(outsiders)) : null;
  }

  on_tick(): () => void {
    return () => {};
  }
  on_link(): void {}

  async request(name: string, parameters: Record<string, any> = {}): Promise<Answer> {
    const from_s = Math.max(0, parameters.from_s ?? 0), to_s = Math.min(this.end_s(), parameters.to_s ?? Infinity);
    const known = this.data.answers?.[name];
    switch (name) {
      case "traffic": return this.of_levels(name).traffic(from_s, to_s);
      case "series": return this.of_levels(name).series(from_s, to_s, parameters.width ?? 512, parameters.of ?? []);
      case "overview": return this.levels ? { ...known, ...this.levels.overview(from_s, to_s, parameters.width ?? 512), ...this.totals(known, from_s, to_s) } : this.known(name);
      case "spacetime": return this.spacetime(from_s, to_s, parameters);
      case "message": return this.message(parameters.arc);
      case "event_at": return this.event_at(parameters);
      case "request": return this.one_request(parameters.number ?? 0);
      default: return this.known(name);
    }
  }

  private known(name: string): Answer {
    const answer = this.data.answers?.[name];
    if (!answer) throw new Refusal(NEEDS[name] ?? `This file holds no ${name.replace(/_/g, " ")}. ${TRY}`);
    return answer;
  }

  private end_s(): number {
    return this.data.answers?.describe?.now_s ?? this.levels?.to_s ?? this.data.spacetime?.to_s ?? 0;
  }

  private of_levels(name: string): Levels {
    if (!this.levels) throw new Refusal(`This file holds no sums over time, so there is no ${name} in it. ${TRY}`);
    return this.levels;
  }

  // Of the whole run the file knows more than sums of bins: the best P, what was computed exactly.
  private totals(known: Answer | undefined, from_s: number, to_s: number): Answer {
    if (!known || from_s > 1e-9 || to_s < this.end_s() - 1e-9) return {};
    const scalars = ["P_now", "P_run", "P_best", "P_method", "cpu_s", "messages", "bytes", "queued", "elapsed_s"];
    return Object.fromEntries(scalars.filter((name) => typeof known[name] === "number" || typeof known[name] === "string").map((name) => [name, known[name]]));
  }

  private spacetime(from_s: number, to_s: number, parameters: Record<string, any>): Answer {
    const list = this.data.spacetime;
    const covered = list && from_s >= (list.from_s ?? 0) - 1e-9 && to_s <= (list.to_s ?? Infinity) + 1e-9;
    if (!covered && this.levels) return this.binned(from_s, to_s, parameters);
    if (!list) throw new Refusal(`This file holds no single events. ${TRY}`);
    const rows: { process: number }[] = list.rows ?? [];
    const wanted: number[] = parameters.rows ?? rows.slice(0, parameters.rows_max ?? ROWS_MAX).map((row) => row.process);
    const kept = rows.map((_, row) => row).filter((row) => wanted.includes(rows[row].process));
    const row_of = new Map(kept.map((row, at) => [row, at]));
    const answer: Answer = {
      exact: true, rows: kept.map((row) => rows[row]), rows_left_out: rows.length - kept.length + (list.rows_left_out ?? 0), arcs_left_out: list.arcs_left_out ?? 0,
    };
    const segments = indices(list.seg_row, (i) => row_of.has(list.seg_row[i]) && list.seg_to[i] > from_s && list.seg_from[i] < to_s);
    pick(answer, list, segments, ["seg_kind", "seg_from", "seg_to", "seg_critical"]);
    answer.seg_row = segments.map((i) => row_of.get(list.seg_row[i])!);
    const arcs = indices(list.arc_from, (i) => row_of.has(list.arc_from[i]) && row_of.has(list.arc_to[i]) && list.arc_received[i] > from_s && list.arc_sent[i] < to_s);
    pick(answer, list, arcs, ["arc_sent", "arc_received", "arc_bytes", "arc_kind", "arc_critical", "arc_id"]);
    answer.arc_from = arcs.map((i) => row_of.get(list.arc_from[i])!);
    answer.arc_to = arcs.map((i) => row_of.get(list.arc_to[i])!);
    return answer;
  }

  private binned(from_s: number, to_s: number, parameters: Record<string, any>): Answer {
    const processes: Record<string, any>[] = this.data.answers?.describe?.processes ?? [];
    const ids: number[] = parameters.rows ?? processes.map((process) => process.id).slice(0, parameters.rows_max ?? ROWS_MAX);
    const machine_of = new Map(processes.map((process) => [process.id, process.machine]));
    return {
      exact: false, rows: ids.map((process) => ({ process, machine: machine_of.get(process) })), rows_left_out: processes.length - ids.length, arcs_left_out: 0,
      single_events: this.where_single_events_are(),
      ...this.levels!.bins(from_s, to_s, parameters.width ?? 512, ids),
    };
  }

  // Zooming in elsewhere finds none: a file has those of one range.
  private where_single_events_are(): string {
    const list = this.data.spacetime;
    if (!list) return `This file holds no single events. ${TRY}`;
    const [from_s, to_s] = [list.from_s ?? 0, list.to_s ?? this.end_s()];
    return `This file holds single messages from ${time_at(from_s, to_s - from_s)} to ${time_at(to_s, to_s - from_s)}. Start “dpm serve” on the trace to see others.`;
  }

  private message(id: number): Answer {
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

  private one_request(number: number): Answer {
    const request = this.data.answers?.requests?.[number];
    if (!request) throw new Refusal(`This file holds no diagram of request ${number + 1}. ${TRY}`);
    return request;
  }

  private event_at({ process, at_s, direction }: Record<string, any>): Answer {
    const list = this.data.spacetime;
    const row = list?.rows?.findIndex((entry: { process: number }) => entry.process === process) ?? -1;
    if (!list || row < 0) throw new Refusal(`This file holds no single events of this process. ${TRY}`);
    let best: Answer | null = null;
    const offer = (time: number, type: string, index: number) => {
      if ((direction === "after" && time <= at_s) || (direction === "before" && time >= at_s)) return;
      if (!best || Math.abs(time - at_s) < Math.abs(best.at_s - at_s)) best = { at_s: time, type, index };
    };
    for (let i = 0; i < list.arc_from.length; ++i) {
      if (list.arc_from[i] === row) offer(list.arc_sent[i], "SEND", i);
      if (list.arc_to[i] === row) offer(list.arc_received[i], "RECEIVE", i);
    }
    if (!best) throw new Refusal("There is no further event of this process in this file.");
    return best;
  }
}

function indices(values: ArrayLike<number>, accept: (index: number) => boolean): number[] {
  const kept: number[] = [];
  for (let i = 0; i < (values?.length ?? 0); ++i) if (accept(i)) kept.push(i);
  return kept;
}

function pick(answer: Answer, list: Answer, kept: number[], names: string[]): void {
  for (const name of names) answer[name] = kept.map((i) => list[name]?.[i] ?? 0);
}
