#include "sampling/counts/state_groups.hpp"

#include <fmt/format.h>

#include <array>
#include <sstream>

#include "model/nearest_name.hpp"

namespace dpm::sampling {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

Error unknown_state(const std::string& group, const std::string& word) {
  std::vector<std::string> names;
  for (const auto& state : all_states()) {
    names.emplace_back(state.name);
    if (word == state.label)  // as the tables have it
      return Error{fmt::format("--group {}: '{}' is not the name of a state (it is '{}')", group, word, state.name)};
  }
  return Error{fmt::format("--group {}: '{}' is not a state{}; 'dpm sample report --states' lists them", group, word,
                           did_you_mean(word, names))};
}

// Each row of a table has a name of its own.
Result<void> check_name(const std::string& name, std::span<const StateGroup> before) {
  if (name == kOtherGroup || name == kUnrecognisedGroup)
    return Error{fmt::format("--group {0}: '{0}' is the name of the states in no group; choose another", name)};
  for (const auto& group : before)
    if (group.name == name)
      return Error{
          fmt::format("--group {0}: there is a group of this name already; write all its states at once, as in "
                      "{0}=cpu_run,cpu_queue",
                      name)};
  return {};
}

}  // namespace

Result<std::vector<StateGroup>> read_groups(std::span<const std::string> texts) {
  std::vector<StateGroup> groups;
  std::array<const std::string*, kStates> taken = {};
  for (const auto& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      return Error{fmt::format("--group '{}': write NAME=STATE,STATE, as in CPU=cpu_run,cpu_queue", text)};
    StateGroup group{text.substr(0, equals), {}};
    if (auto good = check_name(group.name, groups); !good) return good.error();
    for (const auto& word : words_of(text.substr(equals + 1))) {
      const auto state = state_named(word);
      if (!state) return unknown_state(group.name, word);
      auto& owner = taken[static_cast<std::size_t>(*state)];
      if (owner != nullptr) return Error{fmt::format("--group {}: '{}' is already in a group", group.name, word)};
      owner = &text;
      group.states.push_back(*state);
    }
    groups.push_back(std::move(group));
  }
  StateGroup other{std::string(kOtherGroup), {}};
  for (const auto& state : all_states())
    if (taken[static_cast<std::size_t>(state.state)] == nullptr) other.states.push_back(state.state);
  if (!other.states.empty()) groups.push_back(std::move(other));
  return groups;
}

std::vector<StateGroup> single_states() {
  std::vector<StateGroup> groups;
  for (const auto& state : all_states()) groups.push_back({std::string(state.label), {state.state}});
  return groups;
}

Result<std::vector<Resource>> read_resources(const std::string& text) {
  std::vector<Resource> resources;
  for (const auto& word : words_of(text)) {
    const auto resource = resource_named(word);
    if (!resource) {
      std::vector<std::string> names;
      for (std::size_t i = 0; i < kResources; ++i) names.emplace_back(name_of(static_cast<Resource>(i)));
      return Error{fmt::format("'{}' is not a resource{}; 'dpm sample report --states' lists them", word,
                               did_you_mean(word, names))};
    }
    resources.push_back(*resource);
  }
  if (resources.empty()) return Error{"--overlap: write RESOURCE,RESOURCE, as in cpu,disk"};
  return resources;
}

}  // namespace dpm::sampling
