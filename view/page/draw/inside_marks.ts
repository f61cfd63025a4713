// What happened inside processes, in their lanes: a point is a diamond; many values of one event are a line from the lowest to the
// highest value in the window, few are diamonds too. From an answer `spacetime` with single events.
import { Colours } from "./colours";
import { LaneView, x_of, y_of } from "./lanes";
import { Answer, SingleEvents } from "../source/requests";

const SERIES_LEAST = 8, SIZE = 3.5, NEAR = 5;

type Marks = Required<Pick<SingleEvents, "inside_events" | "inside_row" | "inside_event" | "inside_t" | "inside_value">>;

// Null: nothing happened inside the processes, or the window has too many events.
function marks_of(answer: Answer<"spacetime">): Marks | null {
  if (!answer.exact) return null;
  const { inside_events, inside_row, inside_event, inside_t, inside_value } = answer;
  return inside_events && inside_row && inside_event && inside_t && inside_value ? { inside_events, inside_row, inside_event, inside_t, inside_value } : null;
}

export function draw_inside(drawing: CanvasRenderingContext2D, answer: Answer<"spacetime">, view: LaneView, colours: Colours): void {
  const all = marks_of(answer);
  if (!all) return;
  drawing.strokeStyle = drawing.fillStyle = colours.ink;
  drawing.lineWidth = 1.2;
  for (const marks of series_of(all)) {
    if (marks.length >= SERIES_LEAST && !Number.isNaN(all.inside_value[marks[0]])) draw_series(drawing, all, view, marks);
    else for (const index of marks) draw_mark(drawing, all, view, index);
  }
}

// What the nearest mark within a few pixels is, or null.
export function inside_text_at(answer: Answer<"spacetime">, view: LaneView, x: number, y: number): string | null {
  const all = marks_of(answer);
  if (!all) return null;
  let best = -1, nearest = NEAR;
  const row = Math.floor(y / view.lane);
  for (let i = 0; i < all.inside_row.length; ++i) {
    const far = Math.abs(x_of(view, all.inside_t[i]) - x);
    if (all.inside_row[i] !== row || far >= nearest) continue;
    best = i;
    nearest = far;
  }
  if (best < 0) return null;
  const { action, object, function: place } = all.inside_events[all.inside_event[best]];
  const value = all.inside_value[best];
  return `${action} on ${object} in ${place}` + (Number.isFinite(value) ? ` = ${value}` : "");
}

// The marks of each event in each row, in order of time.
function series_of(answer: Marks): number[][] {
  const all = new Map<number, number[]>();
  const events = answer.inside_events.length;
  for (let i = 0; i < answer.inside_row.length; ++i) {
    const key = answer.inside_row[i] * events + answer.inside_event[i];
    const marks = all.get(key);
    if (marks) marks.push(i);
    else all.set(key, [i]);
  }
  for (const marks of all.values()) marks.sort((a, b) => answer.inside_t[a] - answer.inside_t[b]);
  return [...all.values()];
}

function draw_series(drawing: CanvasRenderingContext2D, answer: Marks, view: LaneView, marks: number[]): void {
  let low = Infinity, high = -Infinity;
  for (const index of marks) {
    low = Math.min(low, answer.inside_value[index]);
    high = Math.max(high, answer.inside_value[index]);
  }
  const middle = y_of(view, answer.inside_row[marks[0]]), half = view.lane * 0.42;
  const y = (index: number) => middle + half - (high > low ? ((answer.inside_value[index] - low) / (high - low)) * 2 * half : half);
  drawing.beginPath();
  // A value holds until the next one.
  marks.forEach((index, place) => {
    const x = x_of(view, answer.inside_t[index]);
    if (place === 0) drawing.moveTo(x, y(index));
    else {
      drawing.lineTo(x, y(marks[place - 1]));
      drawing.lineTo(x, y(index));
    }
  });
  drawing.stroke();
}

function draw_mark(drawing: CanvasRenderingContext2D, answer: Marks, view: LaneView, index: number): void {
  const x = x_of(view, answer.inside_t[index]), y = y_of(view, answer.inside_row[index]);
  if (x < -SIZE || x > view.width + SIZE) return;
  drawing.beginPath();
  drawing.moveTo(x, y - SIZE);
  drawing.lineTo(x + SIZE, y);
  drawing.lineTo(x, y + SIZE);
  drawing.lineTo(x - SIZE, y);
  drawing.fill();
}
