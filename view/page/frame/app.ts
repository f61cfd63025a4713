// The page as a whole: header, the open view, time bar; it gives keys and pictures to the view that is open.
import { el, focus_roving, replace, roving, set_attribute, set_text } from "../dom";
import { counted, percent, seconds } from "../format";
import { visible } from "../names";
import { forget_colours } from "../draw/colours";
import { FileData } from "../source/file_source";
import { Source } from "../source/source";
import { Store } from "../state/store";
import { Context } from "./context";
import { Help } from "./help";
import { icon } from "./icons";
import { Inspector } from "./inspector";
import { Keys } from "./keys";
import { Notices } from "./notices";
import { TimeBar } from "./time_bar";
import { report_view } from "../report/report_view";
import { VIEWS } from "../views/list";
import { OpenView, View } from "../views/view";

const STATE_MS = 1000;

export class App {
  private readonly context: Context;
  private readonly views: View[];
  private readonly tabs = el("nav", { class: "tabs", role: "tablist", "aria-label": "Views" });
  private readonly main = el("main", { id: "view", tabindex: "-1" });
  private readonly title = el("h1", { class: "title" });
  private readonly state = el("span", { class: "state" });
  private readonly notices: Notices;
  private readonly inspector: Inspector;
  private readonly time_bar: TimeBar;
  private readonly help: Help;
  private open_view: { view: View; open: OpenView } | null = null;
  private stated_ms = 0;

