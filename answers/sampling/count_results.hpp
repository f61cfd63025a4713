// A count array as tables, as JSON and as CSV, with the same numbers. Each share has its interval beside it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sampling/counts/count_array.hpp"
#include "sampling/counts/state_groups.hpp"

namespace dpm::cli {

// What is asked of an array.
struct CountQuestion {
  std::vector<sampling::StateGroup> groups;
  bool grouped = false;  // the user's groups: those that do not occur are shown, too
  sampling::Workload workload = sampling::Workload::users;
  sampling::Scope scope = sampling::Scope::system;
  std::vector<std::vector<sampling::Resource>> overlaps;  // sets; empty: the pairs that occur
};

// What dpm sample prints: how the samples were taken, states, resources.
std::string summary_text(const sampling::CountArray& counts, int width);
std::string components_text(const sampling::CountArray& counts, const CountQuestion& question, int width);
nlohmann::ordered_json components_json(const sampling::CountArray& counts, const CountQuestion& question);
// One row for each level and component: level,samples,component,share,low,high,count.
std::string components_csv(const sampling::CountArray& counts, const CountQuestion& question);
// The states and resources, and how each is called in options.
std::string states_text(int width);

}  // namespace dpm::cli
