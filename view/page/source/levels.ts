// The sums that a file carries ("levels": by process, by pair and by bin of time) and the answers that follow from them. Pure.
import * as requests from "./requests";

// Values stand for the bins in `at`, or for all bins where `at` is absent.
type InAllBins<Row extends { at: number[] }> = Omit<Row, "at"> & { at?: number[] };
type ProcessRow = InAllBins<requests.ProcessLevels>;
type PairRow = InAllBins<requests.PairLevels>;

export interface LevelsData {
  from_s: number;
  step_s: number;
  bins: number;
  processes: ProcessRow[];
  pairs: PairRow[];
  P_best?: (number | null)[];
  machines?: requests.MachineLevels[];
}

// The part of an overview that is of a range, and the lists of binned events.
type Sums = Omit<requests.Overview, "P_method" | "P_best_as_of" | "queued" | "processes_running" | "ledger" | "warnings" | "schedule">;
type Bins = Omit<requests.BinnedEvents, "exact" | "rows" | "rows_left_out" | "arcs_left_out">;

interface Grid {
  t_s: number[];
  step_s: number;
}

type ListOf<Row> = (row: Row) => number[] | undefined;

const CPU: ListOf<ProcessRow> = (row) => row.cpu_s, WAITING: ListOf<ProcessRow> = (row) => row.waiting_s, QUEUE: ListOf<ProcessRow> = (row) => row.queue;
const MESSAGES: ListOf<PairRow> = (row) => row.messages, BYTES: ListOf<PairRow> = (row) => row.bytes;

export class Levels {
  readonly to_s: number;

  // `outsiders`: processes that are not of the computation, whose CPU time is not in its P.
  constructor(private readonly data: LevelsData, private readonly outsiders: ReadonlySet<number> = new Set()) {
    this.to_s = data.from_s + data.step_s * data.bins;
  }

  traffic(from_s: number, to_s: number): requests.Traffic {
    const { processes, pairs } = this.data;
    const from = Math.max(from_s, this.data.from_s), to = Math.min(to_s, this.to_s);
    const span_s = Math.max(0, to - from);
    const before_s = Math.max(0, Math.min(span_s, from - this.data.from_s));
    return {
      span_s, before_span_s: before_s,
      process: processes.map((row) => row.process),
      cpu_s: processes.map((row) => this.sum(row, CPU, from, to)),
      waiting_s: processes.map((row) => this.sum(row, WAITING, from, to)),
      queue: processes.map((row) => this.mean(row, QUEUE, from, to)),
      from: pairs.map((row) => row.from), to: pairs.map((row) => row.to),
      messages: pairs.map((row) => this.sum(row, MESSAGES, from, to)),
      bytes: pairs.map((row) => this.sum(row, BYTES, from, to)),
      before_messages: pairs.map((row) => this.sum(row, MESSAGES, from - before_s, from)),
      before_bytes: pairs.map((row) => this.sum(row, BYTES, from - before_s, from)),
    };
  }

  series(from_s: number, to_s: number, width: number, of: requests.SeriesOf[]): requests.Series {
    const grid = this.grid(from_s, to_s, width);
    const answer: requests.Series = { step_s: grid.step_s, t_s: grid.t_s };
    of.forEach((wanted, index) => (answer[`v${index}`] = this.values(wanted, grid)));
    return answer;
  }

  overview(from_s: number, to_s: number, width: number): Sums {
    const grid = this.grid(from_s, to_s, width);
    const { processes, pairs, P_best } = this.data;
    const from = Math.max(from_s, this.data.from_s), to = Math.min(to_s, this.to_s);
    const total = <Row extends { at?: number[] }>(rows: Row[], list: ListOf<Row>) => rows.reduce((sum, row) => sum + this.sum(row, list, from, to), 0);
    const computation = processes.filter(({ process }) => !this.outsiders.has(process));
    const cpu_s = total(computation, CPU), elapsed_s = Math.max(0, to - from);
    return {
      cpu_s, cpu_all_s: total(processes, CPU), messages: total(pairs, MESSAGES), bytes: total(pairs, BYTES), elapsed_s, step_s: grid.step_s,
      P_run: elapsed_s > 0 ? cpu_s / elapsed_s : null, P_now: elapsed_s > 0 ? cpu_s / elapsed_s : null, P_best: null,
      t_s: grid.t_s, P_of: this.rates(computation, CPU, grid),
      P_best_of: grid.t_s.map((t) => P_best?.[Math.floor((t - this.data.from_s) / this.data.step_s + 1e-6)] ?? NaN),
      messages_of: this.rates(pairs, MESSAGES, grid), bytes_of: this.rates(pairs, BYTES, grid), queued_of: this.means(processes, QUEUE, grid),
    };
  }

