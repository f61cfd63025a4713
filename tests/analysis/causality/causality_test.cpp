#include "analysis/causality/causality.hpp"

#include <map>
#include <random>

#include "tests/analysis/causality/history_by_hand.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using dpm::testing::Story;

namespace {

std::map<std::string, std::uint64_t> as_map(const std::vector<CausalPath>& paths) {
  std::map<std::string, std::uint64_t> map;
  for (const auto& path : paths) map[path.path] = path.count;
  return map;
}

using Counts = std::map<std::string, std::uint64_t>;

// Thesis figure 5.7: two requests, one answered with B's help, one with B's and C's.
Story figure_5_7() {
  Story story({"a", "b", "c", "user"}, 3);
  for (const bool deep : {false, true}) {
    story.message("user", "a");
    story.message("a", "b");
    if (deep) {
      story.message("b", "c");
      story.message("c", "b");
    }
    story.message("b", "a");
    story.message("a", "user");
  }
  return story;
}

}  // namespace

TEST_CASE("causality: figure 5.7 gives ABA and ABCBA", "[causality]") {
  const auto causality = find_causality(figure_5_7().build()).value();
  CHECK(as_map(causality.strings) == Counts{{"ABA", 1}, {"ABCBA", 1}});
  CHECK(as_map(causality.paths) == Counts{{"AB", 2},
                                          {"BA", 2},
                                          {"ABA", 1},
                                          {"BC", 1},
                                          {"CB", 1},
                                          {"ABC", 1},
                                          {"BCB", 1},
                                          {"CBA", 1},
                                          {"ABCB", 1},
                                          {"BCBA", 1},
                                          {"ABCBA", 1}});
  CHECK(causality.requests == 2);
  CHECK(causality.messages_outside_requests == 0);

  const ProcessId a{0}, b{1}, c{2}, users{};
  CHECK(causality.count(a, users, b) == 2);
  CHECK(causality.count(b, a, a) == 1);
  CHECK(causality.count(b, a, c) == 1);
  CHECK(causality.count(b, c, a) == 1);
  CHECK(causality.count(a, b, users) == 2);
  CHECK(causality.count(c, a, b) == 0);
  for (const auto& branch : causality.branching) {
    if (branch.at == b && branch.from == a) CHECK(branch.probability == Approx(0.5));
  }
}

TEST_CASE("causality: several sends after one receive fork the string, each send is counted once", "[causality]") {
  Story story({"a", "b", "c", "user"}, 3);
  story.message("user", "a");
  story.send("a", "b");
  story.send("a", "c");
  story.receive("b", "a");
  story.receive("c", "a");
  story.message("b", "c");
  const auto causality = find_causality(story.build()).value();
  CHECK(as_map(causality.strings) == Counts{{"ABC", 1}, {"AC", 1}});
  CHECK(causality.count(ProcessId{0}, {}, ProcessId{1}) == 1);
}

TEST_CASE("causality: messages to and from system processes are ignored", "[causality]") {
  Story story({"a", "b", "disk", "user"}, 2);
  story.message("user", "a");
  story.message("a", "b");
  story.message("b", "disk");
  story.message("disk", "b");  // does not end what the receive from a caused
  story.message("b", "a");
  story.message("a", "user");
  const auto history = story.build();
  const auto causality = find_causality(history).value();
  CHECK(causality.roles[2] == CausalityRole::system);
  CHECK(causality.roles[3] == CausalityRole::requestor);
  CHECK(as_map(causality.strings) == Counts{{"ABA", 1}});
}

TEST_CASE("causality: a reply from another process than was asked leaves a customer a customer", "[causality]") {
  Story story({"a", "b", "user", "disk"}, 2);
  story.message("user", "a");
  story.message("a", "b");
  story.message("b", "user");  // b never received from the user, but was caused by it through a
  story.message("b", "disk");
  story.message("disk", "a");  // a never sent to the disk
  const auto causality = find_causality(story.build()).value();
  CHECK(causality.roles[2] == CausalityRole::requestor);
  CHECK(causality.roles[3] == CausalityRole::system);
}

TEST_CASE("causality: a device that announces itself is not a requestor", "[causality]") {
  Story story({"a", "user", "disk"}, 1);
  story.message("disk", "a");  // it is there
  for (int i = 0; i < 2; ++i) {
    story.message("user", "a");
    story.message("a", "disk");
    story.message("disk", "a");
    story.message("a", "user");
  }
  History history = story.build();
  CHECK(find_causality(history).value().roles[2] == CausalityRole::requestor);
  history.info.machines.push_back({.name = "disk", .accepts = false});
  history.info.processes[2].machine = MachineId{1};
  const auto causality = find_causality(history).value();
  CHECK(causality.roles[1] == CausalityRole::requestor);
  CHECK(causality.roles[2] == CausalityRole::system);
  CHECK(as_map(causality.strings) == Counts{{"A", 2}});
  CausalityOptions options;
  options.roles.requestors = {"disk"};
  CHECK(find_causality(history, options).value().roles[2] == CausalityRole::requestor);
}

