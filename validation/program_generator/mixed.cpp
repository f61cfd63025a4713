#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "validation/program_generator/families.hpp"
#include "validation/program_generator/parts.hpp"

namespace dpm::validation {
namespace {

void add_askers(Draft& draft) {
  const std::uint64_t count = draft.between(1, 4), requests = draft.between(100, 300);
  draft.say(std::to_string(count) + " clients of the store");
  draft.add("client", count,
            {{"start", {repeat(requests, {compute(draft.time(1)), call("query", "store", draft.bytes())})}}});
}

// source -> check, which asks the store -> note, which ends when it has noted everything.
void add_asking_pipeline(Draft& draft) {
  const std::uint64_t items = draft.between(150, 400), checks = draft.between(1, 3);
  const std::string pick = draft.one_of({"random", "in_turn"});
  draft.say(fmt::format("a pipeline that asks the store, {} at once", checks));
  draft.add("source", 1,
            {{"start", {repeat(items, {compute(draft.time(.5)), send("item", "check", draft.bytes(), pick)})}}});
  draft.add("check", checks,
            {{"on",
              {on("item", {compute(draft.time(.3)), call("query", "store", draft.bytes()), compute(draft.time(.2)),
                           send("checked", "note", draft.bytes())})}}});
  draft.add(
      "note", 1,
      {{"variables", {{"noted", 0}}},
       {"on", {on("checked", {compute(draft.time(.3)), add_one("noted"), if_at_least("noted", items, {stop()})})}}});
}

void add_working_group(Draft& draft) { add_dispatcher_and_workers(draft, "dispatcher", "worker", "store"); }

// Processes that share only their machines with the others.
void add_neighbours(Draft& draft) {
  const std::uint64_t count = draft.between(2, 4), rounds = draft.between(60, 200);
  draft.say(std::to_string(count) + " that exchange among themselves");
  draft.add("neighbour", count,
            {{"start",
              {repeat(rounds, {compute(draft.time(1)), send("border", "neighbour", draft.bytes(), "all"),
                               wait("border", "neighbour", count - 1)})}}});
}

}  // namespace

void draw_mixed(Draft& draft) {
  std::array parts = {add_askers, add_asking_pipeline, add_working_group, add_neighbours};
  for (std::size_t left = parts.size(); left > 1; --left) std::swap(parts[left - 1], parts[draft.between(0, left - 1)]);
  // One of any two that are not neighbours asks the store.
  const std::uint64_t count = draft.between(2, 3);
  for (std::size_t i = 0; i < count; ++i) parts[i](draft);
  add_asked_store(draft, "store");
}

}  // namespace dpm::validation
