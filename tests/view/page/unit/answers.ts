// Answers for tests, whole as the table of requests has them.
import { Answer, AsOf, Process } from "../../../../view/page/source/requests";

export function process_of(known: Partial<Process>): Process {
  return { id: 0, name: "", program: "", machine: null, pid: 0, group: null, cgroup: "", in_computation: true, outside: false, ...known };
}

export function version(to_s: number, known: Partial<AsOf> = {}): AsOf {
  return { events: 10 * to_s, to_s, state: "ended", is_final: true, ...known };
}

export function described(now_s: number, ...processes: Partial<Process>[]): Answer<"describe"> {
  return {
    as_of: version(now_s),
    title: "", source: "", state: "ended", started: null, now_s, version: 1, dpm: "", machines: [], processes: processes.map(process_of), common_time: true,
    can: { predict: false, follow: false, live_queues: false }, why_not: {}, read: 1,
  };
}
