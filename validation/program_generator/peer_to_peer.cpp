#include <fmt/format.h>

#include "validation/program_generator/families.hpp"

namespace dpm::validation {
namespace {

std::string peer(std::uint64_t number) { return "peer" + std::to_string(number); }

// Every peer begins some rumours; each goes a number of ways, or ends on the way, and its end is reported to a counter.
void draw_rumours(Draft& draft) {
  const std::uint64_t peers = draft.between(3, 8), begun = draft.between(30, 100), ways = draft.between(3, 8);
  const std::uint64_t dies = draft.chance(.5) ? 0 : draft.between(5, 30);  // percent, each way
  draft.say(fmt::format("{} peers spread rumours {} ways", peers, ways));
  const auto kind = [](std::uint64_t way) { return "rumour" + std::to_string(way); };
  Json handlers = Json::array();
  for (std::uint64_t way = 1; way <= ways; ++way) {
    Json steps = {compute(draft.time(1))};
    if (way == ways) {
      steps.push_back(forward("over", "counter"));
    } else {
      steps.push_back(choose({{100 - dies, {forward(kind(way + 1), "peer")}}, {dies, {forward("over", "counter")}}}));
    }
    handlers.push_back(on(kind(way), std::move(steps)));
  }
  draft.add("peer", peers,
            {{"start", {repeat(begun, {compute(draft.time(1)), send(kind(1), "peer", draft.bytes())})}},
             {"on", std::move(handlers)}});
  draft.add("counter", 1,
            {{"variables", {{"over", 0}}},
             {"on", {on("over", {add_one("over"), if_at_least("over", peers * begun, {stop()})})}}});
}

// Rounds: every process computes, sends to its neighbours, and waits for their messages: from each by name, or from
// any.
void draw_exchange(Draft& draft) {
  const std::uint64_t peers = draft.between(3, 9), rounds = draft.between(60, 250);
  const bool by_name = draft.chance(.5);
  draft.say(fmt::format("{} neighbours on a ring exchange, waiting for {}", peers, by_name ? "each" : "any"));
  for (std::uint64_t p = 0; p < peers; ++p) {
    const std::string left = peer((p + peers - 1) % peers), right = peer((p + 1) % peers);
    Json round = {compute(draft.time(draft.uniform(.5, 1.5))), send("border", left, draft.bytes()),
                  send("border", right, draft.bytes())};
    if (by_name) {
      round.push_back(wait("border", left));
      round.push_back(compute(draft.time(.2)));
      round.push_back(wait("border", right));
    } else {
      round.push_back(wait("border", "any", 2));
    }
    draft.add(peer(p), 1, {{"start", {repeat(rounds, std::move(round))}}});
  }
}

// Every peer has a user who looks things up; the question wanders from peer to peer until one knows, and answers the
// user.
void draw_lookups(Draft& draft) {
  const std::uint64_t peers = draft.between(3, 7), lookups = draft.between(60, 200);
  const std::uint64_t known = draft.between(30, 70);  // percent
  draft.say(std::to_string(peers) + " peers, whose users look things up");
  const auto query_of = [](std::uint64_t p) { return "query" + std::to_string(p); };
  const auto user = [](std::uint64_t p) { return "user" + std::to_string(p); };
  Json handlers = Json::array();
  for (std::uint64_t p = 1; p <= peers; ++p) {
    const Json wander =
        choose({{known, {send("answer", user(p), draft.bytes())}}, {100 - known, {forward(query_of(p), "peer")}}});
    handlers.push_back(on(query_of(p), {compute(draft.time(1)), wander}));
    const Json ask = send(query_of(p), member("peer", p, peers), draft.bytes());
    const Json think = compute(draft.time(draft.uniform(1, 6)));
    draft.add(user(p), 1, {{"start", {repeat(lookups, {think, ask, wait("answer", "peer")})}}});
  }
  draft.add("peer", peers, {{"on", std::move(handlers)}});
}

// Tokens go round; a process that has one works.
void draw_ring(Draft& draft) {
  const std::uint64_t peers = draft.between(3, 8), tokens = draft.between(1, 6), rounds = draft.between(40, 150);
  draft.say(fmt::format("{} tokens on a ring of {}", tokens, peers));
  for (std::uint64_t p = 0; p < peers; ++p) {
    const std::string next = peer((p + 1) % peers);
    Json program;
    if (p == 0) {
      program = {
          {"variables", {{"back", 0}}},
          {"start", {repeat(tokens, {send("token", next, draft.bytes())})}},
          {"on",
           {on("token", {compute(draft.time(1)), add_one("back"),
                         if_at_least("back", tokens * (rounds - 1) + 1,
                                     {if_at_least("back", tokens * rounds, {stop()})}, {forward("token", next)})})}}};
    } else {
      program = {{"on", {on("token", {compute(draft.time(1)), forward("token", next)})}}};
    }
    draft.add(peer(p), 1, std::move(program));
  }
}

}  // namespace

void draw_peer_to_peer(Draft& draft) {
  switch (draft.between(0, 3)) {
    case 0:
      return draw_rumours(draft);
    case 1:
      return draw_exchange(draft);
    case 2:
      return draw_lookups(draft);
    default:
      return draw_ring(draft);
  }
}

}  // namespace dpm::validation
