// The few signs on buttons, as paths, so that no font decides how they look.
import { svg } from "../dom";

const PATHS = {
  play: "M5 3.5v9l7.5-4.5z", pause: "M4.5 3.5h2.5v9h-2.5zM9 3.5h2.5v9h-2.5z", start: "M4 3.5h1.6v9h-1.6zM12.5 3.5v9l-6-4.5z", before: "M10.5 3.5v9l-6-4.5z",
  after: "M5.5 3.5v9l6-4.5z", close: "M4.3 3.4 8 7.1l3.7-3.7.9.9L8.9 8l3.7 3.7-.9.9L8 8.9l-3.7 3.7-.9-.9L7.1 8 3.4 4.3z",
  pin: "M9.8 2 14 6.2l-1 .5-2.2 2.2-.4 2.7-1 .9-2.7-2.7L3.2 13.3 2.7 12.8 6.2 9.3 3.5 6.6l.9-1 2.7-.4L9.3 3z",
  theme: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13z",
  palette: "M2 4h3v8H2zM6.5 4h3v8h-3zM11 4h3v8h-3z",
} as const;

export function icon(name: keyof typeof PATHS): SVGElement {
  return svg("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true", class: "icon" }, svg("path", { d: PATHS[name] }));
}
