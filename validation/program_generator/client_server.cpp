#include <fmt/format.h>

#include "validation/program_generator/families.hpp"

namespace dpm::validation {
namespace {

// Something more expensive every few messages: a log that is written, a table that is cleaned.
Json costlier_now_and_then(Draft& draft, std::uint64_t every) {
  return if_at_least("seen", every, {set("seen", 0), compute(draft.time(4))}, {add_one("seen")});
}

void add_plain_servers(Draft& draft, std::uint64_t count) {
  Json read = {compute(draft.time(1))};
  if (draft.chance(.3)) {
    const std::uint64_t every = draft.between(4, 12);
    draft.say(fmt::format("something costlier every {} requests", every));
    read.push_back(costlier_now_and_then(draft, every));
  }
  read.push_back(reply("answer", draft.bytes()));
  draft.add("server", count,
            {{"variables", {{"seen", 0}}},
             {"on", {on("read", std::move(read)), on("write", {compute(draft.time(2)), reply("answer", 32)})}}});
}

void add_store(Draft& draft) {
  draft.add("store", 1, {{"on", {on("query", {compute(draft.time(1)), reply("rows", draft.bytes())})}}});
}

// They wait for the store, and meanwhile for no other process.
void add_asking_servers(Draft& draft, std::uint64_t count) {
  const std::uint64_t percent = draft.between(20, 100);
  draft.say("which ask a store");
  const Json ask = choose(
      {{percent, {call("query", "store", draft.bytes()), compute(draft.time(.3))}}, {100 - percent, Json::array()}});
  const Json write = call("query", "store", draft.bytes());
  draft.add("server", count,
            {{"on",
              {on("read", {compute(draft.time(.7)), ask, reply("answer", draft.bytes())}),
               on("write", {compute(draft.time(.4)), write, reply("answer", 32)})}}});
  add_store(draft);
}

// They pass requests on, and serve others until the result is in.
void add_passing_servers(Draft& draft, std::uint64_t count) {
  const std::uint64_t replicas = draft.between(1, 4);
  const std::string pick = draft.one_of({"random", "in_turn"});
  draft.say(fmt::format("which pass requests on to {} replicas, {}", replicas, pick));
  const auto pass = [&](const char* kind) {
    return on(kind, {compute(draft.time(.2)), forward(kind, "replica", pick)});
  };
  draft.add(
      "server", count,
      {{"on", {pass("read"), pass("write"), on("result", {compute(draft.time(.1)), reply("answer", draft.bytes())})}}});
  const auto work = [&](const char* kind, double scale) {
    return on(kind, {compute(draft.time(scale)), send("result", "sender", draft.bytes())});
  };
  draft.add("replica", replicas, {{"on", {work("read", 1.5), work("write", 2.5)}}});
}

void add_clients(Draft& draft, const std::string& name, std::uint64_t count) {
  const std::uint64_t requests = draft.between(80, 250);
  const std::uint64_t percent = draft.between(50, 100);  // that only read
  const Json ask = choose(
      {{percent, {call("read", "server", draft.bytes())}}, {100 - percent, {call("write", "server", draft.bytes())}}});
  draft.add(name, count, {{"start", {repeat(requests, {compute(draft.time(draft.uniform(.3, 5))), ask})}}});
}

}  // namespace

void draw_client_server(Draft& draft) {
  const std::uint64_t clients = draft.between(2, 8), servers = draft.between(1, 3);
  draft.say(std::to_string(clients) + " clients");
  add_clients(draft, "client", clients);
  if (draft.chance(.3)) {
    draft.say("2 of another kind");
    add_clients(draft, "visitor", 2);
  }
  draft.say(std::to_string(servers) + " servers");
  switch (draft.between(0, 2)) {
    case 0:
      return add_plain_servers(draft, servers);
    case 1:
      return add_asking_servers(draft, servers);
    default:
      return add_passing_servers(draft, servers);
  }
}

}  // namespace dpm::validation
