#include <fmt/format.h>

#include "validation/system_generator/classes.hpp"
#include "validation/system_generator/parts.hpp"

namespace dpm::validation {
namespace {

// A few keys get most of the requests.
Json skewed_key(Draft& draft) {
  const std::uint64_t keys = draft.between(6, 20);
  Json numbers = Json::array(), weights = Json::array();
  for (std::uint64_t key = 0; key < keys; ++key) {
    numbers.push_back(key);
    weights.push_back(60 / (key + 1));
  }
  return {{"choice", std::move(numbers)}, {"weights", std::move(weights)}};
}

void add_least_busy(Draft& draft, const Load& load, BackEnds back_ends) {
  const std::uint64_t balancers = draft.chance(.3) ? 2 : 1;
  draft.say(
      fmt::format("{} over {}, the least busy", counted(balancers, "balancer"), counted(back_ends.count, "back end")));
  add_clients(draft, "client", load, {"balancer"});
  draft.add("balancer", balancers, balancer_program(draft, {back_ends.name, "least_outstanding"}));
  back_ends.answer = Answer::result;
  add_back_ends(draft, back_ends);
}

// Clients know which shard has a key. A write may be copied to another shard.
void add_clients_of_shards(Draft& draft, const Load& load, const BackEnds& back_ends) {
  draft.say(fmt::format("{} by key", counted(back_ends.count, "shard")));
  const Json key = skewed_key(draft);
  const std::uint64_t reads = draft.between(50, 95);  // percent
  const Json read = by_key(call("read", "shard", draft.bytes()), key);
  const Json write = by_key(call("write", "shard", draft.bytes()), key);
  add_clients_that(draft, "client", load, choose({{reads, {read}}, {100 - reads, {write}}}));
  BackEnds shards = back_ends;
  shards.name = "shard";
  Json program = back_end_program(draft, shards);
  if (draft.chance(.5)) {
    draft.say("with copies of writes");
    program["on"][1]["do"].push_back(send("copy", "shard", draft.bytes()));
    program["on"].push_back(on("copy", compute(cost(draft, .4))));
  }
  draft.add("shard", shards.count, std::move(program));
}

// The least busy application server waits for the shard that has the key.
void add_least_busy_over_shards(Draft& draft, const Load& load, const BackEnds& back_ends) {
  const std::uint64_t shards = draft.between(2, 4);
  draft.say(fmt::format("the least busy of {} asks {} by key", counted(back_ends.count, "application"),
                        counted(shards, "shard")));
  const Json key = skewed_key(draft);
  add_clients(draft, "client", load, {"balancer"});
  draft.add("balancer", 1, balancer_program(draft, {"application", "least_outstanding"}));
  Json handlers = Json::array();
  for (const char* kind : {"read", "write"}) {
    const Json before = compute(cost(draft, .4)), ask = by_key(call("query", "shard", draft.bytes()), key);
    const Json after = compute(cost(draft, .3));
    handlers.push_back(on(kind, {before, ask, after, answer_step(draft, Answer::result)}));
  }
  draft.add("application", back_ends.count, {{"on", std::move(handlers)}});
  add_store_of(draft, "shard", shards);
}

}  // namespace

void draw_least_busy(Draft& draft) {
  BackEnds back_ends;
  back_ends.count = draft.between(2, 5);
  back_ends.unequal_cost = draft.chance(.4);
  draft.set_machines_differ(.5);
  const Load load = draw_load(draft, back_ends.count);
  switch (draft.between(0, 2)) {
    case 0:
      if (draft.chance(.3)) back_ends.store = "store";
      add_least_busy(draft, load, back_ends);
      break;
    case 1:
      return add_clients_of_shards(draft, load, back_ends);
    default:
      return add_least_busy_over_shards(draft, load, back_ends);
  }
  if (back_ends.unequal_cost) draft.say("of unequal cost");
  if (back_ends.store.empty()) return;
  draft.say("which ask a store");
  add_store_of(draft, back_ends.store);
}

}  // namespace dpm::validation
