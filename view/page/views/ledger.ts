// The ledger of events: how many were seen, and what became of each of them.
import { el } from "../dom";
import { counted, grouped } from "../format";

export interface Ledger {
  seen: number;
  kept: number;
  filtered: number;
  lost: number;
  losses?: { reason: string; events: number }[];
  text?: string;
  balanced?: boolean;
}

export function ledger_element(ledger: Ledger): HTMLElement {
  const parts = el("div", { class: "ledger-parts", "aria-hidden": "true" });
  for (const name of ["kept", "filtered", "lost"] as const) {
    if (!(ledger[name] > 0)) continue;
    const part = el("span", { class: name });
    part.style.flexGrow = String(Math.max(ledger[name] / Math.max(1, ledger.seen), 0.004));
    parts.append(part);
  }
  const losses = (ledger.losses ?? []).map(({ reason, events }) => el("li", {}, `${counted(events, "event")} lost: ${reason}`));
  if (ledger.balanced === false) losses.push(el("li", { class: "fail" }, "The ledger does not add up: do not trust the results."));
  return el("section", { class: "ledger", "aria-label": "Ledger of events" }, el("h2", {}, "Ledger: every event that was seen"), parts,
    el("div", { class: "ledger-counts" }, el("span", {}, el("b", {}, grouped(ledger.seen)), " seen"),
      ...(["kept", "filtered", "lost"] as const).map((name) => el("span", {}, el("i", { class: "key " + name }), `${grouped(ledger[name])} ${name}`))),
    losses.length > 0 ? el("ul", {}, ...losses) : null, ledger.text ? el("p", { class: "muted small" }, ledger.text) : null);
}
