#include "filter/scripts/event_evaluator.hpp"

#include <map>
#include <random>
#include <string>
#include <vector>

#include "analysis/vector_clocks/running_clocks.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

constexpr const char* kPrimitives =
    "process p from prog\n"
    "event a is integer_assign on a at *.p.f\n"
    "event b is integer_assign on b at *.p.f\n"
    "event c is integer_assign on c at *.p.f\n"
    "event d is integer_assign on d at *.p.f\n";

// Events of processes, as a test tells them.
class Story {
 public:
  explicit Story(const std::string& when)
      : script_(parse_event_script("s", kPrimitives + when).value()),
        evaluator_(script_, [this](const HighLevelOccurrence& found) {
          std::string text;
          for (const auto& part : found.parts) text += script_.events[part.event].name + part.fields[0].to_text();
          said_.push_back(text + "@" + std::to_string(found.time_ns));
        }) {}

  // Event `name` of a process, with a value and a connection.
  Story& does(std::uint32_t process, char name, WholeNumber value, std::int64_t time_ns, std::int64_t connection = 0) {
    const VectorClock& clock = clocks_.perform(process);
    PrimitiveOccurrence occurrence{
        static_cast<std::size_t>(name - 'a'), process, clocks_.count_of(process), time_ns, {}};
    occurrence.fields = {value, process, 0, 0, connection};
    evaluator_.add(occurrence, clock);
    return *this;
  }
  Story& tells(std::uint32_t process, std::uint32_t other) {
    clocks_.perform(process);
    clocks_.learn(other, clocks_.knowledge_of(process));
    clocks_.perform(other);
    return *this;
  }
  Story& time_is(std::int64_t time_ns) {
    evaluator_.time_is(time_ns);
    return *this;
  }
  using Said = std::vector<std::string>;
  const Said& said() const { return said_; }
  std::uint64_t count() const { return evaluator_.count_of(0); }

 private:
  EventScript script_;
  RunningClocks clocks_;
  Said said_;
  EventEvaluator evaluator_;
};

using Said = Story::Said;

}  // namespace

TEST_CASE("high-level events: then asks what happened before, not the time", "[scripts]") {
  CHECK(Story("when x is a then b").does(0, 'a', 1, 10).does(0, 'b', 2, 20).said() == Said{"a1b2@20"});
  CHECK(Story("when x is a then b").does(0, 'b', 1, 10).does(0, 'a', 2, 20).said().empty());
  CHECK(Story("when x is a then b").does(0, 'a', 1, 10).does(1, 'b', 2, 20).said().empty());
  CHECK(Story("when x is a then b").does(0, 'a', 1, 10).tells(0, 1).does(1, 'b', 2, 20).said() == Said{"a1b2@20"});
  CHECK(Story("when x is a then b").tells(0, 1).does(0, 'a', 1, 10).does(1, 'b', 2, 20).said().empty());
  CHECK(Story("when x is a then b within 5 ns").does(0, 'a', 1, 10).does(0, 'b', 2, 20).said().empty());
  CHECK(Story("when x is a then b within 10 ns").does(0, 'a', 1, 10).does(0, 'b', 2, 20).said() == Said{"a1b2@20"});
  CHECK(Story("when x is a then a").does(0, 'a', 1, 1).does(0, 'a', 2, 2).does(0, 'a', 3, 3).said() ==
        Said{"a1a2@2", "a2a3@3"});
  // The right side as a whole comes after the left.
  CHECK(Story("when x is a then (b and c)").does(0, 'b', 1, 1).does(0, 'a', 2, 2).does(0, 'c', 3, 3).said().empty());
  CHECK(Story("when x is a then (b and c)").does(0, 'a', 1, 1).does(0, 'c', 2, 2).does(0, 'b', 3, 3).said() ==
        Said{"a1c2b3@3"});
}

TEST_CASE("high-level events: then not is known when the time is over", "[scripts]") {
  const std::string when = "when x is a(connection = $c) then not b(connection = $c) within 10 ns";
  CHECK(Story(when).does(0, 'a', 1, 0, 7).does(0, 'b', 2, 5, 7).time_is(100).said().empty());
  CHECK(Story(when).does(0, 'a', 1, 0, 7).does(0, 'b', 2, 5, 8).time_is(100).said() == Said{"a1@10"});
  CHECK(Story(when).does(0, 'a', 1, 0, 7).does(0, 'b', 2, 11, 7).said() == Said{"a1@10"});
  CHECK(Story(when).does(0, 'a', 1, 0, 7).does(0, 'b', 2, 10, 7).time_is(100).said().empty());
  CHECK(Story(when).does(0, 'a', 1, 0, 7).time_is(10).said().empty());
  CHECK(Story(when).does(0, 'a', 1, 0, 7).does(1, 'b', 2, 5, 7).time_is(100).said() == Said{"a1@10"});
}

