// Asks what lanes did in a range: first the sums over time, which are there at once, then what the commands print for the range. What was
// asked before is given up. A program that runs, and a file, have the first only.
import { Answer, Blame, Computing, RequestName, Parameters, Traffic } from "../source/requests";
import { Refusal, Source } from "../source/source";
import { exact_sums, LaneSums, sums_of_traffic } from "./range_sums";
import { Ruler } from "./ruler";

export interface RangeOf {
  range: Ruler;
  lanes: number[];
  threads_of: (process: number) => number[];
  name_of: (process: number) => string | undefined;
}

export interface RangeAnswer {
  lanes: LaneSums[];
  is_exact: boolean;
  why_not: string;  // exact; empty: it will be, or it is
}

const AGAIN_MS = 400;

export class ExactRange {
  private asked = 0;

  constructor(private readonly source: Pick<Source, "request">, private readonly on_answer: (answer: RangeAnswer) => void, private readonly on_refusal: (sentence: string) => void) {}

  stop(): void {
    ++this.asked;
  }

  async ask(of: RangeOf, runs: boolean): Promise<void> {
    const number = ++this.asked;
    const is_old = () => number !== this.asked;
    try {
      const traffic: Traffic = await this.source.request("traffic", of.range);
      if (is_old()) return;
      const lanes = sums_of_traffic(traffic, of.lanes);
      this.on_answer({ lanes, is_exact: false, why_not: runs ? "While the program runs, sums are in steps of some milliseconds." : "" });
      if (runs) return;
      try {
        const exact = await this.exact(of, is_old);
        if (exact && !is_old()) this.on_answer({ lanes: exact, is_exact: true, why_not: "" });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (!is_old()) this.on_answer({ lanes, is_exact: false, why_not: `Sums in steps of some milliseconds: ${error.message}` });
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!is_old()) this.on_refusal(error.message);
    }
  }

  // One question after the other: the server answers each from the whole trace.
  private async exact({ range, lanes, threads_of, name_of }: RangeOf, is_old: () => boolean): Promise<LaneSums[] | null> {
    const statistics = await this.computed("statistics", range, is_old);
    const blames: Pick<Blame, "causes">[] = [];
    let answered = false;
    let refusal: Refusal | null = null;
    for (const lane of lanes) {
      const causes: Blame["causes"] = [];
      for (const of of threads_of(lane)) {
        try {
          const blame = await this.computed("blame", { of, ...range }, is_old);
          add_causes(causes, blame?.causes ?? []);
          answered = true;
        } catch (error) {
          // A lane may be of what is not metered. If none has an answer, the trace has none.
          if (!(error instanceof Refusal)) throw error;
          refusal = error;
        }
      }
      blames.push({ causes });
    }
    if (!answered && refusal) throw refusal;
    return statistics && !is_old() ? exact_sums(statistics, blames, lanes, name_of) : null;
  }

  private async computed<Name extends RequestName>(name: Name, parameters: Parameters<Name>, is_old: () => boolean): Promise<Exclude<Answer<Name>, Computing> | null> {
    while (!is_old()) {
      const answer = await this.source.request(name, parameters);
      if (!("computing" in answer)) return answer as Exclude<Answer<Name>, Computing>;
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
    return null;
  }
}

function add_causes(sums: Blame["causes"], more: Blame["causes"]): void {
  for (const one of more) {
    const known = sums.find(({ cause }) => cause === one.cause);
    if (known) known.time_s += one.time_s;
    else sums.push({ ...one });
  }
}
