// The state diagram with its probabilities, and the paths that requests take most often.
import { AsOfMark } from "../frame/as_of_mark";
import { Context } from "../frame/context";
import { colours, ramp, theme_number } from "../draw/colours";
import { GraphPicture } from "../draw/graph_picture";
import { el, replace } from "../dom";
import { counted, grouped, percent } from "../format";
import { away_from_first } from "../layout/requests";
import { shown, visible } from "../names";
import * as requests from "../source/requests";
import { Feed } from "../state/feed";
import { missing } from "./parts";

const ARCS_MAX = 90, PATHS = 40;

export class Paths {
  readonly element: HTMLElement;
  private readonly feed: Feed<"paths">;
  private readonly states = el("section", { class: "card graph-card" });
  private readonly list = el("section", { class: "card" });
  private readonly picture: GraphPicture;
  private readonly mark: AsOfMark;
  private answer: requests.Paths | null = null;
  private shown = "";

  constructor(private readonly context: Context, private readonly on_count: (count: number) => void) {
    this.picture = new GraphPicture({ label: "State diagram of a request", layout_arcs: (arcs, nodes) => away_from_first(nodes.length, arcs), click: (node, event) => this.click(node.key, (event as MouseEvent).shiftKey) });
    this.element = el("div", { class: "paths" }, this.states, this.list);
    this.mark = context.mark();
    replace(this.states, el("h2", {}, "State diagram"), this.mark.element);
    this.feed = context.feed({
      request: "paths", parameters: () => ({ most: PATHS }), each_ms: 2000, mark: this.mark, on_time: () => {},
      on_answer: (answer) => {
        if ("computing" in answer) return;
        this.answer = answer;
        this.on_count(answer.requests);
        this.show();
      },
      on_refusal: (sentence) => ((this.shown = ""), replace(this.states, el("h2", {}, "State diagram"), missing(sentence))),
    });
  }

  update(): void {
    this.feed.poke();
    if (this.answer) this.show();
  }

  close(): void {
    this.feed.stop();
  }

  private click(key: string, add: boolean): void {
    const process = Number(key);
    if (process >= 0) this.context.select([process], add);
  }

  private show(): void {
    const { state } = this.context;
    const key = JSON.stringify([this.answer!.states, this.answer!.paths, this.answer!.requests, state.selected, state.palette, theme_number(), this.states.clientWidth]);
    if (key === this.shown) return;
    this.shown = key;
    const { states: { nodes, arcs: all }, paths, requests: count } = this.answer!;
    const arcs = [...all].sort((a, b) => b.messages - a.messages).slice(0, ARCS_MAX).sort((a, b) => a.from - b.from || a.to - b.to);
    const used = new Set(arcs.flatMap(({ from, to }) => [from, to]));
    const kept = nodes.map((_, index) => index).filter((index) => used.has(index));
    const at = new Map(kept.map((index, place) => [index, place]));
    const most = Math.max(1, ...arcs.map(({ messages }) => messages));
    this.picture.set(kept.map((index) => {
      const { process, label, note } = nodes[index];
      const users = process === null;
      return { key: users ? "-1" : String(process), label: shown(label, 24), note: note ? visible(note) : users ? "requests begin here" : "", fill: 0, tip: visible(label).slice(0, 300), dashed: users, selected: process !== null && state.selected.includes(process) };
    }), arcs.map(({ from, to, probability, messages }) => ({
      from: at.get(from)!, to: at.get(to)!, weight: messages, share: messages / most, colour: state.palette === "viridis" ? ramp(probability, "viridis") : colours().accent, label: percent(probability),
      tip: `${shown(nodes[from].label, 30)} → ${shown(nodes[to].label, 30)}: ${percent(probability)}, ${counted(messages, "message")}`,
    })), Math.max(300, (this.states.clientWidth || 900) - 28));
    if (this.picture.element.parentElement !== this.states) {
      replace(this.states, el("h2", {}, "State diagram"), this.mark.element, el("p", { class: "muted small" }, "Where a request goes next: shares of all messages that a process sends for requests."), this.picture.element);
    }
    this.show_paths(paths, count, all.length - arcs.length);
  }

  private show_paths(paths: requests.CommonPath[], followed: number, hidden: number): void {
    const most = Math.max(1e-9, ...paths.map(({ share }) => share));
    replace(this.list, el("h2", {}, "Most common paths"),
      el("p", { class: "muted small" }, `${counted(followed, "request")} were followed. Letters are the processes of the diagram.` + (hidden > 0 ? ` ${grouped(hidden)} rarer edges of the diagram are left out.` : "")),
      paths.length === 0 ? missing("No request was found: requests begin with a message from outside the computation.") : el("ol", { class: "path-list" }, ...paths.map(({ text, count, share }) => {
        const bar = el("i", { class: "bar", "aria-hidden": "true" });
        bar.style.width = ((share / most) * 100).toFixed(1) + "%";
        return el("li", {}, el("span", { class: "path-share number" }, percent(share)), el("span", { class: "path-text", title: visible(text).slice(0, 500) }, bar, el("bdi", {}, shown(text, 90))), el("span", { class: "muted number" }, grouped(count)));
      })));
  }
}
