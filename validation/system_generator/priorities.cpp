#include <fmt/format.h>

#include "validation/system_generator/classes.hpp"
#include "validation/system_generator/parts.hpp"

namespace dpm::validation {
namespace {

constexpr double kLook_s = 1e-6;  // the shortest wait that still takes what is there

struct TwoClasses {
  Load urgent, ordinary;
};

TwoClasses draw_two_classes(Draft& draft) {
  const std::uint64_t urgent = draft.between(1, 4), ordinary = draft.between(3, 8), requests = draft.between(250, 600);
  draft.say(fmt::format("{} urgent and {} ordinary clients", urgent, ordinary));
  const std::uint64_t each = requests / (urgent + ordinary) + 1;
  return {{urgent, each}, {ordinary, each}};
}

// The urgent ones do something else most of the time; the ordinary ones are a backlog.
double think_of(Draft& draft, bool urgent) { return urgent ? draft.uniform(1, 4) : draft.uniform(.1, .6); }

// Clients that tell each server when they leave: the servers have no other end.
void add_leaving_clients(Draft& draft, const std::string& name, const std::string& kind, const Load& load,
                         const Asked& servers) {
  const Json think = compute(cost(draft, think_of(draft, kind == "urgent")));
  const Json ask = call(kind, servers.group, draft.bytes(), servers.pick);
  draft.add(name, load.clients,
            {{"start", {repeat(load.requests, {think, ask}), send("bye", servers.group, 16, "all")}}});
}

// Servers that look for an urgent request before they take any.
void add_servers_that_look(Draft& draft) {
  const TwoClasses classes = draw_two_classes(draft);
  const Asked servers{"server", draft.one_of({"in_turn", "random"})};
  const std::uint64_t count = draft.between(1, 3);
  const bool asks = draft.chance(.4);
  draft.say(fmt::format("{} that take the urgent first{}", counted(count, "server"), asks ? ", and ask a store" : ""));
  add_leaving_clients(draft, "operator", "urgent", classes.urgent, servers);
  add_leaving_clients(draft, "visitor", "ordinary", classes.ordinary, servers);
  const auto serve = [&](double scale) {
    Json steps = Json::array({compute(cost(draft, scale))});
    if (asks) steps.push_back(call("query", "store", draft.bytes()));
    steps.push_back(answer_step(draft, Answer::reply));
    return steps;
  };
  const Json urgent = serve(.6), ordinary = serve(draft.uniform(.8, 2));
  const std::uint64_t clients = classes.urgent.clients + classes.ordinary.clients;
  const Json bye = Json::array({add_one("gone"), if_at_least("gone", clients, stop())});
  const Json next = within(wait("urgent", "any"), kLook_s, wait_for_any({"urgent", "ordinary", "bye"}));
  const Json serve_one = if_kind("urgent", urgent, if_kind("ordinary", ordinary, bye));
  draft.add("server", count,
            {{"variables", {{"gone", 0}}}, {"start", Json::array({repeat(1'000'000, {next, serve_one})})}});
  if (asks) add_store_of(draft, "store");
}

// A gateway that holds ordinary requests back while a number of them is in progress, and urgent ones never.
void add_reserved_capacity(Draft& draft) {
  const TwoClasses classes = draw_two_classes(draft);
  const std::uint64_t at_most = draft.between(1, 3);
  BackEnds back_ends;
  back_ends.count = draft.between(2, 4);
  back_ends.answer = Answer::result;
  if (draft.chance(.4)) back_ends.store = "store";
  const std::string pick = draft.one_of({"in_turn", "random", "least_outstanding"});
  draft.say(
      fmt::format("a gateway admits {} of the ordinary, {}, {}", at_most, counted(back_ends.count, "back end"), pick));
  for (const bool urgent : {true, false}) {
    const Json think = compute(cost(draft, think_of(draft, urgent)));
    const Json ask = ask_step(draft, {"gateway"});
    const Load& load = urgent ? classes.urgent : classes.ordinary;
    draft.add(urgent ? "operator" : "visitor", load.clients,
              {{"start", Json::array({repeat(load.requests, {think, ask})})}});
  }
  const Json limit = {{"admits", {{"from", "visitor"}, {"at_most", at_most}}}};
  draft.add("gateway", 1, balancer_program(draft, {"back_end", pick}, limit));
  add_back_ends(draft, back_ends);
  if (back_ends.store.empty()) return;
  draft.say("which ask a store");
  add_store_of(draft, back_ends.store);
}

struct Customer {
  std::string name, kind, waits, served;
};

std::vector<Customer> customers_of(const TwoClasses& classes) {
  std::vector<Customer> customers;
  const auto add = [&](const std::string& group, const char* kind, std::uint64_t count) {
    for (std::uint64_t c = 1; c <= count; ++c)
      customers.push_back(
          {member(group, c, count), kind, fmt::format("{}_{}_waits", kind, c), fmt::format("{}_{}_served", kind, c)});
  };
  add("operator", "urgent", classes.urgent.clients);
  add("visitor", "ordinary", classes.ordinary.clients);
  return customers;
}

// Gives the worker the first request in the order of the customers, if there is one.
Json give_next(Draft& draft, const std::vector<Customer>& customers) {
  const Json bytes = draft.bytes();
  Json steps = Json::array({set("busy", 0)});
  for (const Customer& customer : customers) {
    const Json give = Json::array({set("busy", 1), set(customer.waits, 0), set(customer.served, 1),
                                   send(customer.kind + "_task", "worker", bytes)});
    steps.push_back(if_at_least("busy", 1, Json::array(), if_at_least(customer.waits, 1, give)));
  }
  return steps;
}

// A scheduler before one worker, such as a disk or a printer, which has one request at a time.
void add_scheduler(Draft& draft) {
  const TwoClasses classes = draw_two_classes(draft);
  draft.say("a scheduler gives a worker the urgent first");
  const Json urgent_ask = send("urgent", "scheduler", draft.bytes());
  const Json ordinary_ask = send("ordinary", "scheduler", draft.bytes());
  for (const bool urgent : {true, false}) {
    const Json think = compute(cost(draft, think_of(draft, urgent)));
    const Load& load = urgent ? classes.urgent : classes.ordinary;
    const Json& ask = urgent ? urgent_ask : ordinary_ask;
    draft.add(urgent ? "operator" : "visitor", load.clients,
              {{"start", Json::array({repeat(load.requests, {think, ask, wait("answer", "any")})})}});
  }
  const std::vector<Customer> customers = customers_of(classes);
  const Json next = give_next(draft, customers), take = compute(cost(draft, .1)), bytes = draft.bytes();
  Json variables = {{"busy", 0}};
  Json handlers = Json::array(), done = Json::array({compute(cost(draft, .1))});
  for (const Customer& customer : customers) {
    variables[customer.waits] = 0;
    variables[customer.served] = 0;
    const Json begin = if_at_least("busy", 1, Json::array(), next);
    handlers.push_back(on_from(customer.kind, customer.name, {take, set(customer.waits, 1), begin}));
    done.push_back(if_at_least(customer.served, 1, {set(customer.served, 0), send("answer", customer.name, bytes)}));
  }
  for (const Json& step : next) done.push_back(step);
  handlers.push_back(on("done", std::move(done)));
  draft.add("scheduler", 1, {{"variables", std::move(variables)}, {"on", std::move(handlers)}});
  const Json urgent_s = cost(draft, .6), ordinary_s = cost(draft, draft.uniform(.8, 2));
  draft.add("worker", 1,
            {{"on",
              {on("urgent_task", {compute(urgent_s), send("done", "scheduler", draft.bytes())}),
               on("ordinary_task", {compute(ordinary_s), send("done", "scheduler", draft.bytes())})}}});
}

}  // namespace

void draw_priorities(Draft& draft) {
  draft.set_machines_differ(.4);
  switch (draft.between(0, 2)) {
    case 0:
      return add_servers_that_look(draft);
    case 1:
      return add_reserved_capacity(draft);
    default:
      return add_scheduler(draft);
  }
}

}  // namespace dpm::validation