  constructor(root: HTMLElement, source: Source, store: Store, data: FileData | null) {
    const context = (this.context = new Context(source, store));
    const report = data?.report ? report_view(data.report) : null;
    const has_trace = data === null || Boolean(data.answers?.describe);
    this.views = [...(report ? [report] : []), ...(has_trace ? VIEWS : [])];
    this.notices = new Notices(context);
    this.inspector = new Inspector(context);
    this.time_bar = new TimeBar(context);
    this.help = new Help(() => this.open_view?.view ?? this.views[0]);
    new Keys(context, this.views, this.time_bar, this.help, () => this.open_view?.open ?? null);
    replace(root, this.header(), this.notices.element, this.inspector.element, this.main, has_trace ? this.time_bar.element : null, this.help.element);
    root.classList.toggle("alone-report", this.views.length === 1);
    context.loop.live = () => context.clock.running && source.link.kind === "open";
    // Whatever the user does is answered with smooth pictures.
    for (const event of ["pointermove", "pointerdown", "wheel", "keydown"]) addEventListener(event, () => context.loop.wake(), { capture: true, passive: true });
    context.loop.add((now_ms) => this.frame(now_ms));
    store.subscribe((state, before) => {
      if (state.view !== before.view) this.show();
      if (state.theme !== before.theme || state.palette !== before.palette) this.apply_theme();
      this.update();
    });
    source.on_tick(() => this.on_tick());
    source.on_link(() => this.update());
    document.addEventListener("visibilitychange", () => document.hidden || context.ask_again());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.apply_theme());
    addEventListener("beforeprint", () => this.for_paper(true));
    addEventListener("afterprint", () => this.for_paper(false));
    this.apply_theme();
    this.show();
    if (has_trace) this.describe();
    else set_text(this.title, visible(String(data?.report?.title ?? "DPM")));
    this.update();
  }

  private header(): HTMLElement {
    roving(this.tabs, "[role=tab]");
    for (const view of this.views) {
      const tab = el("button", { role: "tab", id: "tab-" + view.id, "aria-controls": "view", title: view.purpose, onclick: () => this.context.store.change({ view: view.id }, true) }, view.title);
      this.tabs.append(tab);
    }
    const tools = el("div", { class: "tools" },
      el("button", { class: "quiet", id: "palette", title: "Colours of values: violet to red, or viridis (C)", "aria-label": "Colours of values", onclick: () => this.switch_palette() }, icon("palette")),
      el("button", { class: "quiet", id: "theme", title: "Light or dark (T)", "aria-label": "Light or dark", onclick: () => this.switch_theme() }, icon("theme")),
      el("button", { class: "quiet", id: "help", title: "Keys (?)", "aria-label": "Keys and help", onclick: () => this.help.toggle() }, "?"));
    return el("header", { class: "top" },
      el("a", { class: "skip", href: "#view", onclick: (event: Event) => (event.preventDefault(), this.main.focus()) }, "Skip to the view"),
      el("div", { class: "masthead" }, el("span", { class: "brand", "aria-hidden": "true" }, "dpm"), this.title, this.state), this.tabs, tools);
  }

  switch_theme(): void {
    const dark = getComputedStyle(document.documentElement).getPropertyValue("--dark").trim() === "1";
    this.context.store.change({ theme: dark ? "light" : "dark" });
  }

  switch_palette(): void {
    this.context.store.change({ palette: this.context.state.palette === "spectrum" ? "viridis" : "spectrum" });
  }

  private apply_theme(): void {
    const { theme } = this.context.state;
    set_attribute(document.documentElement, "data-theme", theme === "auto" ? null : theme);
    forget_colours();
    this.open_view?.open.update();
    this.context.loop.wake();
  }

  // Paper is light, whatever the screen is.
  private for_paper(begins: boolean): void {
    set_attribute(document.documentElement, "data-paper", begins ? "" : null);
    set_attribute(document.documentElement, "data-theme", begins ? "light" : this.context.state.theme === "auto" ? null : this.context.state.theme);
    forget_colours();
    this.open_view?.open.update();
    this.context.loop.draw_now();
  }

  private show(): void {
    const view = this.views.find((one) => one.id === this.context.state.view) ?? this.views[0];
    if (this.open_view?.view === view) return;
    this.open_view?.open.close();
    this.open_view = { view, open: view.open(this.context) };
    replace(this.main, this.open_view.open.element);
    this.main.className = "view-" + view.id;
    set_attribute(this.main, "aria-label", view.title);
    document.documentElement.dataset.view = view.id;
    const all = [...this.tabs.children] as HTMLElement[];
    for (const tab of all) {
      const chosen = tab.id === "tab-" + view.id;
      set_attribute(tab, "aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      if (chosen && document.activeElement?.getAttribute("role") === "tab") focus_roving(all, tab);
      if (chosen) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    this.time_bar.element.hidden = Boolean(view.timeless);
    this.update();
  }

  private async describe(): Promise<void> {
    this.context.feed({
      request: "describe", parameters: () => ({}), each_ms: 1000, is_aside: true, mark: null,
      on_answer: (answer) => {
        const { world, clock } = this.context;
        const is_new = world.take(answer);
        this.update_state();
        // A tick is newer than what was described.
        clock.report(Math.max(answer.now_s, this.context.source.tick?.now_s ?? 0), this.context.source.tick?.state ?? world.state, performance.now());
        if (!is_new) return;
        this.update();
        this.context.loop.change();
        this.context.ask_again();
      },
    });
  }

  private on_tick(): void {
    const { tick } = this.context.source;
    if (!tick) return;
    const { running } = this.context.clock;
    this.context.clock.report(tick.now_s, tick.state, performance.now());
    if (running !== this.context.clock.running) this.context.loop.change();
    this.context.age();
  }

  private update(): void {
    if (this.context.world.described) {
      set_text(this.title, visible(this.context.world.title));
      const { title, started } = this.context.world;
      set_attribute(this.title, "title", visible(title).slice(0, 400) + (started === null ? "" : `\nsince ${new Date(started * 1000).toLocaleString()}`));
      document.title = visible(this.context.world.title) + " – DPM";
    }
    this.update_state();
    this.notices.update();
    this.inspector.update();
    this.time_bar.update();
    this.open_view?.open.update();
  }

  private update_state(): void {
    this.stated_ms = performance.now();
    const { world, clock, source } = this.context;
    const running = clock.running && source.link.kind === "open";
    const state = source.link.kind === "lost" ? "not connected" : running ? "recording" : world.state === "cut off" ? "cut off" : source.link.kind === "connecting" ? "connecting" : "ended";
    const count = world.processes.length;
    const analysed = !running && world.working !== null ? ` · analysing ${percent(world.working)}` : "";
    set_text(this.state, world.described ? `${state}${analysed} · ${counted(count, "process", "processes")} · ${seconds(clock.known_s)}` : state);
    this.state.className = "state " + (running ? "recording" : source.link.kind === "lost" ? "lost" : "");
  }

  private frame(now_ms: number): void {
    // What changes at the top and at the bottom at once makes a browser without a graphics card draw all that is between.
    if (now_ms - this.stated_ms >= STATE_MS) this.update_state();
    this.time_bar.frame(now_ms);
    this.open_view?.open.frame?.(now_ms);
    this.notices.frame(now_ms);
  }
}
