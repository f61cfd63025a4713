#include <fmt/format.h>

#include <utility>
#include <vector>

#include "validation/system_generator/classes.hpp"
#include "validation/system_generator/mixed_parts.hpp"

namespace dpm::validation {
namespace {

std::string item(std::uint64_t number) { return fmt::format("item_{}", number); }
std::string have(std::uint64_t number) { return fmt::format("have_{}", number); }

Json nothing_remembered(std::uint64_t items) {
  Json variables = Json::object();
  for (std::uint64_t i = 1; i <= items; ++i) variables[have(i)] = 0;
  return variables;
}

// An entry is used up after some hits, as entries with a time to live are; or it lasts.
Json use_entry(std::uint64_t number, std::uint64_t uses) {
  if (uses == 0) return Json::array();
  const Json again = {{"count", have(number)}, {"by", -1}};
  return Json::array({again});
}

std::uint64_t draw_uses(Draft& draft) {
  const std::uint64_t uses = draft.chance(.6) ? draft.between(3, 15) : 0;
  draft.say(uses == 0 ? "entries last" : fmt::format("entries last for {} hits", uses));
  return uses;
}

// Misses do not block: the cache serves others until the store has filled the entry. Some ask for an item that is
// already being asked for.
void add_caches_that_go_on(Draft& draft, std::uint64_t count, std::uint64_t items) {
  const std::uint64_t uses = draw_uses(draft);
  const Json hit = compute(cost(draft, .1)), miss = compute(cost(draft, .1)), fill = compute(cost(draft, .15));
  const Json found = answer_step(draft, Answer::reply), filled = answer_step(draft, Answer::reply);
  Json handlers = Json::array(), of_store = Json::array();
  const Json work = compute(cost(draft, draft.uniform(.7, 1.5)));
  for (std::uint64_t i = 1; i <= items; ++i) {
    Json known = Json::array({hit, found});
    for (const Json& step : use_entry(i, uses)) known.push_back(step);
    const std::string fetch = fmt::format("fetch_{}", i), fill_kind = fmt::format("fill_{}", i);
    const Json unknown = Json::array({miss, forward(fetch, "store")});
    handlers.push_back(on(item(i), if_at_least(have(i), 1, known, unknown)));
    handlers.push_back(on(fill_kind, {fill, set(have(i), uses == 0 ? 1 : uses), filled}));
    of_store.push_back(on(fetch, {work, send(fill_kind, "sender", draft.bytes())}));
  }
  draft.add("cache", count, {{"variables", nothing_remembered(items)}, {"on", std::move(handlers)}});
  draft.add("store", 1, {{"on", std::move(of_store)}});
}

// Writers change an item in the store, and then all caches forget it.
void add_writers(Draft& draft, std::uint64_t items) {
  const std::uint64_t writers = draft.between(1, 2), writes = draft.between(20, 60);
  draft.say(counted(writers, "writer"));
  std::vector<std::pair<std::uint64_t, Json>> branches;
  const Json bytes = draft.bytes();
  for (std::uint64_t i = 1; i <= items; ++i)
    branches.emplace_back(60 / i, Json::array({send(fmt::format("drop_{}", i), "cache", 24, "all")}));
  const Json think = compute(cost(draft, draft.uniform(3, 8)));
  draft.add("writer", writers,
            {{"start", Json::array({repeat(writes, {think, call("query", "store", bytes), choose(branches)})})}});
}

void add_dropping(Json& cache, std::uint64_t items, const Json& drop) {
  for (std::uint64_t i = 1; i <= items; ++i)
    cache["on"].push_back(on(fmt::format("drop_{}", i), {drop, set(have(i), 0)}));
}

// The entry, or the store's answer, which becomes the entry after the steps of `keep`.
Json look_up(std::uint64_t number, std::uint64_t uses, const Json& bytes, const Json& keep) {
  Json ask = Json::array({call("query", "store", bytes)});
  for (const Json& step : keep) ask.push_back(step);
  ask.push_back(set(have(number), uses == 0 ? 1 : uses));
  return if_at_least(have(number), 1, use_entry(number, uses), std::move(ask));
}

Json cache_program(Draft& draft, std::uint64_t items) {
  const std::uint64_t uses = draw_uses(draft);
  const Json hit = compute(cost(draft, .1)), miss = compute(cost(draft, .15)), query = draft.bytes();
  const Json answer = answer_step(draft, Answer::reply);
  Json handlers = Json::array();
  for (std::uint64_t i = 1; i <= items; ++i)
    handlers.push_back(on(item(i), {hit, look_up(i, uses, query, Json::array({miss})), answer}));
  return {{"variables", nothing_remembered(items)}, {"on", std::move(handlers)}};
}

// What clients ask: "item_1" most of all.
Json ask_for_item(Draft& draft, const Asked& caches, std::uint64_t items) {
  std::vector<std::pair<std::uint64_t, Json>> branches;
  const Json bytes = draft.bytes();
  for (std::uint64_t i = 1; i <= items; ++i) {
    Json ask = call(item(i), caches.group, bytes, caches.pick);
    if (caches.pick == "by_key") ask = by_key(std::move(ask), i);
    branches.emplace_back(60 / i, Json::array({std::move(ask)}));
  }
  return choose(branches);
}

}  // namespace

void add_slow_store(Draft& draft) {
  const Json query_s = cost(draft, draft.uniform(.7, 1.5));
  draft.add("store", 1, {{"on", Json::array({on("query", {compute(query_s), reply("rows", draft.bytes())})})}});
}

void remember_reads(Draft& draft, Json& back_ends, std::uint64_t items) {
  draft.say(fmt::format("which remember {} items", items));
  const std::uint64_t uses = draw_uses(draft);
  const Json query = draft.bytes();
  std::vector<std::pair<std::uint64_t, Json>> branches;
  for (std::uint64_t i = 1; i <= items; ++i)
    branches.emplace_back(60 / i, Json::array({look_up(i, uses, query, Json::array())}));
  back_ends["variables"] = nothing_remembered(items);
  Json& steps = back_ends["on"][0]["do"];
  steps.insert(steps.begin(), choose(branches));
}

void draw_caches(Draft& draft) {
  const std::uint64_t caches = draft.between(1, 4), items = draft.between(6, 20);
  draft.set_machines_differ(.4);
  const Load load = draw_load(draft, caches + 1);
  const std::string pick = draft.one_of({"in_turn", "random", "by_key"});
  draft.say(fmt::format("{} of {} items, {}", counted(caches, "cache"), items, pick));
  add_clients_that(draft, "client", load, ask_for_item(draft, {"cache", pick}, items));
  switch (draft.between(0, 2)) {
    case 0:
      draft.add("cache", caches, cache_program(draft, items));
      return add_slow_store(draft);
    case 1:
      draft.say("which go on during misses");
      return add_caches_that_go_on(draft, caches, items);
    default: {
      Json cache = cache_program(draft, items);
      add_dropping(cache, items, compute(draft.constant_time(.03)));
      draft.add("cache", caches, std::move(cache));
      add_slow_store(draft);
      add_writers(draft, items);
    }
  }
}

}  // namespace dpm::validation
