// Where the answers come from: a server (server_source.ts) or the file itself (file_source.ts). Views do not know which one it is. What can
// be asked, and the fields of the answers, is in requests.ts.
import { Answer, Computing, Parameters, RequestName } from "./requests";

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
  // The only range with single events; null: any may have them.
  readonly single: { from_s: number; to_s: number } | null;
  // Why a range has bins instead of single events, and how to see these.
  readonly why_bins: string;
  request<Name extends RequestName>(name: Name, parameters: Parameters<Name>): Promise<Answer<Name>>;
  on_tick(listener: () => void): () => void;  // what it returns ends it
  on_link(listener: () => void): void;
}

// An answer that is an error: a sentence to be shown where the answer would have been.
export class Refusal extends Error {}

// What is asked only once has no later answer.
export function computed<T extends object>(answer: T): Exclude<T, Computing> {
  if ("computing" in answer) throw new Refusal("The trace is still analysed. Try again in a moment.");
  return answer as Exclude<T, Computing>;
}