TEST_CASE("high-level events: nothing between, nothing before, nothing around", "[scripts]") {
  const std::string between = "when x is a then not b then c";
  CHECK(Story(between).does(0, 'a', 1, 1).does(0, 'c', 2, 2).said() == Said{"a1c2@2"});
  CHECK(Story(between).does(0, 'a', 1, 1).does(0, 'b', 2, 2).does(0, 'c', 3, 3).said().empty());
  CHECK(Story(between).does(0, 'b', 1, 1).does(0, 'a', 2, 2).does(0, 'c', 3, 3).said() == Said{"a2c3@3"});
  // Another process's b is between only if messages say so.
  CHECK(Story(between).does(0, 'a', 1, 1).does(1, 'b', 2, 2).does(0, 'c', 3, 3).said() == Said{"a1c3@3"});
  CHECK(Story(between).does(0, 'a', 1, 1).tells(0, 1).does(1, 'b', 2, 2).does(0, 'c', 3, 3).said() == Said{"a1c3@3"});
  CHECK(Story(between).does(0, 'a', 1, 1).tells(0, 1).does(1, 'b', 2, 2).tells(1, 0).does(0, 'c', 3, 3).said().empty());
  CHECK(Story("when x is a(connection = $c) then not b(connection = $c) then c(connection = $c) within 5 ns")
            .does(0, 'a', 1, 1, 7)
            .does(0, 'b', 2, 2, 8)
            .does(0, 'c', 3, 3, 7)
            .does(0, 'a', 4, 4, 7)
            .does(0, 'c', 5, 10, 7)
            .said() == Said{"a1c3@3"});

  CHECK(Story("when x is not a then b").does(0, 'b', 1, 1).said() == Said{"b1@1"});
  CHECK(Story("when x is not a then b").does(0, 'a', 1, 1).does(0, 'b', 2, 2).does(1, 'b', 3, 3).said() ==
        Said{"b3@3"});
  CHECK(Story("when x is not a then b within 5 ns").does(0, 'a', 1, 1).does(0, 'b', 2, 6).does(0, 'b', 3, 7).said() ==
        Said{"b3@7"});

  const std::string around = "when x is a and not b within 5 ns";
  CHECK(Story(around).does(0, 'a', 1, 10).time_is(15).said().empty());
  CHECK(Story(around).does(0, 'a', 1, 10).time_is(16).said() == Said{"a1@15"});
  CHECK(Story(around).does(1, 'b', 1, 5).does(0, 'a', 2, 10).time_is(100).said().empty());
  CHECK(Story(around).does(1, 'b', 1, 4).does(0, 'a', 2, 10).time_is(100).said() == Said{"a2@15"});
  CHECK(Story(around).does(0, 'a', 1, 10).does(1, 'b', 2, 15).time_is(100).said().empty());
}

TEST_CASE("high-level events: and, or, count, conditions, while, do", "[scripts]") {
  CHECK(Story("when x is a and b").does(0, 'b', 1, 1).does(1, 'a', 2, 2).said() == Said{"b1a2@2"});
  CHECK(Story("when x is a or b then c").does(0, 'b', 1, 1).does(1, 'a', 2, 2).said() == Said{"a2@2"});
  CHECK(Story("when x is (a or b) then c").does(0, 'b', 1, 1).does(0, 'c', 2, 2).said() == Said{"b1c2@2"});
  CHECK(
      Story("when x is a count 3").does(0, 'a', 1, 1).does(0, 'a', 2, 2).does(0, 'a', 3, 3).does(0, 'a', 4, 4).said() ==
      Said{"a1a2a3@3"});
  CHECK(Story("when x is a count 2 within 5 ns").does(0, 'a', 1, 1).does(0, 'a', 2, 9).does(0, 'a', 3, 12).said() ==
        Said{"a2a3@12"});
  CHECK(Story("when x is a(value > 3, value != 5)").does(0, 'a', 3, 1).does(0, 'a', 4, 2).does(0, 'a', 5, 3).said() ==
        Said{"a4@2"});
  CHECK(Story("when x is a(value = $v) and b(value = $v)")
            .does(0, 'a', 1, 1)
            .does(0, 'b', 2, 2)
            .does(0, 'b', 1, 3)
            .said() == Said{"a1b1@3"});
  const std::string during = "when x is a while c until d";
  CHECK(Story(during)
            .does(0, 'a', 1, 1)
            .does(1, 'c', 2, 2)
            .does(0, 'a', 3, 3)
            .does(1, 'd', 4, 4)
            .does(0, 'a', 5, 5)
            .said() == Said{"a3@3"});
  Story counted("when x is a do count");
  counted.does(0, 'a', 1, 1);
  CHECK(counted.said().empty());
  CHECK(counted.count() == 1);
}

