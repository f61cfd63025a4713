#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "validation/system_generator/classes.hpp"
#include "validation/system_generator/mixed_parts.hpp"
#include "validation/system_generator/parts.hpp"

namespace dpm::validation {
namespace {

// Most requests take the usual time, and a few take much longer: a pause of a garbage collector, a slow disk.
Json stalling(Draft& draft, double scale, double timeout_s) {
  const std::uint64_t usual = draft.between(12, 40);
  return {{"choice", {draft.constant_time(scale), timeout(draft, 0, timeout_s * draft.uniform(.7, 2))}},
          {"weights", {usual, 1}}};
}

// Servers that stall now and then, asked by clients that try again.
void add_retries(Draft& draft) {
  const std::uint64_t servers = draft.between(2, 4);
  const Load load = draw_load(draft, servers);
  const double timeout_s = timeout_for(draft, load.clients, servers);
  const std::string pick = draft.one_of({"in_turn", "random"});
  add_impatient_clients(draft, load, {"server", pick}, timeout_s);
  draft.say(fmt::format("{}, {}", counted(servers, "server"), pick));
  const bool asks = draft.chance(.4);
  Json read = Json::array({compute(asks ? cost(draft, 1) : stalling(draft, 1, timeout_s))});
  if (asks) {
    draft.say("which ask a store");
    read.push_back(call("query", "store", draft.bytes()));
    const Json query_s = stalling(draft, .3, timeout_s);
    draft.add("store", 1, {{"on", Json::array({on("query", {compute(query_s), reply("rows", draft.bytes())})})}});
  }
  read.push_back(answer_step(draft, Answer::reply));
  const Json write = compute(cost(draft, 1.5));
  draft.add("server", servers,
            {{"on", {on("read", std::move(read)), on("write", {write, answer_step(draft, Answer::reply)})}}});
}

// A search asks all shards and answers with what is there in time. Parts that come later are discarded.
void add_partial_answers(Draft& draft) {
  const std::uint64_t shards = draft.between(3, 5), searches = draft.between(1, 2);
  const Load load = draw_load(draft, 1);
  const double timeout_s = timeout_for(draft, load.clients, searches);
  draft.say(fmt::format("{} ask {} and merge what comes in {} s", counted(searches, "searcher"),
                        counted(shards, "shard"), timeout_s));
  const Json ask = ask_step(draft, {"search", "in_turn"});
  add_clients_that(draft, "client", {load.clients, load.requests / 2 + 1}, ask);
  const Json begin = compute(cost(draft, .1)), find = send("find", "shard", draft.bytes(), "all");
  const Json parts = within(wait("part", "shard", shards), timeout_s, add_one("partial"));
  const Json merge = compute(cost(draft, .2)), store = compute(cost(draft, .4));
  draft.add("search", searches,
            {{"variables", {{"partial", 0}}},
             {"on",
              {on("read", {begin, find, parts, merge, answer_step(draft, Answer::reply)}),
               on("write", {store, send("keep", "shard", draft.bytes()), reply("answer", 32)})}}});
  const Json find_s = stalling(draft, .8, timeout_s), keep = compute(cost(draft, 1));
  draft.add("shard", shards,
            {{"on", {on("find", {compute(find_s), send("part", "sender", draft.bytes())}), on("keep", keep)}}});
}

// Front ends ask a slow service for something that they can do without.
void add_defaults(Draft& draft) {
  const std::uint64_t front_ends = draft.between(2, 4);
  const Load load = draw_load(draft, front_ends);
  const double timeout_s = timeout_for(draft, front_ends, 1);
  draft.say(fmt::format("{} give up advice after {} s", counted(front_ends, "front end"), timeout_s));
  add_clients(draft, "client", load, {"front_end", draft.one_of({"in_turn", "random"})});
  const Json ask = call("advice", "adviser", draft.bytes());
  const Json before = compute(cost(draft, .5)), after = compute(cost(draft, .2));
  const Json instead = compute(cost(draft, .1)), write = compute(cost(draft, 1));
  draft.add("front_end", front_ends,
            {{"on",
              {on("read", {before, within(ask, timeout_s, instead), after, answer_step(draft, Answer::reply)}),
               on("write", {write, reply("answer", 32)})}}});
  const Json advice_s = stalling(draft, .6, timeout_s);
  const std::uint64_t advisers = draft.chance(.4) ? 2 : 1;
  draft.add("adviser", advisers,
            {{"on", Json::array({on("advice", {compute(advice_s), reply("advice", draft.bytes())})})}});
}

}  // namespace

double timeout(Draft& draft, double scale, double at_least_s) {
  const double seconds = scale > 0 ? draft.constant_time(scale).get<double>() + at_least_s : at_least_s;
  return std::max(1e-4, std::round(seconds * 1e4) / 1e4);
}

// What the requests of all clients before one's own take, once or some times over, and a round trip in a slow network.
double timeout_for(Draft& draft, std::uint64_t clients, std::uint64_t servers) {
  const double load = static_cast<double>(clients) / static_cast<double>(servers);
  const double requests = load * draft.uniform(1.2, 4) + 2;
  return timeout(draft, requests, draft.uniform(.06, .12));
}

void add_impatient_clients(Draft& draft, const Load& load, const Asked& asked, double timeout_s) {
  const std::uint64_t retries = draft.between(0, 3);
  const bool waits = retries > 0 && draft.chance(.3);
  draft.say(fmt::format("which wait {} s, {}{}", timeout_s,
                        retries == 0 ? "then give up" : fmt::format("at most {} more", counted(retries, "time")),
                        waits ? " after a pause" : ""));
  Json again = Json::array({set("open", 1)});
  if (waits) again.push_back(pause(timeout(draft, draft.uniform(.5, 3), .01)));
  const auto attempt = [&](const char* kind) {
    const Json ask = call(kind, asked.group, draft.bytes(), asked.pick);
    const Json once = Json::array({set("open", 0), within(ask, timeout_s, again)});
    return if_at_least("open", 1, once);
  };
  const auto request = [&](const char* kind) {
    return Json::array({set("open", 1), repeat(retries + 1, attempt(kind)), if_at_least("open", 1, add_one("lost"))});
  };
  const std::uint64_t reads = draft.between(60, 95);  // percent
  const Json read = request("read"), write = request("write");
  const Json ask = choose({{reads, read}, {100 - reads, write}});
  const Json think = compute(cost(draft, draft.uniform(.1, 1.5)));
  draft.add("client", load.clients,
            {{"variables", {{"open", 0}, {"lost", 0}}}, {"start", Json::array({repeat(load.requests, {think, ask})})}});
}

void draw_timeouts(Draft& draft) {
  draft.set_machines_differ(.4);
  switch (draft.between(0, 2)) {
    case 0:
      return add_retries(draft);
    case 1:
      return add_partial_answers(draft);
    default:
      return add_defaults(draft);
  }
}

}  // namespace dpm::validation
