// Try the program on other machines: drag processes between them, change speeds, cores, delays and copies, and see the predicted elapsed
// time and P while dragging. Beside it, what was measured and the best placement that a search has found.
import { AsOfMark } from "../frame/as_of_mark";
import { Context } from "../frame/context";
import { download, el, replace, set_text } from "../dom";
import { counted } from "../format";
import * as requests from "../source/requests";
import { Answer, PlacedProcess } from "../source/requests";
import { computed, Refusal } from "../source/source";
import { same_version } from "../state/as_of";
import { Feed } from "../state/feed";
import { decode_plan, encode_plan, moved, NO_PLAN, own, Plan, Plans, with_machine, with_replicas } from "../state/plan";
import { Machines } from "./placement_machines";
import { Outcome } from "./placement_outcome";
import { missing } from "./parts";
import { OpenView, View } from "./view";

const INTERVAL_AFTER_MS = 350;

export const placement: View = {
  id: "placement", title: "Placement", purpose: "How fast the program would be on other machines", timeless: true,
  keys: [["←  →", "on a process: to the machine before or after"], ["Ctrl Z  Ctrl Y", "undo, redo"], ["R", "one copy more of the selected process"]],
  open: (context) => new Placement(context),
};

class Placement implements OpenView {
  readonly element = el("div", { class: "placement" });
  private readonly feed: Feed<"placement">;
  private readonly plans: Plans;
  private readonly machines: Machines;
  private readonly outcome: Outcome;
  private readonly delay = el("input", { type: "range", min: "-2", max: "2", step: "0.05", "aria-label": "Link delays, as a factor of those in the trace" });
  private readonly delay_text = el("output", {});
  private readonly copies = el("input", { type: "range", min: "1", max: "16", step: "1", "aria-label": "Copies of the selected process" });
  private readonly copies_text = el("output", {});
  private readonly copies_name = el("bdi", { class: "name" });
  private readonly undo_button = el("button", { title: "Undo (Ctrl Z)", onclick: () => this.undo(false) }, "undo");
  private readonly redo_button = el("button", { title: "Redo (Ctrl Y)", onclick: () => this.undo(true) }, "redo");
  private readonly said = el("p", { class: "told", role: "status", "aria-live": "polite" });
  private readonly mark: AsOfMark;
  private answer: (requests.Placement & requests.Stamped) | null = null;
  private hovered: { process: string; machine: string } | null = null;
  private asking = false;
  private asked = "";
  private interval_asked = false;
  private interval_timer: number | null = null;
  private closed = false;
  private shown_view = "";

  constructor(private readonly context: Context) {
    this.plans = new Plans(decode_plan(context.state.more.plan));
    this.machines = new Machines(context, {
      drop: (process, machine) => this.move(process, machine), over: (process, machine) => this.hover(process, machine),
      change: (machine, change) => this.change(with_machine(this.plans.plan, machine.name, change, machine), "machine " + machine.name + Object.keys(change)[0]), settle: () => this.plans.end_step(),
    });
    this.outcome = new Outcome({ search: () => this.search(), take_best: () => this.take_best(), reset: () => this.change(NO_PLAN), file: () => this.write_file() });
    this.delay.addEventListener("input", () => this.change({ ...this.plans.plan, delay_factor: Number(Math.pow(10, Number(this.delay.value)).toPrecision(3)) }, "delay"));
    this.delay.addEventListener("change", () => this.plans.end_step());
    this.copies.addEventListener("input", () => this.change_copies(Number(this.copies.value)));
    this.copies.addEventListener("change", () => this.plans.end_step());
    this.mark = context.mark();
    replace(this.element, this.mark.element);
    this.feed = context.feed({
      request: "placement", parameters: () => ({}), each_ms: 1000, mark: { show: (answer) => this.show_version(answer), update: () => this.mark.update() }, on_time: () => {},
      on_answer: (answer) => {
        if ("computing" in answer) return;
        this.answer = answer;
        this.show();
        this.predict();
      },
      on_refusal: (sentence) => this.refuse(sentence),
    });
  }

  update(): void {
    this.feed.poke();
    this.follow_address();
    if (this.answer) this.show();
  }

  // The address may have been changed in the open page.
  private follow_address(): void {
    const plan = decode_plan(this.context.state.more.plan);
    if (encode_plan(plan) === encode_plan(this.plans.plan)) return;
    this.plans.change(plan);
    set_text(this.said, "");
    this.predict();
  }

  // What was predicted of another version of the trace is replaced with its prediction, not before.
  private show_version(answer: Pick<Answer<"placement">, "as_of"> & Partial<requests.Computing>): void {
    if (answer.computing !== undefined || this.outcome.is_of(answer.as_of)) this.mark.show(answer);
  }

  close(): void {
    this.closed = true;
    this.feed.stop();
    this.machines.close();
    if (this.interval_timer !== null) clearTimeout(this.interval_timer);
  }

