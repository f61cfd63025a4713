// Where the time of a process went, through all that it waited for; and what all processes run on and wait for.
import { AsOfMark } from "../frame/as_of_mark";
import { Context } from "../frame/context";
import { el, replace } from "../dom";
import { visible } from "../names";
import { figure_element } from "../report/figures";
import { Answer, Computing, Parameters, Section } from "../source/requests";
import { Feed } from "../state/feed";
import { missing } from "./parts";
import { OpenView, View } from "./view";

export const time_spent: View = {
  id: "time", title: "Time spent", purpose: "Where the time of a process went: its CPU time, run-queue wait, disks, locks, and other processes", timeless: true,
  open: (context) => new TimeSpent(context),
};

const REDRAW_PX = 24, MARGIN_PX = 40;

class TimeSpent implements OpenView {
  readonly element: HTMLElement;
  private readonly blame: Sections<"blame">;
  private readonly states: Sections<"states">;

  constructor(context: Context) {
    const chosen = () => context.state.selected[0] ?? -1;
    this.blame = new Sections(context, "blame", "Where the time went", () => ({ of: chosen() }), (answer) => [answer.section]);
    this.states = new Sections(context, "states", "States", () => ({}), (answer) => answer.sections);
    this.element = el("div", { class: "report time-spent" },
      el("p", { class: "muted" }, "Of the selected process, or of the one that was seen longest. Select one in any view, or by searching (/)."),
      this.blame.element, this.states.element);
  }

  update(): void {
    this.blame.update();
    this.states.update();
  }

  close(): void {
    this.blame.close();
    this.states.close();
  }
}

// The sections of one answer.
class Sections<Name extends "blame" | "states"> {
  readonly element = el("div", { class: "sections" });
  private readonly feed: Feed<Name>;
  private readonly mark: AsOfMark;
  private readonly sizes: ResizeObserver;
  private sections: Section[] | null = null;
  private drawn = "";

  constructor(private readonly context: Context, request: Name, private readonly heading: string, parameters: () => Parameters<Name>, sections_of: (answer: Exclude<Answer<Name>, Computing>) => Section[]) {
    this.mark = context.mark();
    this.say();
    this.feed = context.feed({
      request, parameters, each_ms: 3000, mark: this.mark, on_time: () => {},
      on_answer: (answer) => {
        if ("computing" in answer) return;
        this.sections = sections_of(answer as Exclude<Answer<Name>, Computing>);
        this.drawn = "";
        this.draw();
      },
      on_refusal: (sentence) => {
        this.sections = null;
        this.say(missing(visible(sentence)));
      },
    });
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(this.element);
  }

  update(): void {
    this.feed.poke();
    this.draw();
  }

  close(): void {
    this.feed.stop();
    this.sizes.disconnect();
  }

  private say(what?: HTMLElement): void {
    replace(this.element, el("section", { class: "card" }, el("h2", {}, this.heading), this.mark.element, what));
  }

  private draw(): void {
    if (!this.sections) return;
    const width = this.element.clientWidth || innerWidth - MARGIN_PX;
    const key = [Math.round(width / REDRAW_PX), document.documentElement.dataset.theme, this.context.state.palette].join();
    if (key === this.drawn) return;
    this.drawn = key;
    replace(this.element, ...this.sections.map(({ heading, text, figures }, index) =>
      el("section", { class: "report-section" }, el("h2", {}, visible(heading)), index === 0 && this.mark.element, text ? el("p", { class: "lead" }, text) : null,
        el("div", { class: "figures" }, ...figures.map((figure) => figure_element(figure, width - MARGIN_PX, "wide"))))));
  }
}
