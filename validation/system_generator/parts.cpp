#include "validation/system_generator/parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dpm::validation {
namespace {

// The first member needs this time, each further one some percent more: hosts bought in different years.
Json cost_by_member(Draft& draft, double scale) {
  const double first_s = draft.constant_time(scale).get<double>();
  const double more = draft.uniform(.1, .7);
  return fmt::format("${{{} * (1 + {} * (index - 1))}}", first_s, more);
}

Json work_step(Draft& draft, const BackEnds& back_ends, double scale) {
  return compute(back_ends.unequal_cost && back_ends.count > 1 ? cost_by_member(draft, scale) : cost(draft, scale));
}

Json handler_of(Draft& draft, const BackEnds& back_ends, const char* kind, double scale, double asks_store) {
  Json steps = Json::array({work_step(draft, back_ends, scale)});
  if (!back_ends.store.empty())
    steps.push_back(with_probability(call("query", back_ends.store, draft.bytes()), asks_store));
  steps.push_back(answer_step(draft, back_ends.answer));
  return on(kind, std::move(steps));
}

}  // namespace

Json cost(Draft& draft, double scale) {
  if (draft.chance(.6)) return draft.constant_time(scale);
  switch (draft.between(0, 2)) {
    case 0:
      return {{"uniform", {draft.constant_time(scale * .5), draft.constant_time(scale * 1.5)}}};
    case 1:
      return {{"choice", {draft.constant_time(scale * .5), draft.constant_time(scale * 3)}}, {"weights", {4, 1}}};
    default:
      return {{"exponential", draft.constant_time(scale)}};
  }
}

Load draw_load(Draft& draft, std::uint64_t servers) {
  const std::uint64_t clients = draft.between(2, std::min<std::uint64_t>(12, 2 + 3 * servers));
  const std::uint64_t requests = draft.between(200, 600);
  draft.say(counted(clients, "client"));
  return {clients, requests / clients + 1};
}

Json ask_step(Draft& draft, const Asked& asked) {
  const std::uint64_t reads = draft.between(50, 95);  // percent
  const Json read = call("read", asked.group, draft.bytes(), asked.pick);
  const Json write = call("write", asked.group, draft.bytes(), asked.pick);
  return choose({{reads, {read}}, {100 - reads, {write}}});
}

void add_clients(Draft& draft, const std::string& name, const Load& load, const Asked& asked) {
  add_clients_that(draft, name, load, ask_step(draft, asked));
}

void add_clients_that(Draft& draft, const std::string& name, const Load& load, Json ask) {
  Json steps = Json::array({compute(cost(draft, draft.uniform(.1, 1.5)))});
  for (auto& step : list_of(std::move(ask))) steps.push_back(std::move(step));
  draft.add(name, load.clients, {{"start", Json::array({repeat(load.requests, std::move(steps))})}});
}

Json answer_step(Draft& draft, Answer how) {
  return how == Answer::reply ? reply("answer", draft.bytes()) : send("result", "sender", draft.bytes());
}

Json back_end_program(Draft& draft, const BackEnds& back_ends) {
  const double asks_store = draft.uniform(.2, 1);
  Json handlers = Json::array();
  handlers.push_back(handler_of(draft, back_ends, "read", 1, asks_store));
  handlers.push_back(handler_of(draft, back_ends, "write", draft.uniform(1, 3), asks_store));
  return {{"on", std::move(handlers)}};
}

void add_back_ends(Draft& draft, const BackEnds& back_ends) {
  draft.add(back_ends.name, back_ends.count, back_end_program(draft, back_ends));
}

Json balancer_program(Draft& draft, const Asked& back_ends, const Json& more) {
  const Json pass_s = cost(draft, .05), finish_s = cost(draft, .05);
  Json program = more;
  program["on"] = Json::array();
  for (const char* kind : {"read", "write"})
    program["on"].push_back(on(kind, {compute(pass_s), forward(kind, back_ends.group, back_ends.pick)}));
  program["on"].push_back(on("result", {compute(finish_s), reply("answer", draft.bytes())}));
  return program;
}

void add_store_of(Draft& draft, const std::string& name, std::uint64_t count) {
  const Json query_s = cost(draft, draft.uniform(.1, .5));
  draft.add(name, count, {{"on", Json::array({on("query", {compute(query_s), reply("rows", draft.bytes())})})}});
}

std::string counted(std::uint64_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace dpm::validation