TEST_CASE("causality: roles can be given, also to a process of the computation", "[causality]") {
  Story story({"client", "server", "helper"}, 3);
  for (int i = 0; i < 2; ++i) {
    story.message("client", "server");
    story.message("server", "helper");
    story.message("helper", "server");
    story.message("server", "client");
  }
  const auto history = story.build();
  CHECK_FALSE(find_causality(history).has_value());
  CausalityOptions options;
  options.roles.requestors = {"client"};
  CHECK(as_map(find_causality(history, options).value().strings) == Counts{{"SHS", 2}});
  options.roles.systems = {"helper"};
  CHECK(as_map(find_causality(history, options).value().strings) == Counts{{"S", 2}});
  options.roles.systems = {"client"};
  CHECK_FALSE(find_causality(history, options).has_value());
  options.roles.systems = {"helpr"};
  CHECK(find_causality(history, options).error().what == "no process 'helpr' in the trace (did you mean 'helper'?)");
}

TEST_CASE("causality: a chain that never returns is cut and counted, its steps are all counted", "[causality]") {
  Story story({"a", "b", "user"}, 2);
  story.message("user", "a");
  for (int i = 0; i < 50; ++i) {
    story.message("a", "b");
    story.message("b", "a");
  }
  CausalityOptions options;
  options.string_length_max = 6;
  const auto causality = find_causality(story.build(), options).value();
  CHECK(as_map(causality.strings) == Counts{{"ABABAB", 1}});
  CHECK(causality.strings_cut == 1);
  CHECK(causality.count(ProcessId{1}, ProcessId{0}, ProcessId{0}) == 50);
  REQUIRE(causality.warnings.size() == 1);
}

TEST_CASE("causality: what does not fit into the lists is counted", "[causality]") {
  CausalityOptions options;
  options.strings_max = 1;
  options.paths_max = 2;
  const auto causality = find_causality(figure_5_7().build(), options).value();
  CHECK(causality.strings.size() == 1);
  CHECK(causality.strings_not_stored == 1);
  CHECK(causality.paths.size() == 2);
  CHECK(causality.paths_not_stored == 1);  // ABA of the only string stored
}

TEST_CASE("causality: messages that follow no request are reported", "[causality]") {
  Story story({"a", "b", "user"}, 2);
  story.message("b", "a");
  story.message("user", "a");
  const auto causality = find_causality(story.build()).value();
  CHECK(causality.messages_outside_requests == 1);
  CHECK(as_map(causality.strings) == Counts{{"A", 1}});
}

namespace {

// The definition, word by word: recursion over indices, strings of letters.
struct Slow {
  const History& history;
  std::map<std::string, std::uint64_t> strings;
  std::map<std::string, std::uint64_t> triples;

  void follow(std::uint32_t receive, std::uint32_t process, std::string path) {
    path += static_cast<char>('A' + process);
    bool leaf = true;
    for (auto at = receive + 1; at < history.first_event[process + 1]; ++at) {
      const auto& event = history.events[at];
      if (event.kind() == HistoryKind::receive) break;
      if (event.match == kNoEvent) continue;
      leaf = false;
      follow(event.match, event.peer, path);
    }
    if (leaf) ++strings[path];
  }

  std::map<std::string, std::uint64_t> substrings() const {
    std::map<std::string, std::uint64_t> counts;
    for (const auto& [string, count] : strings) {
      for (std::size_t b = 0; b < string.size(); ++b) {
        for (std::size_t l = 2; b + l <= string.size(); ++l) counts[string.substr(b, l)] += count;
      }
    }
    return counts;
  }
};

}  // namespace

TEST_CASE("causality: the fast walk against the definition on random histories", "[causality]") {
  std::mt19937 random(17);
  const std::vector<std::string> names = {"a", "b", "c", "d", "user"};
  for (int round = 0; round < 200; ++round) {
    Story story(names, 4);
    std::vector<std::pair<std::size_t, std::size_t>> under_way;
    for (int i = 0; i < 40; ++i) {
      if (random() % 5 == 0) {
        story.message("user", names[random() % 4]);
      } else if (under_way.empty() || random() % 2 == 0) {
        const std::size_t from = random() % 4, to = random() % 5;
        story.send(names[from], names[to]);
        if (to < 4) under_way.emplace_back(from, to);
      } else {
        const auto chosen = under_way.begin() + static_cast<std::ptrdiff_t>(random() % under_way.size());
        story.receive(names[chosen->second], names[chosen->first]);
        under_way.erase(chosen);
      }
    }
    story.message("user", "a");
    const auto history = story.build();
    CausalityOptions options;
    options.roles.requestors = {"user"};
    const auto causality = find_causality(history, options).value();

    Slow slow{history, {}, {}};
    std::uint64_t requests = 0;
    for (std::uint32_t p = 0; p < 4; ++p) {
      for (auto at = history.first_event[p]; at < history.first_event[p + 1]; ++at) {
        if (history.events[at].kind() != HistoryKind::receive || history.events[at].peer != 4) continue;
        ++requests;
        slow.follow(at, p, "");
      }
    }
    REQUIRE(causality.requests == requests);
    REQUIRE(as_map(causality.strings) == slow.strings);
    REQUIRE(as_map(causality.paths) == slow.substrings());
  }
}