  key(event: KeyboardEvent): boolean {
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key.toLowerCase() === "z") this.undo(event.shiftKey);
    else if (command && event.key.toLowerCase() === "y") this.undo(true);
    else if (!command && event.key.toLowerCase() === "r" && this.selected()) this.change_copies((own(this.plans.plan.replicas, this.selected()!.name) ?? 1) + 1);
    else return false;
    return true;
  }

  private selected(): PlacedProcess | undefined {
    const [id] = this.context.state.selected;
    return this.processes().find(({ process }) => process === id);
  }

  private processes(): PlacedProcess[] {
    return this.answer?.processes ?? [];
  }

  private show(): void {
    const { answer } = this;
    if (!answer) return;
    const why = answer.why_not ?? (this.context.world.can.predict === false ? this.context.world.why_not.predict ?? null : null);
    const view = JSON.stringify(why);
    if (this.shown_view !== view) {
      this.shown_view = view;
      replace(this.element, why && missing(why), this.mark.element, el("div", { class: "toolbar" }, this.undo_button, this.redo_button,
        el("label", { class: "slider" }, el("span", {}, "link delays"), this.delay, this.delay_text), el("label", { class: "slider" }, el("span", {}, "copies of ", this.copies_name), this.copies, this.copies_text), this.said),
      el("div", { class: "placement-body" }, this.machines.element, this.outcome.element));
    }
    const { plan } = this.plans;
    this.machines.show(answer.machines, this.processes(), plan);
    this.undo_button.disabled = !this.plans.can_undo;
    this.redo_button.disabled = !this.plans.can_redo;
    if (document.activeElement !== this.delay) this.delay.value = String(Math.log10(Math.max(plan.delay_factor, 0.01)));
    set_text(this.delay_text, `×${plan.delay_factor}`);
    const chosen = this.selected();
    this.copies.disabled = !chosen;
    set_text(this.copies_name, chosen ? this.context.world.name(chosen.process, 22) : "the selected process");
    const copies = chosen ? own(plan.replicas, chosen.name) ?? 1 : 1;
    this.copies.value = String(copies);
    set_text(this.copies_text, chosen ? String(copies) : "–");
    this.outcome.show_placement(answer, plan === NO_PLAN || encode_plan(plan) === "");
  }

  private change(plan: Plan, kind = ""): void {
    this.plans.change(plan, kind);
    this.changed();
  }

  private changed(): void {
    this.context.store.remember("plan", encode_plan(this.plans.plan));
    this.show();
    this.predict();
  }

  private move(process: PlacedProcess, machine: string): void {
    this.hovered = null;
    this.change(moved(this.plans.plan, process.name, machine, process.machine));
    const place = this.context.world.name(process.process, 30);
    set_text(this.said, `${place} is on ${machine} now.`);
  }

  // While a process is dragged, the prediction is of where it would be dropped.
  private hover(process: PlacedProcess, machine: string | null): void {
    this.hovered = machine === null ? null : { process: process.name, machine };
    this.predict();
  }

  private change_copies(copies: number): void {
    const chosen = this.selected();
    if (chosen) this.change(with_replicas(this.plans.plan, chosen.name, Math.max(1, Math.min(16, copies))), "copies " + chosen.name);
  }

  private undo(again: boolean): void {
    if (again) this.plans.redo();
    else this.plans.undo();
    set_text(this.said, "");
    this.changed();
  }

  private parameters(): Plan {
    let { plan } = this.plans;
    if (this.hovered) {
      const traced = this.processes().find(({ name }) => name === this.hovered!.process)?.machine ?? "";
      plan = moved(plan, this.hovered.process, this.hovered.machine, traced);
    }
    return { ...plan };
  }

  // Quick predictions first; when nothing changes for a while, the interval. One question at a time: the next is the newest.
  private async predict(): Promise<void> {
    if (this.asking || this.closed || !this.answer) return;
    const parameters = this.parameters();
    const question = this.question();
    if (question !== this.asked) {
      this.asked = question;
      this.interval_asked = false;
      await this.ask({ ...parameters, interval: false });
      if (this.question() !== question) return this.predict();
    }
    this.interval_later();
  }

  // What is predicted, of which version of the trace.
  private question(): string {
    const { events, state, is_final } = this.answer!.as_of;
    return JSON.stringify([this.parameters(), events, state, is_final]);
  }

  // Not while a process is held over a machine; when it is dropped there, this is called again.
  private interval_later(): void {
    if (this.interval_timer !== null) clearTimeout(this.interval_timer);
    this.interval_timer = null;
    if (this.interval_asked || this.hovered || this.closed) return;
    this.interval_timer = window.setTimeout(async () => {
      if (!this.asking && !this.hovered && this.answer && this.question() === this.asked) {
        this.interval_asked = true;
        await this.ask({ ...this.parameters(), interval: true });
      }
      this.predict();
    }, INTERVAL_AFTER_MS);
  }

  private async ask(parameters: requests.Parameters<"predict">): Promise<void> {
    this.asking = true;
    try {
      const prediction = computed(await this.context.source.request("predict", parameters));
      // The trace has been analysed again since its placement was asked for.
      if (!same_version(prediction.as_of, this.answer?.as_of)) return this.feed.again();
      this.outcome.show_prediction(prediction, Boolean(parameters.interval));
      this.mark.show(prediction);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.outcome.refuse(error.message);
      if (this.answer) this.mark.show(this.answer);
    } finally {
      this.asking = false;
    }
  }

  private async search(): Promise<void> {
    try {
      computed(await this.context.source.request("search", {}));
      this.feed.again();
      set_text(this.said, "The search has started; its result appears beside the prediction.");
    } catch (error) {
      set_text(this.said, (error as Error).message);
    }
  }

  private take_best(): void {
    const best = this.answer?.best;
    if (!best) return;
    let { plan } = this.plans;
    for (const { name, machine } of this.processes()) plan = moved(plan, name, own(best.machine_of, name) ?? machine, machine);
    this.change(plan);
    set_text(this.said, `${counted(Object.keys(plan.machine_of).length, "process", "processes")} moved.`);
  }

  private async write_file(): Promise<void> {
    try {
      const answer = computed(await this.context.source.request("placement_file", { ...this.plans.plan }));
      download("placement.json", answer.text);
      set_text(this.said, "Written as placement.json: give it to dpm predict --placement.");
    } catch (error) {
      set_text(this.said, (error as Error).message);
    }
  }

  private refuse(sentence: string): void {
    this.answer = null;
    this.asked = "";
    this.shown_view = "";
    replace(this.element, missing(sentence));
  }
}
