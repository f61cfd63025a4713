// What is predicted for the plan, beside what the trace had and the best placement found: numbers, and intervals on one scale.
import { el, replace, set_text, svg } from "../dom";
import { fixed, percent, seconds } from "../format";
import { Answer, AsOf, Best, Computing, Prediction, Stamped, Traced } from "../source/requests";
import { same_version } from "../state/as_of";
import { missing } from "./parts";

type Placement = Exclude<Answer<"placement">, Computing>;

interface Actions {
  search: () => void;
  take_best: () => void;
  reset: () => void;
  file: () => void;
}

interface Bar {
  name: string;
  kind: string;
  value: number;
  low: number;
  high: number;
}

export class Outcome {
  readonly element: HTMLElement;
  private readonly elapsed = el("div", { class: "value" });
  private readonly elapsed_note = el("div", { class: "note" });
  private readonly P = el("div", { class: "value" });
  private readonly P_note = el("div", { class: "note" });
  private readonly bars = el("div", { class: "intervals" });
  private readonly scope = el("div", { class: "of-what" });
  private readonly best = el("div", { class: "best" });
  private readonly notes = el("div", { class: "leaves-out" });
  private readonly reset = el("button", { onclick: () => this.actions.reset() }, "as in the trace");
  private prediction: (Prediction & Stamped) | null = null;
  private placement: Placement | null = null;  // that is shown
  private next: Placement | null = null;  // of a later version of the trace: it is shown with its prediction

  constructor(private readonly actions: Actions) {
    this.element = el("aside", { class: "outcome", "aria-label": "Prediction" },
      el("section", { class: "card" }, el("div", { class: "two-numbers", "aria-live": "polite" },
        el("div", {}, el("div", { class: "label" }, "predicted time"), this.elapsed, this.elapsed_note), el("div", {}, el("div", { class: "label" }, "predicted P"), this.P, this.P_note)),
      this.bars, this.scope, this.notes),
      el("section", { class: "card" }, el("h2", {}, "Best placement"), this.best),
      el("div", { class: "card-buttons" }, this.reset, el("button", { class: "primary", onclick: () => this.actions.file() }, "write as placement file")));
  }

  // What is shown is of this version of the trace.
  is_of(version: AsOf): boolean {
    return this.prediction === null || same_version(this.prediction.as_of, version);
  }

  show_placement(answer: Placement, is_traced: boolean): void {
    this.reset.disabled = is_traced;
    this.next = answer;
    this.show_best(answer);
    if (this.is_of(answer.as_of)) this.take_next();
  }

  private take_next(): void {
    const answer = this.next;
    if (!answer) return;
    this.placement = answer;
    replace(this.scope, ...answer.notes.map((text) => el("p", { class: "muted small" }, text)));
    this.show_bars();
  }

  show_prediction(answer: Prediction & Stamped, with_interval: boolean): void {
    // A quick prediction has no interval: the place of the old one says that it is coming.
    this.prediction = answer;
    this.take_next();
    const traced = this.placement?.traced?.elapsed_s;
    set_text(this.elapsed, seconds(answer.elapsed_s));
    set_text(this.elapsed_note, known(answer.low_elapsed_s) && known(answer.high_elapsed_s) ? `${seconds(answer.low_elapsed_s)} to ${seconds(answer.high_elapsed_s)}` : with_interval ? "no interval is known" : "interval is computed…");
    set_text(this.P, fixed(answer.P, 2));
    set_text(this.P_note, known(answer.low_P) && known(answer.high_P) ? `${fixed(answer.low_P, 2)} to ${fixed(answer.high_P, 2)}` : known(traced) && traced > 0 ? difference(answer.elapsed_s / traced) : "");
    const error = `The same method predicts the traced placement with an error of ${percent(Math.abs(answer.identity_error))}.`;
    replace(this.notes, ...[error, ...answer.leaves_out].map((text) => el("p", { class: "muted small" }, text)));
    this.show_bars();
  }

  refuse(sentence: string): void {
    this.prediction = null;
    this.take_next();
    set_text(this.elapsed, "–");
    set_text(this.P, "–");
    set_text(this.elapsed_note, "");
    set_text(this.P_note, "");
    replace(this.notes, missing(sentence));
    this.show_bars();
  }

  private show_best({ best, searching, as_of }: Placement): void {
    if (searching !== undefined) {
      replace(this.best, el("p", { class: "muted" }, `Searching: ${percent(searching)}.`), el("progress", { max: "1", value: String(searching), "aria-label": "Progress of the search" }));
    } else if (best) {
      const bound = best.at_least_s > 0 ? `; no placement can be faster than ${seconds(best.at_least_s)}` : "; how much faster a placement could be is not known";
      replace(this.best, el("p", {}, el("b", {}, seconds(best.elapsed_s)), `, P ${fixed(best.P, 2)}`, bound),
        !same_version(best.as_of, as_of) && el("p", { class: "as-of" }, `as of ${seconds(best.as_of.to_s)}: search again`),
        el("div", { class: "card-buttons" }, el("button", { onclick: () => this.actions.take_best() }, "show it"), el("button", { class: "quiet", onclick: () => this.actions.search() }, "search further")));
    } else {
      replace(this.best, el("p", { class: "muted small" }, "A search tries placements by predicting each of them. It runs in the background."), el("button", { onclick: () => this.actions.search() }, "search for the best"));
    }
  }

  private show_bars(): void {
    const { placement, prediction } = this;
    const list: Bar[] = [];
    const add = (name: string, kind: string, answer: Traced | Prediction | Best | null | undefined) => {
      if (!answer) return;
      const [low, high] = "low_elapsed_s" in answer ? [answer.low_elapsed_s, answer.high_elapsed_s] : [];
      list.push({ name, kind, value: answer.elapsed_s, low: low ?? NaN, high: high ?? NaN });
    };
    add("traced", "traced", placement?.traced);
    add("this plan", "plan", prediction);
    if (placement?.best && same_version(placement.best.as_of, placement.as_of)) add("best found", "found", placement.best);
    const most = Math.max(1e-12, ...list.map(({ value, high }) => Math.max(value, known(high) ? high : 0)));
    const width = 300, x = (value: number) => 74 + (value / most) * (width - 140);
    replace(this.bars, svg("svg", { viewBox: `0 0 ${width} ${list.length * 26 + 4}`, class: "intervals-picture", role: "img", "aria-label": list.map(({ name, value }) => `${name}: ${seconds(value)}`).join(", ") },
      ...list.map(({ name, kind, value, low, high }, index) => svg("g", { class: "interval " + kind, transform: `translate(0,${index * 26 + 2})` },
        svg("text", { class: "end-text", x: 66, y: 15 }, name), svg("rect", { class: "interval-bar", x: 74, y: 6, width: Math.max(1, x(value) - 74).toFixed(1), height: 11, rx: 2 }),
        known(low) ? svg("path", { class: "whisker", d: `M${x(low).toFixed(1)},11.5H${x(high).toFixed(1)}M${x(low).toFixed(1)},7v9M${x(high).toFixed(1)},7v9` }) : null,
        svg("text", { class: "tick", x: Math.max(x(value), known(high) ? x(high) : 0) + 6, y: 15 }, seconds(value))))));
  }
}

function known(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function difference(factor: number): string {
  if (Math.abs(factor - 1) < 0.005) return "as in the trace";
  return factor < 1 ? `${percent(1 - factor)} faster than traced` : `${percent(factor - 1)} slower than traced`;
}
