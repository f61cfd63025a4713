#include <fmt/format.h>

#include "validation/system_generator/classes.hpp"
#include "validation/system_generator/parts.hpp"

namespace dpm::validation {
namespace {

// A list of addresses at each client, as with names that have several.
void add_clients_with_addresses(Draft& draft, const Load& load, const BackEnds& back_ends) {
  draft.say(fmt::format("which use {} in turn", counted(back_ends.count, "back end")));
  add_clients(draft, "client", load, {back_ends.name, "in_turn"});
  add_back_ends(draft, back_ends);
}

// One balancer or two, which hold requests open while back ends work.
void add_balanced(Draft& draft, const Load& load, BackEnds back_ends) {
  const std::uint64_t balancers = draft.chance(.3) ? 2 : 1;
  draft.say(fmt::format("{} over {}, in turn", counted(balancers, "balancer"), counted(back_ends.count, "back end")));
  add_clients(draft, "client", load, {"balancer", draft.one_of({"in_turn", "random"})});
  draft.add("balancer", balancers, balancer_program(draft, {back_ends.name, "in_turn"}));
  back_ends.answer = Answer::result;
  add_back_ends(draft, back_ends);
}

// Front ends do a part of the work, and wait for the back end that they ask.
void add_front_ends_that_wait(Draft& draft, const Load& load, const BackEnds& back_ends) {
  const std::uint64_t front_ends = draft.between(2, 4);
  draft.say(fmt::format("{} in turn, which wait for {} in turn", counted(front_ends, "front end"),
                        counted(back_ends.count, "back end")));
  add_clients(draft, "client", load, {"front_end", "in_turn"});
  Json handlers = Json::array();
  for (const char* kind : {"read", "write"}) {
    const Json before = compute(cost(draft, .3)), ask = call(kind, back_ends.name, draft.bytes(), "in_turn");
    const Json after = compute(cost(draft, .2));
    handlers.push_back(on(kind, {before, ask, after, answer_step(draft, Answer::reply)}));
  }
  draft.add("front_end", front_ends, {{"on", std::move(handlers)}});
  add_back_ends(draft, back_ends);
}

}  // namespace

void draw_turns(Draft& draft) {
  BackEnds back_ends;
  back_ends.count = draft.between(2, 5);
  back_ends.unequal_cost = draft.chance(.4);
  if (draft.chance(.4)) back_ends.store = "store";
  draft.set_machines_differ(back_ends.unequal_cost ? .3 : .8);
  const Load load = draw_load(draft, back_ends.count);
  switch (draft.between(0, 2)) {
    case 0:
      add_clients_with_addresses(draft, load, back_ends);
      break;
    case 1:
      add_balanced(draft, load, back_ends);
      break;
    default:
      add_front_ends_that_wait(draft, load, back_ends);
  }
  if (back_ends.unequal_cost) draft.say("of unequal cost");
  if (back_ends.store.empty()) return;
  draft.say("which ask a store");
  add_store_of(draft, back_ends.store);
}

}  // namespace dpm::validation
