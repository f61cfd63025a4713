#include <fmt/format.h>

#include "validation/program_generator/families.hpp"

namespace dpm::validation {
namespace {

std::string stage(std::uint64_t number) { return "stage" + std::to_string(number); }

// What a stage does with an item before it passes it on.
Json work(Draft& draft, double scale) {
  if (draft.chance(.7)) return Json::array({compute(draft.time(scale))});
  return Json::array({choose({{4, {compute(draft.time(scale * .6))}}, {1, {compute(draft.time(scale * 3))}}})});
}

Json passing(Draft& draft, const char* kind, double scale, const std::string& next, const std::string& pick,
             std::uint64_t dropped) {
  Json steps = work(draft, scale);
  if (dropped > 0) {
    steps.push_back(choose({{dropped, {forward("nothing", "sink")}}, {100 - dropped, {forward(kind, next, pick)}}}));
  } else {
    steps.push_back(forward(kind, next, pick));
  }
  return on(kind, std::move(steps));
}

}  // namespace

// source -> stage1 -> ... -> sink, which ends the run when it has counted everything. A stage reports what it leaves
// out to the sink, which would otherwise wait without end.
void draw_pipeline(Draft& draft) {
  const std::uint64_t stages = draft.between(2, 5), sources = draft.between(1, 3), items = draft.between(150, 500);
  const bool window = sources == 1 && draft.chance(.3);
  draft.say(fmt::format("{} sources, {} stages", sources, stages));
  const std::uint64_t large = draft.between(0, 50);  // percent
  const Json item = choose(
      {{100 - large, {send("small", stage(1), draft.bytes())}}, {large, {send("large", stage(1), draft.bytes())}}});
  const Json make = compute(draft.time(draft.uniform(.3, 1.2)));
  if (window) {
    const std::uint64_t in_flight = draft.between(2, 6);
    draft.say("a window of " + std::to_string(in_flight));
    draft.add("source", 1,
              {{"start",
                {repeat(in_flight, {make, item}), repeat(items, {wait("credit", "sink"), make, item}),
                 wait("credit", "sink", in_flight)}}});
    draft.add("sink", 1,
              {{"variables", {{"items", 0}}},
               {"on",
                {on("any", {compute(draft.constant_time(.1)), send("credit", "source", 16), add_one("items"),
                            if_at_least("items", items + in_flight, {stop()})})}}});
  } else {
    draft.add("source", sources, {{"start", {repeat(items, {make, item})}}});
    draft.add(
        "sink", 1,
        {{"variables", {{"items", 0}}},
         {"on",
          {on("any", {compute(draft.time(.3)), add_one("items"), if_at_least("items", items * sources, {stop()})})}}});
  }
  for (std::uint64_t s = 1; s <= stages; ++s) {
    const std::uint64_t replicas = draft.chance(.3) ? draft.between(2, 3) : 1;
    const std::string next = s == stages ? "sink" : stage(s + 1), pick = draft.one_of({"random", "in_turn"});
    const double scale = draft.uniform(.3, 1.3);
    const std::uint64_t dropped = draft.chance(.25) ? draft.between(10, 40) : 0;  // percent
    if (replicas > 1) draft.say(fmt::format("{} {} times", stage(s), replicas));
    if (dropped > 0) draft.say(fmt::format("{} leaves out {} %", stage(s), dropped));
    draft.add(stage(s), replicas,
              {{"on",
                {passing(draft, "small", scale, next, pick, dropped),
                 passing(draft, "large", scale * 2, next, pick, dropped)}}});
  }
}

}  // namespace dpm::validation
