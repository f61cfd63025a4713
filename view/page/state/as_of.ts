// What of the trace an answer is of ("as_of"), in words. Pure.
import { percent, seconds } from "../format";
import { AsOf } from "../source/requests";

const LATE_S = 2;  // a view of a running program lags by up to this time; the page does not report that

// Numbers of the same version can stand beside each other.
export function same_version(a: AsOf | null | undefined, b: AsOf | null | undefined): boolean {
  return a != null && b != null && a.events === b.events && a.state === b.state && a.is_final === b.is_final;
}

// Empty: the answer is of all that there is. `end_s` and `runs` are of the trace by now.
export function as_of_text(version: AsOf, end_s: number, runs: boolean): string {
  if (version.is_final) return "";
  const working = !version.working ? "" : ` · computing ${percent(version.working)}`;
  if (version.state !== "recording") return `before the analysis of the whole trace${working}`;
  if (runs && end_s - version.to_s <= LATE_S) return "";
  return `as of ${seconds(version.to_s)}; the run ${runs ? "is at" : "ended at"} ${seconds(end_s)}${working}`;
}

export function computing_text(share: number): string {
  return `computing… ${percent(share)}`;
}
