#include <fmt/format.h>

#include "validation/system_generator/classes.hpp"
#include "validation/system_generator/mixed_parts.hpp"

namespace dpm::validation {
namespace {

struct Collector {
  std::string item, to;
  std::uint64_t at_most = 1;  // items in a batch
  double work = .1;           // for each item
};

Json flush_steps(Draft& draft, const Collector& collector) {
  const Json write = compute(cost(draft, .2));
  return if_at_least("held", 1, {write, set("held", 0), send("batch", collector.to, draft.bytes(), "in_turn")});
}

// Items are held until a batch is full, or none has come for some time.
Json collector_program(Draft& draft, const Collector& collector, const Json& flush) {
  const Json item = compute(cost(draft, collector.work));
  const double timer_s = timeout(draft, draft.uniform(3, 12), .02);
  draft.say(fmt::format("batches of {}, or after {} s", collector.at_most, timer_s));
  return {
      {"variables", {{"held", 0}}},
      {"on", Json::array({on(collector.item, {item, add_one("held"), if_at_least("held", collector.at_most, flush)})})},
      {"idle", {{"timeout_s", timer_s}, {"do", Json::array({flush})}}}};
}

// Sources -> collectors -> indexers: logs that are shipped. At its end a source waits until all is written.
void add_shipping(Draft& draft) {
  const std::uint64_t sources = draft.between(2, 8), collectors = draft.between(1, 3), indexers = draft.between(1, 2);
  const std::uint64_t items = draft.between(300, 1200) / sources, samples = draft.chance(.4) ? draft.between(2, 5) : 1;
  draft.say(fmt::format("{}, {}, {}", counted(sources, "source"), counted(collectors, "collector"),
                        counted(indexers, "indexer")));
  if (samples > 1) draft.say(fmt::format("an item is {} samples", samples));
  const Json sample = repeat(samples, compute(cost(draft, draft.uniform(.5, 2) / static_cast<double>(samples))));
  const std::string pick = draft.one_of({"in_turn", "random"});
  const Json item = send("item", "collector", draft.bytes(), pick);
  draft.add("source", sources, {{"start", {repeat(items, {sample, item}), call("close", "collector", 16, "all")}}});
  const Collector collector{"item", "indexer", draft.between(4, 25), .1};
  const Json flush = flush_steps(draft, collector);
  Json program = collector_program(draft, collector, flush);
  program["on"].push_back(on("close", {flush, call("sync", "indexer", 16, "all"), reply("closed", 16)}));
  draft.add("collector", collectors, std::move(program));
  const double by_item = draft.uniform(.05, .4) * static_cast<double>(collector.at_most);
  const Json index = compute(cost(draft, .5 + by_item)), sync = compute(draft.constant_time(.05));
  draft.add("indexer", indexers, {{"on", {on("batch", index), on("sync", {sync, reply("synced", 16)})}}});
}

std::string of(const char* variable, std::uint64_t client) { return fmt::format("{}_{}", variable, client); }

Json variables_of(std::uint64_t clients, std::initializer_list<const char*> names) {
  Json variables = Json::object();
  for (const char* name : names)
    for (std::uint64_t c = 1; c <= clients; ++c) variables[of(name, c)] = 0;
  return variables;
}

// Clients that send, and wait for what comes back later.
void add_waiting_clients(Draft& draft, const std::string& name, const Load& load, const Json& ask,
                         const std::string& answer) {
  const Json think = compute(cost(draft, draft.uniform(.2, 2)));
  draft.add(name, load.clients, {{"start", Json::array({repeat(load.requests, {think, ask, wait(answer, "any")})})}});
}

// One write to the disk commits the transactions of several writers.
void add_group_commit(Draft& draft) {
  Load load = draw_load(draft, 3);
  const std::uint64_t enough = draft.between(2, load.clients);
  const double timer_s = timeout(draft, draft.uniform(.3, 2), .005);
  draft.say(fmt::format("commits of {}, or after {} s", enough, timer_s));
  const Json ask = send("write", "log", draft.bytes());
  add_waiting_clients(draft, "writer", load, ask, "written");
  Json flush = Json::array({compute(cost(draft, draft.uniform(.8, 2.5))), set("held", 0)});
  for (std::uint64_t c = 1; c <= load.clients; ++c) {
    const std::string writer = member("writer", c, load.clients);
    flush.push_back(if_at_least(of("waits", c), 1, {set(of("waits", c), 0), send("written", writer, 24)}));
  }
  const Json append = compute(cost(draft, .1));
  Json handlers = Json::array();
  for (std::uint64_t c = 1; c <= load.clients; ++c)
    handlers.push_back(on_from("write", member("writer", c, load.clients),
                               {append, set(of("waits", c), 1), add_one("held"), if_at_least("held", enough, flush)}));
  Json variables = variables_of(load.clients, {"waits"});
  variables["held"] = 0;
  draft.add("log", 1,
            {{"variables", std::move(variables)},
             {"on", std::move(handlers)},
             {"idle", {{"timeout_s", timer_s}, {"do", Json::array({if_at_least("held", 1, flush)})}}}});
  draft.add("reporter", 1,  // reads what is written, while others write
            {{"start", Json::array({repeat(load.requests, {compute(cost(draft, 2)), call("report", "reader", 32)})})}});
  draft.add("reader", 1,
            {{"on", Json::array({on("report", {compute(cost(draft, 1)), answer_step(draft, Answer::reply)})})}});
}

// Gives the worker all that waits. A full batch takes it longer.
Json begin_batch(Draft& draft, std::uint64_t clients, std::uint64_t full) {
  Json steps = Json::array({set("busy", 1)});
  for (std::uint64_t c = 1; c <= clients; ++c)
    steps.push_back(if_at_least(of("waits", c), 1, {set(of("waits", c), 0), set(of("served", c), 1)}));
  const Json large = send("large", "worker", draft.bytes()), small = send("small", "worker", draft.bytes());
  steps.push_back(if_at_least("held", full, large, small));
  steps.push_back(set("held", 0));
  return steps;
}

// A model that is asked for several clients at a time; while it works, the next batch collects.
void add_dynamic_batches(Draft& draft) {
  Load load = draw_load(draft, 3);
  const std::uint64_t full = draft.between(2, load.clients);
  const double timer_s = timeout(draft, draft.uniform(.3, 2), .005);
  draft.say(fmt::format("a model is asked for {} at a time, or after {} s", full, timer_s));
  const Json ask = send("ask", "front", draft.bytes());
  add_waiting_clients(draft, "client", load, ask, "answer");
  const Json begin = begin_batch(draft, load.clients, full), take = compute(cost(draft, .1));
  const Json finish = compute(cost(draft, .1)), bytes = draft.bytes();
  const Json begin_if_free = if_at_least("busy", 1, Json::array(), begin);
  Json handlers = Json::array(), done = Json::array({finish, set("busy", 0)});
  for (std::uint64_t c = 1; c <= load.clients; ++c) {
    const std::string client = member("client", c, load.clients);
    handlers.push_back(on_from(
        "ask", client, {take, set(of("waits", c), 1), add_one("held"), if_at_least("held", full, begin_if_free)}));
    done.push_back(if_at_least(of("served", c), 1, {set(of("served", c), 0), send("answer", client, bytes)}));
  }
  done.push_back(if_at_least("held", 1, begin));
  handlers.push_back(on("done", std::move(done)));
  Json variables = variables_of(load.clients, {"waits", "served"});
  variables["held"] = 0;
  variables["busy"] = 0;
  draft.add("front", 1,
            {{"variables", std::move(variables)},
             {"on", std::move(handlers)},
             {"idle", {{"timeout_s", timer_s}, {"do", Json::array({if_at_least("held", 1, begin_if_free)})}}}});
  const Json small = compute(cost(draft, 1)), large = compute(cost(draft, 2));
  draft.add("worker", 1,
            {{"on",
              {on("small", {small, send("done", "front", draft.bytes())}),
               on("large", {large, send("done", "front", draft.bytes())})}}});
}

}  // namespace

void add_note_collector(Draft& draft) {
  const Collector collector{"note", "archive", draft.between(4, 25), .05};
  draft.say("notes collected");
  const Json flush = flush_steps(draft, collector);
  draft.add("collector", 1, collector_program(draft, collector, flush));
  const Json write = compute(cost(draft, draft.uniform(.5, 2)));
  draft.add("archive", 1, {{"on", Json::array({on("batch", write)})}});
}

void draw_batches(Draft& draft) {
  draft.set_machines_differ(.4);
  switch (draft.between(0, 2)) {
    case 0:
      return add_shipping(draft);
    case 1:
      return add_group_commit(draft);
    default:
      return add_dynamic_batches(draft);
  }
}

}  // namespace dpm::validation
