#include <fmt/format.h>

#include <algorithm>

#include "validation/program_generator/families.hpp"
#include "validation/program_generator/parts.hpp"

namespace dpm::validation {
namespace {

// The next task, whose cost depends on its kind: the dispatcher draws the kinds.
Json next_task(Draft& draft) {
  return choose({{3, {send("small", "sender", draft.bytes())}}, {2, {send("large", "sender", draft.bytes())}}});
}

std::string numbered(const std::string& name, std::uint64_t number, std::uint64_t count) {
  return count == 1 ? name : name + std::to_string(number);
}

Json doing(Draft& draft, const char* kind, double scale, bool exact, const std::string& asked) {
  Json steps = {compute(exact ? draft.constant_time(scale) : draft.time(scale))};
  if (!asked.empty()) steps.push_back(with_probability(call("query", asked, draft.bytes()), .4));
  steps.push_back(send("result", "sender", draft.bytes()));
  return on(kind, std::move(steps));
}

// `levels` times, `tasks` for free workers; a level begins when the one before has come back.
Json pushing_dispatcher(Draft& draft, const std::string& workers, std::uint64_t worker_count, std::uint64_t prefetch,
                        std::uint64_t tasks, std::uint64_t levels) {
  const std::uint64_t first = worker_count * prefetch;
  const Json begin = repeat(prefetch, {send("small", workers, draft.bytes(), "all")});
  Json next_level = {set("done", 0), set("given", first), compute(draft.time(1)), begin};
  if (levels == 1) next_level = Json::array({stop()});
  const Json finished = {add_one("level"), if_at_least("level", levels, {stop()}, std::move(next_level))};
  const Json when_all_given = if_at_least("done", tasks, finished);
  const Json result = {compute(draft.time(draft.uniform(.02, .3))), add_one("done"),
                       if_at_least("given", tasks, {when_all_given}, {add_one("given"), next_task(draft)})};
  return {{"variables", {{"done", 0}, {"given", first}, {"level", 0}}},
          {"per_request", false},
          {"start", {compute(draft.time(1)), begin}},
          {"on", {on("result", result)}}};
}

// Workers ask first; a worker that asks when nothing is left gets no answer.
Json fetched_dispatcher(Draft& draft, std::uint64_t worker_count, std::uint64_t tasks) {
  const Json result = {
      compute(draft.time(draft.uniform(.02, .3))), add_one("asked"),
      if_at_least("asked", tasks + 1, {if_at_least("asked", tasks + worker_count, {stop()})}, {next_task(draft)})};
  return {{"variables", {{"asked", 0}}}, {"per_request", false}, {"on", {on("result", result)}}};
}

// Every worker gets one, and every worker's result is waited for.
Json synchronous_dispatcher(Draft& draft, const std::string& workers, std::uint64_t worker_count,
                            std::uint64_t rounds) {
  return {{"start",
           {repeat(rounds, {compute(draft.time(.5)), send("small", workers, draft.bytes(), "all"),
                            wait("result", workers, worker_count)})}}};
}

}  // namespace

void add_dispatcher_and_workers(Draft& draft, const std::string& name, const std::string& workers,
                                const std::string& asked) {
  const std::uint64_t count = draft.between(2, 8);
  const bool exact = draft.chance(.5);
  draft.say(fmt::format("{} workers, {}", count, exact ? "tasks of two sizes" : "tasks of any size"));
  Json start = Json::array();
  switch (draft.between(0, 3)) {
    case 0: {
      const std::uint64_t prefetch = draft.between(1, 2), tasks = count * prefetch + draft.between(300, 1000);
      draft.say(fmt::format("one bag, {} ahead", prefetch));
      draft.add(name, 1, pushing_dispatcher(draft, workers, count, prefetch, tasks, 1));
      break;
    }
    case 1: {
      const std::uint64_t levels = draft.between(10, 30), tasks = count + draft.between(10, 60);
      draft.say(std::to_string(levels) + " levels");
      draft.add(name, 1, pushing_dispatcher(draft, workers, count, 1, tasks, levels));
      break;
    }
    case 2: {
      draft.say("tasks are fetched");
      draft.add(name, 1, fetched_dispatcher(draft, count, draft.between(300, 1000)));
      start.push_back(send("result", name, 16));
      break;
    }
    default: {
      draft.say("in step");
      draft.add(name, 1, synchronous_dispatcher(draft, workers, count, draft.between(60, 200)));
      break;
    }
  }
  Json worker = {{"on", {doing(draft, "small", 1, exact, asked), doing(draft, "large", 3, exact, asked)}}};
  if (!start.empty()) worker["start"] = std::move(start);
  draft.add(workers, count, std::move(worker));
}

void add_asked_store(Draft& draft, const std::string& name) {
  draft.say("that ask a store");
  draft.add(name, 1, {{"on", {on("query", {compute(draft.time(.3)), reply("rows", draft.bytes())})}}});
}

void draw_dispatcher_worker(Draft& draft) {
  const std::uint64_t dispatchers = draft.chance(.2) ? 2 : 1;
  const std::string store = draft.chance(.25) ? "store" : "";
  for (std::uint64_t d = 1; d <= dispatchers; ++d)
    add_dispatcher_and_workers(draft, numbered("dispatcher", d, dispatchers), numbered("worker", d, dispatchers),
                               store);
  if (!store.empty()) add_asked_store(draft, store);
}

}  // namespace dpm::validation
