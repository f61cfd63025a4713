// Keeps one answer up to date for a view: asks when the view's parameters or the trace have changed, never has more than one question
// open, and so shows fewer pictures on a slow connection instead of falling behind.
import { Answer, AsOf, Computing, Parameters, RequestName } from "../source/requests";
import { Refusal, Source } from "../source/source";

export interface FeedOptions<Name extends RequestName> {
  source: Source;
  request: Name;
  parameters: () => Parameters<Name> | null;  // null: nothing to ask now
  choice?: (parameters: Parameters<Name>) => string;  // the part that the user chooses (default: all); the rest follows the time
  on_answer: (answer: Answer<Name>) => void;
  on_refusal?: (sentence: string) => void;
  // Says which version of the trace the answer is of. null: the view says so itself, or it has no numbers of this answer.
  mark: { show: (answer: { as_of: AsOf } & Partial<Computing>) => void; update: () => void } | null;
  on_time?: (took_ms: number) => void;
  on_stop?: () => void;
  is_aside?: boolean;  // its answers can wait for the view's next picture
  each_ms?: number | (() => number);  // asks at most this often because of new events or because time passes
}

// The server works on a later answer in the background, and has no other way to report how far it is.
const UNFINISHED_MS = 400;
const NOT_BEGUN_MS = 2000;

export class Feed<Name extends RequestName> {
  answer: Answer<Name> | null = null;
  refusal: string | null = null;
  private asked = "";
  private asked_choice = "";
  private asked_version = -1;
  private unfinished = false;  // a later answer is being worked on
  private open = false;
  private stopped = false;
  private last_ms = -Infinity;
  private timer: number | null = null;
  private readonly unsubscribe: () => void;

  constructor(private readonly options: FeedOptions<Name>) {
    this.unsubscribe = options.source.on_tick(this.poke);
  }

  stop(): void {
    this.stopped = true;
    this.unsubscribe();
    this.options.on_stop?.();
    if (this.timer !== null) clearTimeout(this.timer);
  }

  // Asks if the answer may be another one by now.
  readonly poke = (): void => {
    if (this.stopped || this.open || document.hidden) return;
    const parameters = this.options.parameters();
    if (parameters === null) return;
    const text = JSON.stringify(parameters);
    const version = this.options.source.version;
    if (text === this.asked && version === this.asked_version) return;
    const each_ms = typeof this.options.each_ms === "function" ? this.options.each_ms() : this.options.each_ms ?? 0;
    const rest = this.last_ms + (this.unfinished ? Math.min(each_ms, UNFINISHED_MS) : each_ms) - performance.now();
    const choice = this.options.choice?.(parameters) ?? text;
    if (choice === this.asked_choice && rest > 0) {
      this.later(rest);
      return;
    }
    this.asked = text;
    this.asked_choice = choice;
    this.asked_version = version;
    this.ask(parameters);
  };

  private later(ms: number): void {
    if (this.timer !== null) return;
    this.timer = window.setTimeout(() => {
      this.timer = null;
      this.poke();
    }, ms);
  }

  private async ask(parameters: Parameters<Name>): Promise<void> {
    this.open = true;
    const began = performance.now();
    this.last_ms = began;
    try {
      const answer = await this.options.source.request(this.options.request, parameters);
      if (this.stopped) return;
      this.options.on_time?.(performance.now() - began);
      this.answer = answer;
      this.refusal = null;
      this.unfinished = "computing" in answer || answer.as_of.working !== undefined;
      this.options.mark?.show(answer);
      this.options.on_answer(answer);
      if (this.unfinished) this.ask_again(answer.as_of.working === 0 ? NOT_BEGUN_MS : UNFINISHED_MS);
    } catch (error) {
      if (this.stopped) return;
      if (!(error instanceof Refusal)) throw error;
      this.refusal = error.message;
      this.options.on_refusal?.(error.message);
    } finally {
      this.open = false;
    }
    this.poke();
  }

  // The answer is known to be another one.
  again(): void {
    this.asked_version = -1;
    this.last_ms = -Infinity;
    this.poke();
  }

  private ask_again(ms: number): void {
    setTimeout(() => {
      this.asked_version = -1;
      this.poke();
    }, ms);
  }

  // Time has passed: what is shown may be older than the end.
  age(): void {
    this.options.mark?.update();
  }
}
