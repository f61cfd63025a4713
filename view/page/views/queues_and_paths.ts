// Where requests wait, and which ways they take: queues, the state diagram, the most common paths, one request step by step.
import { Context } from "../frame/context";
import { OpenView, View } from "./view";
import { Paths } from "./paths";
import { Queues } from "./queues";
import { RequestDiagram } from "./request_diagram";
import { el } from "../dom";

export const queues_and_paths: View = {
  id: "queues", title: "Queues & paths", purpose: "Where requests wait, and which ways they take", timeless: true,
  open: (context) => new QueuesAndPaths(context),
};

class QueuesAndPaths implements OpenView {
  readonly element: HTMLElement;
  private readonly queues: Queues;
  private readonly paths: Paths;
  private readonly request: RequestDiagram;

  constructor(context: Context) {
    this.queues = new Queues(context);
    this.request = new RequestDiagram(context);
    this.paths = new Paths(context, (count) => this.request.set_count(count));
    this.element = el("div", { class: "queues-and-paths" }, this.queues.element, this.paths.element, this.request.element);
  }

  update(): void {
    this.queues.update();
    this.paths.update();
    this.request.update();
  }

  close(): void {
    this.queues.close();
    this.paths.close();
    this.request.close();
  }
}
