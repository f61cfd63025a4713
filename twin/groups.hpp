// Processes that are alike: a twin writes them as one group, whose count can be changed.
//
// Members are named after their group and numbered from 1 without a gap (client_1 .. client_6), or are live processes
// of one program that do the same with the same peers. Members that behave differently become separate groups.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "twin/recording.hpp"

namespace dpm::twin {

struct Group {
  std::string name;                    // valid in a scenario
  std::vector<std::uint32_t> members;  // process numbers; member i is name_(i+1), or name itself if not counted
  bool counted = false;

  std::string member_name(std::size_t i) const { return counted ? name + "_" + std::to_string(i + 1) : name; }
};

struct Groups {
  std::vector<Group> all;
  std::vector<std::uint32_t> of;         // by process number: group, or kNone for those that did nothing
  std::vector<std::uint32_t> member_of;  // by process number: which member
};

// Each process of `alone` becomes a group.
Groups find_groups(const Recording& recording, const std::set<std::uint32_t>& alone = {});

// Letters, digits, '_', '-' and '.' stay; all other characters become '_'.
std::string scenario_name(const std::string& name);

}  // namespace dpm::twin
