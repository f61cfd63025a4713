// When the next picture is due. Pure. While the page is used (keys, pointer, a replay) each frame of the browser is a picture. While a
// program runs and the page is only looked at, answers are shown as they come, a few a second: a browser without a graphics card takes
// 20 ms of a processor for a picture, which may be a processor of the program that is shown.

export const REST_MS = 400;  // between two answers that views ask for, and so between two pictures
const SLIDE_MS = 1000;  // where time passes, or what comes can wait

export interface Moves {
  awake_until_ms: number;  // the page is used until then
  changed: boolean;  // something new is there to be drawn
  slides: boolean;  // the range follows the time, or something has come that can wait
  last_ms: number;  // when the last picture was drawn
}

// In how many milliseconds; 0: with the next frame of the browser. null: nothing changes.
export function next_picture_ms({ awake_until_ms, changed, slides, last_ms }: Moves, now_ms: number): number | null {
  if (now_ms < awake_until_ms) return 0;
  if (!changed && !slides) return null;
  // A little less than between two answers: one that comes early does not wait.
  return Math.max(0, last_ms + (changed ? REST_MS * 0.8 : SLIDE_MS) - now_ms);
}
