// Holds the state, tells its changes, and keeps the address of the page the same as the state.
import { decode, encode, State } from "./state";

type Listener = (state: State, before: State) => void;

// Browsers refuse frequent changes of the address (Chromium: 200 in 30 s).
const ADDRESS_EACH_MS = 300;

export class Store {
  state: State = decode(location.hash);
  private listeners = new Set<Listener>();
  private timer: number | null = null;
  private wrote = "";
  private wrote_ms = 0;

  constructor() {
    this.wrote = location.hash.slice(1);
    addEventListener("hashchange", () => this.read());
    addEventListener("pagehide", () => this.write());
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  // `step`: the change is one that the browser's Back undoes, such as another view.
  change(part: Partial<State>, step = false): void {
    const before = this.state;
    if (step) this.write();
    this.state = { ...before, ...part };
    if (step) {
      this.wrote = encode(this.state);
      this.put("pushState");
    } else if (this.timer === null) {
      this.timer = window.setTimeout(() => this.write(), Math.max(0, this.wrote_ms + ADDRESS_EACH_MS - performance.now()));
    }
    this.tell(before);
  }

  remember(key: string, value: string): void {
    this.change({ more: { ...this.state.more, [key]: value } });
  }

  private tell(before: State): void {
    for (const listener of [...this.listeners]) listener(this.state, before);
  }

  private write(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const text = encode(this.state);
    if (text === this.wrote) return;
    this.wrote = text;
    this.wrote_ms = performance.now();
    this.put("replaceState");
  }

  private put(how: "pushState" | "replaceState"): void {
    try {
      history[how](null, "", "#" + this.wrote);
    } catch {
      // A browser may refuse for pages from files. Then the address stays as it is, and the page works without it.
    }
  }

  private read(): void {
    const text = location.hash.slice(1);
    if (text === this.wrote) return;
    const before = this.state;
    this.wrote = text;
    this.state = decode(text);
    this.tell(before);
  }
}