  // Fractions of each bin that a process worked and waited, for a space-time diagram without single events.
  bins(from_s: number, to_s: number, width: number, ids: number[]): Bins {
    const grid = this.grid(from_s, to_s, Math.min(width, 512));
    const answer: Record<keyof Bins, number[]> = { bin_row: [], bin_from: [], bin_to: [], bin_work: [], bin_wait: [], flow_from: [], flow_to: [], flow_t: [], flow_messages: [] };
    const row_of = new Map(ids.map((id, row) => [id, row]));
    for (const row of this.data.processes) {
      const at = row_of.get(row.process);
      if (at === undefined) continue;
      grid.t_s.forEach((t) => {
        const work = this.sum(row, CPU, t, t + grid.step_s) / grid.step_s, wait = this.sum(row, WAITING, t, t + grid.step_s) / grid.step_s;
        if (work <= 0 && wait <= 0) return;
        answer.bin_row.push(at);
        answer.bin_from.push(t);
        answer.bin_to.push(t + grid.step_s);
        answer.bin_work.push(Math.min(1, work));
        answer.bin_wait.push(Math.min(1, wait));
      });
    }
    for (const row of this.data.pairs) {
      const from = row_of.get(row.from), to = row_of.get(row.to);
      if (from === undefined || to === undefined) continue;
      grid.t_s.forEach((t) => {
        const messages = this.sum(row, MESSAGES, t, t + grid.step_s);
        if (messages <= 0) return;
        answer.flow_from.push(from);
        answer.flow_to.push(to);
        answer.flow_t.push(t);
        answer.flow_messages.push(messages);
      });
    }
    return answer;
  }

  // Bins of whole steps, so that no event is divided between two of them.
  private grid(from_s: number, to_s: number, width: number): Grid {
    const { step_s, bins, from_s: begin } = this.data;
    const first = Math.max(0, Math.floor((from_s - begin) / step_s + 1e-9)), last = Math.min(bins, Math.ceil((to_s - begin) / step_s - 1e-9));
    const together = Math.max(1, Math.ceil((last - first) / Math.max(1, width)));
    const t_s: number[] = [];
    for (let bin = first; bin < last; bin += together) t_s.push(begin + bin * step_s);
    return { t_s, step_s: step_s * together };
  }

  private values(wanted: requests.SeriesOf, grid: Grid): number[] {
    const { what, process } = wanted;
    if (wanted.machine !== undefined) return this.machine_values(wanted.machine, what, grid);
    const { processes, pairs } = this.data;
    const mine = process === undefined ? processes.filter((row) => !this.outsiders.has(row.process)) : processes.filter((row) => row.process === process);
    if (what === "cpu") return this.rates(mine, CPU, grid);
    if (what === "waiting") return this.rates(mine, WAITING, grid);
    if (what === "queue") return this.means(mine, QUEUE, grid);
    const list = what.includes("bytes") ? BYTES : MESSAGES;
    const chosen = pairs.filter((row) =>
      wanted.from !== undefined ? row.from === wanted.from && row.to === wanted.to
        : process === undefined || (what.startsWith("received") ? row.to === process : row.from === process));
    return this.rates(chosen, list, grid);
  }

  // A machine's values hold during a bin; where none is known, there is none.
  private machine_values(machine: number, what: string, grid: Grid): number[] {
    const { step_s, from_s, machines } = this.data;
    const row = machines?.find((one) => one.machine === machine);
    const list = row && Object.prototype.hasOwnProperty.call(row, what) ? row[what as Exclude<keyof requests.MachineLevels, "machine">] : [];
    return grid.t_s.map((t) => {
      const first = Math.round((t - from_s) / step_s), together = Math.round(grid.step_s / step_s);
      const known = list.slice(first, first + together).filter((value): value is number => value !== null);
      return known.length === 0 ? NaN : known.reduce((sum, value) => sum + value, 0) / known.length;
    });
  }

  private rates<Row extends { at?: number[] }>(rows: Row[], list: ListOf<Row>, grid: Grid): number[] {
    return grid.t_s.map((t) => rows.reduce((sum, row) => sum + this.sum(row, list, t, t + grid.step_s), 0) / grid.step_s);
  }

  private means<Row extends { at?: number[] }>(rows: Row[], list: ListOf<Row>, grid: Grid): number[] {
    const known = rows.filter(list);
    return grid.t_s.map((t) => (known.length === 0 ? NaN : known.reduce((sum, row) => sum + (this.mean(row, list, t, t + grid.step_s) || 0), 0)));
  }

  // A bin that the range covers in part counts in part.
  private sum<Row extends { at?: number[] }>(row: Row, list: ListOf<Row>, from_s: number, to_s: number): number {
    const values = list(row);
    if (!values) return 0;
    const { step_s, from_s: begin } = this.data;
    let sum = 0;
    for (let i = 0; i < values.length; ++i) {
      const left = begin + (row.at ? row.at[i] : i) * step_s;
      const covered = Math.min(to_s, left + step_s) - Math.max(from_s, left);
      if (covered > 0) sum += values[i] * Math.min(1, covered / step_s);
    }
    return sum;
  }

  private mean<Row extends { at?: number[] }>(row: Row, list: ListOf<Row>, from_s: number, to_s: number): number {
    if (!list(row)) return NaN;
    const span = Math.min(to_s, this.to_s) - Math.max(from_s, this.data.from_s);
    return span > 0 ? (this.sum(row, list, from_s, to_s) * this.data.step_s) / span : NaN;
  }
}
