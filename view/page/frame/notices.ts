// Sentences above the view: the connection is lost or slow, clocks could not be compared, an old trace is still being read.
import { Context } from "./context";
import { el, replace } from "../dom";
import { percent } from "../format";

const SLOW_MS = 500;

export class Notices {
  readonly element = el("div", { class: "notices", role: "status", "aria-live": "polite" });
  private shown = "";
  private checked_ms = 0;

  constructor(private readonly context: Context) {
    // The count of seconds goes on while nothing else moves.
    setInterval(() => this.update(), 1000);
  }

  frame(now_ms: number): void {
    if (now_ms - this.checked_ms < 500) return;
    this.checked_ms = now_ms;
    this.update();
  }

  update(): void {
    const sentences = this.sentences();
    const text = sentences.map(([, sentence]) => sentence).join("\n");
    if (text === this.shown) return;
    this.shown = text;
    replace(this.element, ...sentences.map(([kind, sentence]) => el("p", { class: "notice " + kind }, sentence)));
  }

  private sentences(): [string, string][] {
    const { source, world, clock, picture_ms } = this.context;
    const sentences: [string, string][] = [];
    const { link } = source;
    if (link.kind === "lost") {
      const since = Math.round((Date.now() - link.since_ms) / 1000);
      sentences.push(["lost", link.moved
        ? "“dpm serve” was started again, and has a new address now: open the one that it printed. This page shows the old state."
        : link.gone
        ? "The server does not answer. The page tries again; if “dpm serve” has ended, start it again."
        : `The connection was lost ${since} s ago. The page shows the state at that time. The page tries again, and goes on when the server is back with the same address.`]);
    }
    if (link.kind === "connecting") sentences.push(["calm", "Connecting to the server…"]);
    if (link.kind === "open" && clock.running && picture_ms > SLOW_MS) {
      sentences.push(["slow", `One picture every ${(picture_ms / 1000).toFixed(1)} s: slow connection. Nothing is lost from the trace.`]);
    }
    if (!world.described) return sentences;
    if (!world.common_time) {
      sentences.push(["calm", "The clocks of the machines could not be compared: times of different machines stand side by side, but may be shifted. Messages in both directions between machines let DPM compare them."]);
    }
    if (world.read < 1) sentences.push(["calm", `The trace is being read: ${percent(world.read)} so far. The picture grows.`]);
    if (world.state === "cut off") sentences.push(["calm", "The trace was cut off: the recorder ended without closing it. Everything up to that moment is here."]);
    return sentences;
  }
}