// All pairs, with the clocks as sets of events: a b takes the latest a before it that no other b has.
TEST_CASE("high-level events: a then b equals an obvious implementation on random stories", "[scripts]") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    std::minstd_rand random(seed);
    Story story("when x is a(connection = $c) then b(connection = $c)");
    struct Done {
      char name;
      std::int64_t value, connection;
      std::size_t id;
      bool is_used = false;
    };
    std::vector<Done> done;
    std::vector<std::vector<bool>> known(4, std::vector<bool>(200));  // by process: what it knows of
    Said expected;
    for (std::int64_t i = 0; i < 120; ++i) {
      const auto process = static_cast<std::uint32_t>(random() % 4), other = static_cast<std::uint32_t>(random() % 4);
      if (random() % 3 == 0 && other != process) {
        story.tells(process, other);
        for (std::size_t e = 0; e < 200; ++e) known[other][e] = known[other][e] || known[process][e];
        continue;
      }
      const Done now{random() % 2 == 0 ? 'a' : 'b', i, static_cast<std::int64_t>(random() % 2), done.size()};
      if (now.name == 'b')
        for (std::size_t e = done.size(); e-- > 0;)
          if (Done& a = done[e]; a.name == 'a' && !a.is_used && a.connection == now.connection && known[process][e]) {
            a.is_used = true;
            expected.push_back("a" + std::to_string(a.value) + "b" + std::to_string(i) + "@" + std::to_string(i));
            break;
          }
      known[process][now.id] = true;
      done.push_back(now);
      story.does(process, now.name, i, i, now.connection);
    }
    REQUIRE(story.said() == expected);
  }
}

// What each process knows of, as sets of events.
TEST_CASE("high-level events: the forms of not equal an obvious implementation on random stories", "[scripts]") {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    std::minstd_rand random(seed);
    Story without("when x is a(connection = $c) then not b(connection = $c) then c(connection = $c)");
    Story absent("when x is not a(connection = $c) then b(connection = $c)");
    struct Done {
      char name;
      std::int64_t connection;
      std::vector<bool> known;  // what happened before it
      bool is_used = false;
    };
    std::vector<Done> done;
    std::vector<std::vector<bool>> known(3, std::vector<bool>(100));
    Said expected_without, expected_absent;
    for (std::int64_t i = 0; i < 80; ++i) {
      const auto process = static_cast<std::uint32_t>(random() % 3), other = static_cast<std::uint32_t>(random() % 3);
      if (random() % 3 == 0 && other != process) {
        without.tells(process, other);
        absent.tells(process, other);
        for (std::size_t e = 0; e < 100; ++e) known[other][e] = known[other][e] || known[process][e];
        continue;
      }
      Done now{"abc"[random() % 3], static_cast<std::int64_t>(random() % 2), known[process]};
      const auto same = [&](const Done& earlier, char name) {
        return earlier.name == name && earlier.connection == now.connection;
      };
      const std::string at = std::to_string(i) + "@" + std::to_string(i);
      if (now.name == 'c')
        for (std::size_t a = done.size(); a-- > 0;) {
          if (!same(done[a], 'a') || done[a].is_used || !now.known[a]) continue;
          bool is_between = false;
          for (std::size_t b = 0; b < done.size(); ++b)
            is_between = is_between || (same(done[b], 'b') && now.known[b] && done[b].known[a]);
          if (is_between) continue;
          done[a].is_used = true;
          expected_without.push_back("a" + std::to_string(a) + "c" + at);
          break;
        }
      if (now.name == 'b') {
        bool is_after = false;
        for (std::size_t a = 0; a < done.size(); ++a) is_after = is_after || (same(done[a], 'a') && now.known[a]);
        if (!is_after) expected_absent.push_back("b" + at);
      }
      const auto value = static_cast<std::int64_t>(done.size());
      known[process][done.size()] = true;
      done.push_back(now);
      // The value of an a is its place in the list; of others, the time.
      without.does(process, now.name, now.name == 'a' ? value : i, i, now.connection);
      absent.does(process, now.name, i, i, now.connection);
    }
    REQUIRE(without.said() == expected_without);
    REQUIRE(absent.said() == expected_absent);
  }
}

