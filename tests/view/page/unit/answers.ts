// Answers for tests, whole as the table of requests has them.
import { Description, Process } from "../../../../view/page/source/requests";

export function process_of(known: Partial<Process>): Process {
  return { id: 0, name: "", program: "", machine: null, pid: 0, group: null, cgroup: "", in_computation: true, outside: false, ...known };
}

export function described(now_s: number, ...processes: Partial<Process>[]): Description {
  return {
    title: "", source: "", state: "ended", started: null, now_s, version: 1, dpm: "", machines: [], processes: processes.map(process_of), common_time: true,
    can: { predict: false, follow: false, live_queues: false }, why_not: {}, read: 1,
  };
}
