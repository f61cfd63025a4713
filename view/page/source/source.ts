// Where the answers come from: a server (server_source.ts) or the file itself (file_source.ts). Views do not know which one it is.

export type Answer = Record<string, any>;  // JSON, with arrays of numbers as typed arrays under their names

export interface Tick {
  now_s: number;
  state: string;
  version: number;
}

export type Link =
  | { kind: "connecting" }
  | { kind: "open" }
  | { kind: "lost"; since_ms: number; tries: number; next_try_ms: number; gone: boolean; moved: boolean }
  | { kind: "file" };

export interface Source {
  readonly link: Link;
  // Grows when answers may have changed: the server's version, and one more for each new connection.
  readonly version: number;
  readonly tick: Tick | null;
  request(name: string, parameters?: Record<string, unknown>): Promise<Answer>;
  on_tick(listener: () => void): () => void;  // what it returns ends it
  on_link(listener: () => void): void;
}

// An answer that is an error: a sentence to be shown where the answer would have been.
export class Refusal extends Error {}
