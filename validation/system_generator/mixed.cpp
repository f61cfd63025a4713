#include <fmt/format.h>

#include <array>

#include "validation/system_generator/classes.hpp"
#include "validation/system_generator/mixed_parts.hpp"

namespace dpm::validation {
namespace {

// What a mixed system has besides its front.
struct Features {
  bool impatient = false;  // clients call with a timeout
  bool remembers = false;  // back ends remember items
  bool notes = false;      // back ends send notes to a collector
  bool classes = false;    // a second class of clients, which the gateway does not limit
};

// One or two of those that go with the front.
Features draw_features(Draft& draft, bool limited) {
  Features features;
  std::array<bool*, 4> all = {&features.impatient, &features.remembers, &features.notes, &features.classes};
  const std::uint64_t possible = limited ? 4 : 3, count = draft.between(1, 2);
  for (std::uint64_t chosen = 0; chosen < count;) {
    bool& feature = *all[draft.between(0, possible - 1)];
    if (feature) continue;
    feature = true;
    ++chosen;
  }
  return features;
}

Json back_ends_of(Draft& draft, const BackEnds& back_ends, const Features& features) {
  Json program = back_end_program(draft, back_ends);
  if (features.remembers) remember_reads(draft, program, draft.between(5, 15));
  if (features.notes)
    for (Json& handler : program["on"]) handler["do"].push_back(send("note", "collector", draft.bytes()));
  return program;
}

void add_front_clients(Draft& draft, const Features& features, std::uint64_t servers) {
  const Load load = draw_load(draft, servers);
  if (features.impatient) {
    add_impatient_clients(draft, load, {"front"}, timeout_for(draft, load.clients, servers));
  } else {
    add_clients(draft, "client", load, {"front", draft.one_of({"in_turn", "random"})});
  }
  if (!features.classes) return;
  const std::uint64_t operators = draft.between(1, 3);
  draft.say(counted(operators, "operator"));
  add_clients(draft, "operator", {operators, load.requests}, {"front"});
}

}  // namespace

// Clients, a front that balances or limits, and back ends; of these, some have what other classes are about.
void draw_mixed_system(Draft& draft) {
  draft.set_machines_differ(.5);
  const bool limited = draft.chance(.4);
  const Features features = draw_features(draft, limited);
  BackEnds back_ends;
  back_ends.count = draft.between(2, 4);
  back_ends.answer = Answer::result;
  add_front_clients(draft, features, back_ends.count);
  const std::string pick = draft.one_of({"in_turn", "least_outstanding"});
  Json limit = Json::object();
  if (limited) {
    limit["admits"] = {{"from", "client"}, {"at_most", draft.between(1, back_ends.count + 1)}};
    draft.say(
        fmt::format("a front that admits {} at a time from clients", limit["admits"]["at_most"].get<std::uint64_t>()));
  }
  draft.say(fmt::format("{}, {}", counted(back_ends.count, "back end"), pick));
  const std::uint64_t fronts = limited || draft.chance(.6) ? 1 : 2;
  draft.add("front", fronts, balancer_program(draft, {"back_end", pick}, limit));
  draft.add("back_end", back_ends.count, back_ends_of(draft, back_ends, features));
  if (features.remembers) add_slow_store(draft);
  if (features.notes) add_note_collector(draft);
}

}  // namespace dpm::validation
