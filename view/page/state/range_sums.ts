// What the lanes did in a range of time: CPU time, waits by cause, messages and bytes. Exactly, as "dpm blame" and "dpm statistics" print it
// for this range, or from the sums over time that the page always has. Pure.
import { Blame, Statistics, Traffic } from "../source/requests";

export interface LaneSums {
  process: number;
  causes: ReadonlyMap<string, number>;  // seconds by cause, CPU_TIME among them
  sent: number;
  sent_bytes: number;
  received: number;
  received_bytes: number;
}

export const CPU_TIME = "its CPU time";  // as view/blame_words.cpp says it
export const WAITS = "waits";

// The messages of a pair are those that were sent in the range.
export function sums_of_traffic(answer: Traffic, processes: number[]): LaneSums[] {
  return processes.map((process) => {
    const at = Array.prototype.indexOf.call(answer.process, process);
    const causes = new Map(at < 0 ? [] : [[CPU_TIME, answer.cpu_s[at]], [WAITS, answer.waiting_s[at]]] as [string, number][]);
    const sums = { process, causes, sent: 0, sent_bytes: 0, received: 0, received_bytes: 0 };
    for (let i = 0; i < answer.from.length; ++i) {
      if (answer.from[i] === process) {
        sums.sent += answer.messages[i];
        sums.sent_bytes += answer.bytes[i];
      }
      if (answer.to[i] === process) {
        sums.received += answer.messages[i];
        sums.received_bytes += answer.bytes[i];
      }
    }
    return sums;
  });
}

// `blames` of each process.
export function exact_sums(statistics: Pick<Statistics, "processes">, blames: Pick<Blame, "causes">[], processes: number[], name_of: (process: number) => string | undefined): LaneSums[] {
  const known = new Map(statistics.processes.map((one) => [one.process, one]));
  return processes.map((process, index) => {
    const did = known.get(name_of(process) ?? "");
    const causes = new Map(blames[index].causes.map(({ cause, time_s }) => [cause, time_s]));
    return { process, causes, sent: did?.sent ?? 0, sent_bytes: did?.sent_bytes ?? 0, received: did?.received ?? 0, received_bytes: did?.received_bytes ?? 0 };
  });
}

// The causes of all lanes: CPU time first, then the longest in all.
export function causes_of(lanes: LaneSums[]): string[] {
  const sums = new Map<string, number>([[CPU_TIME, 0]]);
  for (const { causes } of lanes) for (const [cause, time_s] of causes) sums.set(cause, (sums.get(cause) ?? 0) + time_s);
  const waits = [...sums].filter(([cause, time_s]) => cause !== CPU_TIME && time_s > 0).sort((a, b) => b[1] - a[1]);
  return [CPU_TIME, ...waits.map(([cause]) => cause)];
}

export function total_of(lanes: LaneSums[]): Omit<LaneSums, "process"> {
  const causes = new Map<string, number>();
  const total = { causes, sent: 0, sent_bytes: 0, received: 0, received_bytes: 0 };
  for (const lane of lanes) {
    for (const [cause, time_s] of lane.causes) causes.set(cause, (causes.get(cause) ?? 0) + time_s);
    for (const key of ["sent", "sent_bytes", "received", "received_bytes"] as const) total[key] += lane[key];
  }
  return total;
}