TEST_CASE("high-level events: actions", "[scripts]") {
  const auto script = parse_event_script(
      "s", std::string(kPrimitives) +
               "when x is a do report, snapshot, stop of foo, flags send -receive of foo, on b, off c\nwhen y is a\n");
  REQUIRE(script);
  const HighLevelEvent& x = script->high_level[0];
  using enum HighLevelActionKind;
  REQUIRE(x.actions.size() == 6);
  CHECK(x.actions[2].job == "foo");
  CHECK(x.actions[3].flags == "send,-receive");
  CHECK(x.actions[3].job == "foo");
  CHECK(x.actions[4].kind == on);
  CHECK(x.actions[4].event == 1);
  CHECK(x.actions[5].event == 2);
  CHECK((x.does(report) && x.does(snapshot) && !x.does(count)));
  CHECK((script->high_level[1].does(report) && !script->high_level[1].does(stop)));
}

TEST_CASE("high-level events: each mistake is named with its column and what is near", "[scripts]") {
  struct Case {
    const char* when;
    const char* message;
  };
  const Case cases[] = {
      {"when", "s:6:5: expected a name for the event"},
      {"when x a", "s:6:8: expected 'is', not 'a'"},
      {"when x is", "s:6:10: expected the name of an event"},
      {"when x is aa then b", "s:6:11: event 'aa' is not defined above (did you mean 'a'?)"},
      {"when x is a then not b",
       "s:6:23: expected within TIME: that an event does not happen is known when a time is over"},
      {"when x is a then b within 3 m",
       "s:6:29: a time is a whole number with ns, us, ms or s, of a day at most: 10 ms"},
      {"when x is a then b within -3 ms",
       "s:6:27: a time is a whole number with ns, us, ms or s, of a day at most: 10 ms"},
      {"when x is a(valeu = 3)", "s:6:13: no field has the name 'valeu' (did you mean 'value'?)"},
      {"when x is a(value = x)", "s:6:21: expected a whole number, or $ and a name"},
      {"when x is a(value < $x)", "s:6:21: a variable is only compared with ="},
      {"when x is (a", "s:6:13: expected ')'"},
      {"when x is a b", "s:6:13: expected then, and, or, within, count, while or do, not 'b'"},
      {"when x is a count 0", "s:6:19: a count is a whole number from 1 to 1,000,000"},
      {"when x is a do reprot", "s:6:16: no action has the name 'reprot' (did you mean 'report'?)"},
      {"when x is a while b", "s:6:20: expected 'until'"},
      {"when x is a then not b then", "s:6:28: expected the name of an event"},
      {"when x is a then not b then not c", "s:6:29: expected an event that happens"},
      {"when x is not a", "s:6:16: expected then: what does not happen is before or after what happens"},
      {"when x is a and not b",
       "s:6:22: expected within TIME: that an event does not happen is known when a time is over"},
      {"when x is a do flags", "s:6:21: expected meter flags, such as send -receive"},
      {"when x is a do flags sned", "s:6:22: no meter flag 'sned' (did you mean 'send'?)"},
      {"when x is a do on e", "s:6:19: event 'e' is not defined above (did you mean 'a'?)"},
      {"when x is a do stop foo", "s:6:21: expected ',' between actions, not 'foo'"},
      {"region r is a", "s:6:14: expected 'until'"},
      {"region r is a(value = $v) until b", "s:6:27: a region has no variables"},
      {"region r is a until b c", "s:6:23: expected nothing more, not 'c'"},
      {"region r is a until b\nregion r is a until c", "s:7:8: region 'r' is defined on line 6 already"},
      {"process q from prog\nevent e is integer_assign on e at *.q.f\nregion r is a until e",
       "s:8:21: a region begins and ends in the same process"},
      {"when x is a\nwhen x is b", "s:7:6: event 'x' is defined on line 6 already"},
      {"event s is SENDD on * at *.p.*", "s:6:12: no action has the name 'SENDD' (did you mean 'SEND'?)"},
      {"event s is SEND on x at *.p.*", "s:6:20: the object of SEND is *"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.when);
    const auto script = parse_event_script("s", std::string(kPrimitives) + one.when);
    REQUIRE_FALSE(script);
    CHECK(script.error().what == one.message);
  }
  const std::string deep(100, '(');
  CHECK_THAT(parse_event_script("s", std::string(kPrimitives) + "when x is " + deep + "a").error().what,
             Catch::Contains("at most 64 parentheses"));
}
