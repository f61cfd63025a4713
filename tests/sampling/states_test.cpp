// The table of states: text of /proc in, a state out.
#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "sampling/states/proc_text.hpp"
#include "sampling/states/state_rules.hpp"
#include "sampling/states/stateword.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(trimmed(cell));
  return cells;
}

DescriptorKind descriptor_kind_named(const std::string& name) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(DescriptorKind::io_uring); ++i)
    if (name_of(static_cast<DescriptorKind>(i)) == name) return static_cast<DescriptorKind>(i);
  return DescriptorKind::unknown;
}

std::string found_for(const std::vector<std::string>& cells) {
  Evidence evidence{.letter = cells[0].front(), .wchan = std::string(read_wchan(cells[1]))};
  const auto call = read_syscall(cells[2]);
  REQUIRE(call);
  evidence.call = begun_again(*call, evidence.wchan);
  evidence.descriptor = descriptor_kind_named(cells[3]);
  const auto state = state_of(evidence);
  return state ? std::string(info_of(*state).name) : "-";
}

TEST_CASE("states: what /proc shows of each forced state is recognised as that state", "[sampling]") {
#ifndef __x86_64__
  WARN("SKIPPED: the cases have the numbers of system calls of x86-64");
#else
  std::ifstream file("tests/sampling/states.cases");
  REQUIRE(file);
  std::set<std::string> seen;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const auto cells = cells_of(line);
    REQUIRE(cells.size() == 5);
    INFO(line);
    CHECK(found_for(cells) == cells[4]);
    seen.insert(cells[4]);
  }
  // cpu_queue, created and throttled come from counters (cpu_split_test), other_write is the mirror of other_read.
  for (const auto& state : all_states()) {
    INFO(state.name);
    const bool is_split = state.state == State::cpu_queue || state.state == State::created ||
                          state.state == State::throttled || state.state == State::other_write;
    CHECK(seen.contains(std::string(state.name)) != is_split);
  }
#endif
}

TEST_CASE("states: the first 22 are those of MON, and every name is used once", "[sampling]") {
  std::set<std::string_view> names, labels;
  std::size_t of_mon = 0;
  for (const auto& state : all_states()) {
    names.insert(state.name);
    labels.insert(state.label);
    of_mon += !state.of_mon.empty();
    CHECK(state_named(state.name) == state.state);
  }
  CHECK(names.size() == kStates);
  CHECK(labels.size() == kStates);
  CHECK(of_mon == kStatesOfMon);
}

TEST_CASE("statewords: a state sets one bit, and the OR has the bits of all", "[sampling]") {
  for (const auto& state : all_states()) {
    const Stateword word(state.state);
    CHECK(__builtin_popcountll(word.bits()) == 1);
    CHECK(word.has(state.resource, state.part));
  }
  Stateword both(State::cpu_run);
  both |= Stateword(State::busy_block);
  CHECK(both.runs_on(Resource::cpu));
  CHECK_FALSE(both.queues_for(Resource::cpu));
  CHECK(both.queues_for(Resource::disk));
  CHECK_FALSE(both.runs_on(Resource::disk));
}

TEST_CASE("evidence: an unrecognised sample is named by what was seen", "[sampling]") {
  Evidence evidence{.letter = 'S', .wchan = "wait_woken"};
  CHECK(evidence.to_text() == "S wait_woken call not known");
  evidence.call.number = 0;
  evidence.descriptor = DescriptorKind::device;
  CHECK(evidence.to_text() == "S wait_woken call 0 device");
  evidence.call.number = SystemCall::kNotInACall;
  evidence.wchan.clear();
  CHECK(evidence.to_text() == "S - outside of a call");
}

}  // namespace
}  // namespace dpm::sampling
