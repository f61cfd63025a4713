// The present of the viewer. Ticks come in steps; a picture that slides must not, so between ticks the clock runs by itself and is drawn
// gently to what the server reports.

const AHEAD_MAX_S = 0.4;

export class Clock {
  private reported_s = 0;
  private reported_ms = 0;
  private shown_s = 0;
  private shown_ms = 0;
  running = false;

  // `state` is that of a tick or of `describe`.
  report(now_s: number, state: string, at_ms: number): void {
    const first = this.reported_ms === 0;
    this.running = state === "recording";
    this.reported_s = now_s;
    this.reported_ms = at_ms;
    if (first || !this.running || Math.abs(now_s - this.shown_s) > 2) {
      this.shown_s = now_s;
      this.shown_ms = at_ms;
    }
  }

  now_s(at_ms: number): number {
    if (!this.running) return this.reported_s;
    const target = this.reported_s + Math.min(AHEAD_MAX_S, (at_ms - this.reported_ms) / 1000);
    const passed = Math.max(0, (at_ms - this.shown_ms) / 1000);
    // Half of a difference is gone after 0.15 s; time never runs back.
    const wanted = this.shown_s + passed;
    this.shown_s = Math.max(this.shown_s, wanted + (target - wanted) * (1 - Math.pow(0.5, passed / 0.15)));
    this.shown_ms = at_ms;
    return this.shown_s;
  }

  // Without smoothing: up to where there are events.
  get known_s(): number {
    return this.reported_s;
  }
}
