// The one loop of pictures; pace.ts says when the next one is due. It rests while nothing moves, and a hidden page draws nothing.
// For tests and for curious users it counts: window.dpmFrames, and data-fps on the document.
import { next_picture_ms } from "./pace";

declare global {
  interface Window {
    dpmFrames: number;
  }
}

const AWAKE_MS = 700;

export class Loop {
  private drawers = new Set<(now_ms: number) => void>();
  private awake_until_ms = 0;
  private changed = false;
  private changed_aside = false;
  private last_ms = -Infinity;
  private frame: number | null = null;  // that was asked for
  private timer: number | null = null;
  private counted_ms = 0;
  private counted = 0;
  live: () => boolean = () => false;

  constructor() {
    window.dpmFrames = 0;
    document.addEventListener("visibilitychange", () => this.wake());
  }

  add(draw: (now_ms: number) => void): () => void {
    this.drawers.add(draw);
    this.wake();
    return () => this.drawers.delete(draw);
  }

  // The user does something: a picture with each frame for a while, so that movements end.
  wake(ms = AWAKE_MS): void {
    this.awake_until_ms = Math.max(this.awake_until_ms, performance.now() + ms);
    this.schedule();
  }

  // Something has come that is to be seen; it may wait for the next picture.
  change(): void {
    this.changed = true;
    this.schedule();
  }

  // Likewise, beside the view: it waits for the view's next picture, or a second.
  change_aside(): void {
    this.changed_aside = true;
    this.schedule();
  }

  // One picture at once, for paper.
  draw_now(): void {
    for (const draw of [...this.drawers]) draw(performance.now());
  }

  private schedule(): void {
    if (this.frame !== null || document.hidden) return;
    const wait_ms = next_picture_ms({ awake_until_ms: this.awake_until_ms, changed: this.changed, slides: this.changed_aside || this.live(), last_ms: this.last_ms }, performance.now());
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (wait_ms === null) this.counted_ms = 0;
    else if (wait_ms > 0) this.timer = window.setTimeout(() => this.ask_for_frame(), wait_ms);
    else this.ask_for_frame();
  }

  private ask_for_frame(): void {
    this.timer = null;
    this.frame ??= requestAnimationFrame(this.turn);
  }

  private readonly turn = (now_ms: number): void => {
    this.frame = null;
    this.changed = this.changed_aside = false;
    this.last_ms = now_ms;
    for (const draw of [...this.drawers]) draw(now_ms);
    ++window.dpmFrames;
    ++this.counted;
    if (now_ms - this.counted_ms >= 1000) {
      const fps = this.counted_ms > 0 ? (this.counted * 1000) / (now_ms - this.counted_ms) : 0;
      document.documentElement.dataset.fps = fps.toFixed(1);
      this.counted = 0;
      this.counted_ms = now_ms;
    }
    this.schedule();
  };
}
