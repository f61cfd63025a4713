// Asks the server that sent the page, over one WebSocket. When the connection is lost it tries again, at growing distances; a server
// that starts again with the same token goes on where the old one stopped.
import { decode_frame, Frame } from "./decode";
import { Answer, Parameters, RequestName } from "./requests";
import { Link, Refusal, Source, Tick } from "./source";

interface Waiting {
  done: (answer: unknown) => void;
  failed: (error: Error) => void;
}

const TRY_AGAIN_MS = [300, 600, 1000, 2000, 3000, 5000];
const OPEN_MAX = 48;  // the server refuses more than 64

export class ServerSource implements Source {
  readonly single = null;
  readonly why_bins = "Too many events for single ones. Zoom in to see single messages.";
  link: Link = { kind: "connecting" };
  tick: Tick | null = null;
  private socket: WebSocket | null = null;
  private waiting = new Map<number, Waiting>();
  private held: { text: string; id: number }[] = [];  // asked before the connection was there, or beyond OPEN_MAX
  private sent = new Set<number>();
  private next_id = 1;
  private connections = 0;
  private moved = false;  // a server is there, and does not know this address
  private tries = 0;
  private lost_ms = 0;
  private tick_listeners = new Set<() => void>();
  private link_listeners = new Set<() => void>();

  constructor(private readonly address: string, private readonly page: string) {
    this.connect();
    addEventListener("online", () => this.connect_now());
    document.addEventListener("visibilitychange", () => document.hidden || this.connect_now());
  }

  get version(): number {
    return (this.tick?.version ?? 0) + this.connections * 1e9;
  }

  on_tick(listener: () => void): () => void {
    this.tick_listeners.add(listener);
    return () => this.tick_listeners.delete(listener);
  }

  on_link(listener: () => void): void {
    this.link_listeners.add(listener);
  }

  // tests/answers/live compares the answers of the server with requests.ts.
  request<Name extends RequestName>(name: Name, parameters: Parameters<Name>): Promise<Answer<Name>> {
    const id = this.next_id++;
    return new Promise<Answer<Name>>((done, failed) => {
      this.waiting.set(id, { done: (answer) => done(answer as Answer<Name>), failed });
      this.held.push({ text: JSON.stringify({ ...parameters, id, request: name }), id });
      this.send_held();
    });
  }

  private connect_now(): void {
    if (this.link.kind === "lost" && this.socket === null) {
      this.tries = 0;
      this.connect();
    }
  }

  private connect(): void {
    if (this.socket !== null) return;
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.tries = 0;
      this.moved = false;
      ++this.connections;
      this.set_link({ kind: "open" });
      this.send_held();
      for (const listener of this.tick_listeners) listener();
    };
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = () => this.lost(socket);
  }

  private lost(socket: WebSocket): void {
    if (socket !== this.socket) return;
    this.socket = null;
    for (const id of this.sent) {
      this.waiting.get(id)?.failed(new Refusal("The connection was lost before the answer came."));
      this.waiting.delete(id);
    }
    this.sent.clear();
    if (this.link.kind !== "lost") this.lost_ms = Date.now();
    const pause = TRY_AGAIN_MS[Math.min(this.tries, TRY_AGAIN_MS.length - 1)];
    ++this.tries;
    this.set_link({ kind: "lost", since_ms: this.lost_ms, tries: this.tries, next_try_ms: Date.now() + pause, gone: this.connections === 0, moved: this.moved });
    if (this.tries > 1) this.look_for_page();
    setTimeout(() => this.connect(), pause);
  }

  // A WebSocket does not tell a server that refuses from none. The page's own address does.
  private async look_for_page(): Promise<void> {
    try {
      this.moved = (await fetch(this.page, { method: "HEAD", cache: "no-store" })).status === 404;
    } catch {
      this.moved = false;
    }
    if (this.link.kind === "lost") this.set_link({ ...this.link, moved: this.moved });
  }

  private send_held(): void {
    while (this.socket?.readyState === WebSocket.OPEN && this.held.length > 0 && this.sent.size < OPEN_MAX) {
      const { text, id } = this.held.shift()!;
      this.sent.add(id);
      this.socket.send(text);
    }
  }

  private receive(data: string | ArrayBuffer): void {
    const frame: Frame = typeof data === "string" ? JSON.parse(data) : decode_frame(data);
    if (frame.tick) {
      this.tick = frame.tick as Tick;
      for (const listener of this.tick_listeners) listener();
      return;
    }
    const id = frame.id ?? -1;
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    this.sent.delete(id);
    this.send_held();
    if (frame.error !== undefined) waiting?.failed(new Refusal(frame.error));
    else waiting?.done(frame.answer ?? {});
  }

  private set_link(link: Link): void {
    this.link = link;
    for (const listener of this.link_listeners) listener();
  }
}
