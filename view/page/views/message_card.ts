// What is known of the selected message: its ends, its times, and how many messages led to it and follow from it.
import { AsOfMark } from "../frame/as_of_mark";
import { Context } from "../frame/context";
import { icon } from "../frame/icons";
import { el, replace } from "../dom";
import { bytes, grouped, seconds } from "../format";
import { Answer, Message } from "../source/requests";
import { Feed } from "../state/feed";
import { missing } from "./parts";

export class MessageCard {
  readonly element = el("section", { class: "card message-card", "aria-label": "Selected message", hidden: true });
  past: ReadonlySet<number> = new Set();
  future: ReadonlySet<number> = new Set();
  private readonly feed: Feed<"message">;
  private readonly mark: AsOfMark;
  private details: Message | null = null;
  private id: number | null = null;

  constructor(private readonly context: Context, private readonly lanes: () => Answer<"spacetime"> | null, private readonly changed: () => void) {
    this.mark = context.mark();
    this.feed = context.feed({
      request: "message", parameters: () => (context.state.message === null ? null : { arc: context.state.message }), each_ms: 3000, mark: this.mark, on_time: () => {},
      on_answer: (answer) => this.take(answer), on_refusal: (sentence) => this.refuse(sentence),
    });
    this.update();
  }

  update(): void {
    const { message } = this.context.state;
    if (message !== this.id) {
      this.id = message;
      this.details = null;
      this.past = new Set();
      this.future = new Set();
      this.changed();
    }
    this.element.hidden = message === null;
    this.feed.poke();
  }

  close(): void {
    this.feed.stop();
  }

  // To the messages of its past and future that are in the picture, nearest first, or to the message alone.
  zoom(): void {
    const { details } = this;
    if (!details) return;
    let from_s = details.sent_s, to_s = details.received_s;
    const lanes = this.lanes();
    const near = new Set([...details.past.slice(0, 30), ...details.future.slice(0, 30)]);
    for (let i = 0; lanes?.exact && i < lanes.arc_id.length; ++i) {
      if (!near.has(lanes.arc_id[i])) continue;
      from_s = Math.min(from_s, lanes.arc_sent[i]);
      to_s = Math.max(to_s, lanes.arc_received[i]);
    }
    const margin = Math.max((to_s - from_s) * 0.15, 1e-6);
    this.context.show({ from_s: from_s - margin, to_s: to_s + margin });
  }

  private take(answer: Message): void {
    if (this.context.state.message === null) return;
    this.details = answer;
    this.past = new Set(answer.past);
    this.future = new Set(answer.future);
    const { world } = this.context;
    const more = (count: number, left: number) => grouped(count) + (left > 0 ? ` (and ${grouped(left)} further away)` : "");
    replace(this.element, el("h2", {}, el("bdi", {}, world.name(answer.from, 28)), " → ", el("bdi", {}, world.name(answer.to, 28))),
      el("p", {}, `${bytes(answer.bytes)}, sent at ${seconds(answer.sent_s)}, received ${seconds(answer.received_s - answer.sent_s)} later.`,
        answer.evidence ? el("span", { class: "muted" }, " " + answer.evidence) : null),
      el("p", {}, el("i", { class: "sign past" }), `${more(this.past.size, answer.past_left_out)} ${this.past.size === 1 ? "message" : "messages"} led to it. `,
        el("i", { class: "sign future" }), `${more(this.future.size, answer.future_left_out)} can follow from it.`), this.mark.element,
      this.buttons());
    this.changed();
  }

  private refuse(sentence: string): void {
    replace(this.element, missing(sentence), this.buttons());
  }

  private buttons(): HTMLElement {
    return el("div", { class: "card-buttons" }, el("button", { onclick: () => this.zoom(), title: "Zoom to its past and future (Enter)" }, "zoom to it"),
      el("button", { class: "quiet", "aria-label": "Close", title: "Close (Esc)", onclick: () => this.context.store.change({ message: null }) }, icon("close")));
  }
}
