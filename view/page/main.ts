// Starts the page: with the data that is in it, or with the server that sent it.
import { App } from "./frame/app";
import { el } from "./dom";
import { FileData, FileSource } from "./source/file_source";
import { ServerSource } from "./source/server_source";
import { Store } from "./state/store";

function start(): void {
  const root = document.getElementById("page")!;
  const data = JSON.parse(document.getElementById("data")?.textContent || "null") as FileData | null;
  if (data === null && !location.protocol.startsWith("http")) {
    root.append(el("p", { class: "alone" }, "This page shows the data of a server. Start “dpm serve TRACE” and open the address that it prints."));
    return;
  }
  const address = new URL("socket", location.href.split("#")[0]);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const source = data === null ? new ServerSource(address.href, location.href.split("#")[0]) : new FileSource(data);
  new App(root, source, new Store(), data);
}

start();
