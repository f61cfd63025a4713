#include "filter/scripts/event_script.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

// S3 figure 2.1, with the actions as they are written everywhere else.
constexpr const char* kFigure =
    "# Process definitions for P, P1, and P2\n"
    "process P from prog\n"
    "process P1 from prog[1]\n"
    "\n"
    "process P2 from prog[3]\n"
    "event E is integer_assign on I at PL118A.P.init\n"
    "event E1 is integer_assign on i at PL118A.P1.init\n"
    "event E2 is integer_assign on i at pl118a.eecs.lehigh.edu.P2.init\n"
    "event EAll is integer_assign on i at *.P.init\n";

}  // namespace

TEST_CASE("event scripts: the script of S3's figure 2.1 means what S3 says", "[scripts]") {
  const auto script = parse_event_script("figure", kFigure);
  REQUIRE(script);
  REQUIRE(script->events.size() == 4);
  const auto meant = [&](std::size_t event, const char* machine, std::uint32_t count) {
    return is_meant(*script, script->events[event], machine, "prog", count);
  };
  CHECK(meant(0, "pl118a", 2));  // machines are the same in any case of letters
  CHECK_FALSE(meant(0, "other", 2));
  CHECK(meant(1, "PL118A", 1));
  CHECK_FALSE(meant(1, "PL118A", 3));
  CHECK(meant(2, "pl118a.eecs.lehigh.edu", 3));
  CHECK(meant(3, "other", 77));
  CHECK_FALSE(is_meant(*script, script->events[3], "other", "another", 1));
}

TEST_CASE("event scripts: each mistake is named with its line, its column and what is near", "[scripts]") {
  struct Case {
    const char* script;
    const char* message;
  };
  const std::string process = "process p from prog\n";
  const Case cases[] = {
      {"proces p from prog",
       "s:1:1: a line begins with process, event, region, when or #, not with 'proces' (did you mean 'process'?)"},
      {"process p prog", "s:1:11: expected: process NAME from PROGRAM[COUNT]"},
      {"process p", "s:1:10: expected: process NAME from PROGRAM[COUNT]"},
      {"process p from prog extra", "s:1:21: expected nothing more: process NAME from PROGRAM[COUNT]"},
      {"process p from prog[0]", "s:1:20: the count of a process is a number from 1 in brackets: prog[3]"},
      {"process p from prog[2", "s:1:20: the count of a process is a number from 1 in brackets: prog[3]"},
      {"process p from prog[99999999999]", "s:1:20: the count of a process is a number from 1 in brackets: prog[3]"},
      {"process p from /bin/prog", "s:1:16: a program is named by its file, without folders"},
      {"process p from [1]", "s:1:16: a program is named by its file, without folders"},
      {"process p from a\nprocess p from b", "s:2:9: process 'p' is defined on line 1 already"},
      {"event e is integer_assign on i at *.p.main", "s:1:37: process 'p' is not defined above"},
      {"process pp from a\nevent e is integer_assign on i at *.other.main",
       "s:2:37: process 'other' is not defined above"},
      {"process client from a\nevent e is integer_assign on i at *.cleint.main",
       "s:2:37: process 'cleint' is not defined above (did you mean 'client'?)"},
      {"process p from a\nevent e is integer_assing on i at *.p.main",
       "s:2:12: no action has the name 'integer_assing' (did you mean 'integer_assign'?)"},
      {"process p from a\nevent e is integer_assign on i at p.main",
       "s:2:35: the place of an event is MACHINE.PROCESS.FUNCTION, with * for every machine"},
      {"process p from a\nevent e is integer_assign on i at *.p.",
       "s:2:35: the place of an event is MACHINE.PROCESS.FUNCTION, with * for every machine"},
      {"process p from a\nevent e is integer_assign on i at .",
       "s:2:35: the place of an event is MACHINE.PROCESS.FUNCTION, with * for every machine"},
      {"process p from a\nevent e is integer_assign on i at *.p.f\nevent e is integer_assign on i at *.p.f",
       "s:3:7: event 'e' is defined on line 2 already"},
      {"process p from a\nevent e is integer_assign on i",
       "s:2:31: expected: event NAME is ACTION on OBJECT at MACHINE.PROCESS.FUNCTION"},
  };
  const auto none = parse_event_script("s", "process p from a\nevent e is jump on i at *.p.main");
  REQUIRE_FALSE(none);
  CHECK_THAT(none.error().what, Catch::Contains("no action has the name 'jump'; the actions are integer_assign, "));
  for (const Case& one : cases) {
    CAPTURE(one.script);
    const auto script = parse_event_script("s", one.script);
    REQUIRE_FALSE(script);
    CHECK(script.error().what == one.message);
  }
}

TEST_CASE("event scripts: ends of lines and blanks do not matter", "[scripts]") {
  const auto script =
      parse_event_script("s", "  process\tp  from prog \r\n\r\n#x\nevent e is point_enter on o at *.p.f");
  REQUIRE(script);
  CHECK(script->processes[0].program == "prog");
  CHECK(script->events[0].function == "f");
  CHECK(parse_event_script("s", "").has_value());
}

TEST_CASE("event scripts: a script of 100,000 lines is read", "[scripts]") {
  std::string text = "process p from prog\n";
  for (int i = 0; i < 100'000; ++i) text += "event e" + std::to_string(i) + " is integer_assign on i at *.p.f\n";
  const auto script = parse_event_script("s", text);
  REQUIRE(script);
  CHECK(script->events.size() == 100'000);
}
