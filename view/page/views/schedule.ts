// The journal of a scheduler that moves the processes of the program: what it predicted, what was measured, and what became of it.
import { el } from "../dom";
import { counted, percent, seconds } from "../format";
import { shown, visible } from "../names";
import { Decision, Schedule } from "../source/requests";

const HEADS = ["At", "Moves", "Predicted gain", "Measured gain", "Outcome", "Why"];

export function schedule_element(schedule: Schedule): HTMLElement[] {
  const rows = schedule.journal.map((decision) => el("tr", {}, ...decision_cells(decision).map((text, index) => el("td", { class: index === 0 || index === 2 || index === 3 ? "number" : null }, text))));
  const left_out = schedule.decisions - schedule.journal.length;
  const words = `Policy ${visible(schedule.policy)} on ${schedule.places.map((place) => shown(place)).join(", ")}${schedule.dry_run ? "; a dry run, which moves nothing" : ""}. A gain is a change of the speed.${left_out > 0 ? ` The last of ${counted(schedule.decisions, "decision")}.` : ""}`;
  return [el("h2", {}, "Scheduling"), el("p", { class: "muted small" }, words),
    el("div", { class: "wide-table" }, el("table", {}, el("thead", {}, el("tr", {}, ...HEADS.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, ...rows)))];
}

export function decision_cells({ at_s, moves, predicted_gain, measured_gain, outcome, reason }: Decision): string[] {
  const gain = (value: number | null | undefined) => (typeof value === "number" ? (value > 0 ? "+" : "") + percent(value) : "–");
  return [typeof at_s === "number" ? seconds(at_s) : "–",
    moves.map(({ process, from, to }) => `${shown(process, 24)}: ${from} to ${to}`).join("; ") || "–",
    predicted_gain ? `${gain(predicted_gain.expected)} (${gain(predicted_gain.low)} to ${gain(predicted_gain.high)})` : "–",
    gain(measured_gain), outcome, visible(reason)];
}
