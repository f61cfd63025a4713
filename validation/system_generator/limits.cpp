#include <fmt/format.h>

#include <algorithm>

#include "validation/system_generator/classes.hpp"
#include "validation/system_generator/parts.hpp"

namespace dpm::validation {
namespace {

Json admitting(const std::string& from, std::uint64_t at_most) {
  return {{"admits", {{"from", from}, {"at_most", at_most}}}};
}

// The queue of a server that can refuse: what has no room gets the answer "busy".
void bound_queue(Draft& draft, Json& program, Json refusal) {
  const std::uint64_t at_most = draft.between(0, 3);
  const bool oldest = draft.chance(.3);
  draft.say(fmt::format("at most {} waiting, the {} is refused", at_most, oldest ? "oldest" : "newest"));
  program["queue"] = {{"at_most", at_most}, {"drop_oldest", oldest}, {"do", list_of(std::move(refusal))}};
}

std::uint64_t fewer_than(Draft& draft, std::uint64_t clients) {
  return draft.between(1, std::max<std::uint64_t>(1, clients - 1));
}

// A gateway with a limit of requests in progress, as haproxy's maxconn.
void add_gateway(Draft& draft, const Load& load, BackEnds back_ends) {
  const std::uint64_t at_most = fewer_than(draft, load.clients);
  const std::string pick = draft.one_of({"in_turn", "random"});
  draft.say(fmt::format("a gateway admits {}, {}, {}", at_most, counted(back_ends.count, "back end"), pick));
  add_clients(draft, "client", load, {"gateway"});
  draft.add("gateway", 1, balancer_program(draft, {"back_end", pick}, admitting("client", at_most)));
  back_ends.answer = Answer::result;
  add_back_ends(draft, back_ends);
}

// Clients see that a server is busy, and try the next one once or twice.
void add_clients_that_retry(Draft& draft, const Load& load, const std::string& servers) {
  const std::uint64_t retries = draft.between(1, 2);
  draft.say(fmt::format("{} when busy", retries == 1 ? "one retry" : "two retries"));
  const std::string pick = draft.one_of({"in_turn", "random"});
  const Json ask = send("read", servers, draft.bytes(), pick);
  const Json look = compute(draft.constant_time(.05));
  const Json attempt =
      Json::array({set("open", 0), ask, wait_for_any({"answer", "busy"}), look, if_kind("busy", set("open", 1))});
  const Json another = repeat(retries, if_at_least("open", 1, attempt));
  Json steps = Json::array({compute(cost(draft, draft.uniform(.1, 1.5)))});
  for (const Json& step : attempt) steps.push_back(step);
  steps.push_back(another);
  draft.add("client", load.clients,
            {{"variables", {{"open", 0}}}, {"start", Json::array({repeat(load.requests, std::move(steps))})}});
}

void add_servers_that_refuse(Draft& draft, const Load& load, const BackEnds& back_ends) {
  draft.say(counted(back_ends.count, "server"));
  add_clients_that_retry(draft, load, "server");
  Json steps = Json::array({compute(cost(draft, 1))});
  if (!back_ends.store.empty()) steps.push_back(call("query", back_ends.store, draft.bytes()));
  steps.push_back(send("answer", "sender", draft.bytes()));
  Json program = {{"on", Json::array({on("read", std::move(steps))})}};
  bound_queue(draft, program, send("busy", "sender", 20));
  draft.add("server", back_ends.count, std::move(program));
}

// The gateway's limit is larger than what the back ends take, so they refuse some requests; the gateway reports that.
void add_gateway_and_refusing_back_ends(Draft& draft, const Load& load, BackEnds back_ends) {
  const std::uint64_t at_most = fewer_than(draft, load.clients);
  draft.say(fmt::format("a gateway admits {}, {} in turn", at_most, counted(back_ends.count, "back end")));
  add_clients(draft, "client", load, {"gateway"});
  Json gateway = balancer_program(draft, {"back_end", "in_turn"}, admitting("client", at_most));
  gateway["on"].push_back(on("refused", {compute(draft.constant_time(.03)), reply("busy", 20)}));
  draft.add("gateway", 1, std::move(gateway));
  back_ends.answer = Answer::result;
  Json program = back_end_program(draft, back_ends);
  bound_queue(draft, program, send("refused", "sender", 20));
  draft.add("back_end", back_ends.count, std::move(program));
}

// A limit of requests at the gateways, and a smaller one of queries at the application: a pool of connections.
void add_two_tiers(Draft& draft, const Load& load, BackEnds back_ends) {
  const std::uint64_t gateways = draft.between(1, 2), applications = draft.between(1, 2);
  const std::uint64_t at_most = fewer_than(draft, load.clients), pool = draft.between(1, 3);
  draft.say(fmt::format("{} in turn admit {}, {} a pool of {}", counted(gateways, "gateway"), at_most,
                        counted(applications, "application"), pool));
  add_clients(draft, "client", load, {"gateway", "in_turn"});
  draft.add("gateway", gateways, balancer_program(draft, {"application", "in_turn"}, admitting("client", at_most)));
  Json application = admitting("gateway", pool);
  application["on"] = Json::array();
  for (const char* kind : {"read", "write"})
    application["on"].push_back(on(kind, {compute(cost(draft, .3)), forward(kind, "back_end", "in_turn")}));
  const Json finish = compute(cost(draft, .2));
  application["on"].push_back(on("result", {finish, send("result", "gateway", draft.bytes(), "requester")}));
  draft.add("application", applications, std::move(application));
  back_ends.answer = Answer::result;
  add_back_ends(draft, back_ends);
}

}  // namespace

void draw_limits(Draft& draft) {
  BackEnds back_ends;
  back_ends.count = draft.between(1, 4);
  draft.set_machines_differ(.4);
  const std::uint64_t variant = draft.between(0, 3);
  if (draft.chance(.4)) back_ends.store = "store";
  const Load load = draw_load(draft, back_ends.count + 1);
  switch (variant) {
    case 0:
      add_gateway(draft, load, back_ends);
      break;
    case 1:
      add_servers_that_refuse(draft, load, back_ends);
      break;
    case 2:
      add_gateway_and_refusing_back_ends(draft, load, back_ends);
      break;
    default:
      add_two_tiers(draft, load, back_ends);
  }
  if (back_ends.store.empty()) return;
  draft.say("which ask a store");
  add_store_of(draft, back_ends.store);
}

}  // namespace dpm::validation
