// A program written in a test, performed against a scripted system.
#pragma once

#include "scenarios/behaviour/behaviour.hpp"
#include "tests/scenarios/fake_calls.hpp"
#include "tests/scenarios/support.hpp"

namespace dpm::test {

using Lines = std::vector<std::string>;

// The program of process "p", which other processes (a, b, group g of 3) may write to and be written to, and another may
// call. They are written in C++, so the loader does not know with which kinds. Kinds have codes.
inline Program program_of(const std::string& text) {
  const std::string scenario = R"({"name": "t", "machines": ["m"], "time_limit_s": 1,
    "kinds": {"ask": 1, "answer": 2, "item": 3, "end": 4, "other": 5},
    "programs": {"subject": )" +
                               text + R"(},
    "processes": [{"name": "p", "program": "subject"},
                  {"name": "a", "program": "ping-pong/pong", "links": ["p"]},
                  {"name": "b", "program": "ping-pong/pong", "links": ["p"]},
                  {"name": "g", "count": 3, "program": "ping-pong/pong", "links": ["p"]},
                  {"name": "caller", "program": "ping-pong/pong", "links": ["p"]}]})";
  return process_of(scenario_of(scenario), "p").program;
}

inline const Lines kSenders = {"a", "b", "g_1", "g_2", "g_3", "caller"};

inline FakeCalls fake() { return FakeCalls("p", kSenders); }

inline Lines run_start(const std::string& steps) {
  FakeCalls calls = fake();
  calls.run(program_of(R"({"start": )" + steps + "}"));
  return calls.done;
}

}  // namespace dpm::test
