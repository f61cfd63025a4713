// What views share: the source, the state, the trace's description, the time range, the loop of pictures.
import { Parameters, RequestName } from "../source/requests";
import { Source } from "../source/source";
import { Clock } from "../state/clock";
import { Feed, FeedOptions } from "../state/feed";
import { Store } from "../state/store";
import { World } from "../state/world";
import { AsOfMark } from "./as_of_mark";
import { Loop } from "./loop";

export interface Range {
  from_s: number;
  to_s: number;
}

const SHORTEST_S = 2e-7;
const LAST_S = 2e-9;  // a range ends before its end, and the last event is at the end

export class Context {
  readonly world = new World();
  readonly clock = new Clock();
  readonly loop = new Loop();
  hover_s: number | null = null;  // where the pointer is, in time: every plot shows it
  picture_ms = 0;  // how long pictures have taken to come lately
  private feeds = new Set<{ poke: () => void; age: () => void }>();

  constructor(readonly source: Source, readonly store: Store) {}

  get state() {
    return this.store.state;
  }

  // The whole recorded range, and the part of it that is shown.
  whole(): Range {
    return { from_s: 0, to_s: Math.max(this.clock.now_s(performance.now()), SHORTEST_S) };
  }

  range(): Range {
    const { span } = this.state;
    if ("from_s" in span) return span;
    const { to_s } = this.whole();
    return { from_s: span.last_s === null ? 0 : to_s - span.last_s, to_s };
  }

  // What to ask for: a range that does not change with each picture. While the program runs, up to where there are events.
  asked_range(): Range {
    const { span } = this.state;
    if ("from_s" in span) return span;
    const to_s = Math.max(this.clock.known_s, SHORTEST_S) + LAST_S;
    return { from_s: span.last_s === null ? 0 : Math.max(0, to_s - span.last_s), to_s };
  }

  show(range: Range): void {
    const { to_s } = this.whole();
    const width = Math.max(SHORTEST_S, Math.min(range.to_s - range.from_s, to_s * 1.05 + SHORTEST_S));
    const margin = width * 0.5;  // an edge can be brought to the middle
    const from_s = Math.min(Math.max(range.from_s, -margin), Math.max(to_s - width + margin, -margin));
    this.store.change({ span: { from_s, to_s: from_s + width } });
    this.loop.wake();
  }

  zoom(factor: number, around_s?: number): void {
    const { from_s, to_s } = this.range();
    const centre = around_s ?? (from_s + to_s) / 2;
    const width = Math.max(SHORTEST_S, (to_s - from_s) * factor);
    if (factor > 1 && width >= this.whole().to_s) return this.show_whole();
    const share = (centre - from_s) / (to_s - from_s);
    this.show({ from_s: centre - share * width, to_s: centre + (1 - share) * width });
  }

  pan(share: number): void {
    const { from_s, to_s } = this.range();
    const by = (to_s - from_s) * share;
    this.show({ from_s: from_s + by, to_s: to_s + by });
  }

  show_whole(): void {
    this.store.change({ span: { last_s: null } });
    this.loop.wake();
  }

  get live(): boolean {
    return this.clock.running && "last_s" in this.state.span;
  }

  select(ids: number[], add = false): void {
    const { selected } = this.state;
    const next = add ? (ids.every((id) => selected.includes(id)) ? selected.filter((id) => !ids.includes(id)) : [...new Set([...selected, ...ids])]) : ids;
    this.store.change({ selected: next, arc: add ? this.state.arc : null });
    this.loop.wake();
  }

  select_arc(from: number, to: number): void {
    this.store.change({ arc: [from, to], selected: [from, to] });
    this.loop.wake();
  }

  pin(series: string): void {
    const { pins } = this.state;
    this.store.change({ pins: pins.includes(series) ? pins.filter((pin) => pin !== series) : [...pins, series] });
  }

  hover(time_s: number | null): void {
    if (this.hover_s === time_s) return;
    this.hover_s = time_s;
    this.loop.wake(60);
  }

  feed<Name extends RequestName>(options: Omit<FeedOptions<Name>, "source" | "choice" | "on_stop">): Feed<Name> {
    const feed: Feed<Name> = new Feed<Name>({
      on_time: (took_ms) => (this.picture_ms = this.picture_ms * 0.7 + took_ms * 0.3),
      ...options,
      source: this.source,
      // Before the trace is described, its length is not known.
      parameters: () => (this.world.described || options.request === "describe" ? options.parameters() : null),
      choice: (parameters) => this.choice(parameters),
      on_answer: (answer) => {
        options.on_answer(answer);
        if (options.is_aside) this.loop.change_aside();
        else this.loop.change();
      },
      on_stop: () => this.feeds.delete(feed),
    });
    this.feeds.add(feed);
    feed.poke();
    return feed;
  }

  // What the user has chosen of the parameters: while the range follows the time, its ends are not.
  private choice<Name extends RequestName>(parameters: Parameters<Name>): string {
    return JSON.stringify(this.live ? { ...parameters, from_s: null, to_s: null, span: this.state.span } : parameters);
  }

  ask_again(): void {
    for (const feed of this.feeds) feed.poke();
  }

  mark(): AsOfMark {
    return new AsOfMark(this.clock);
  }

  age(): void {
    for (const feed of this.feeds) feed.age();
  }
}
