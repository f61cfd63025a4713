#include "sampling/stacks/named_stacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace dpm::sampling {
namespace {

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

CodeFunction function_of(std::string name, const std::string& path) {
  const std::string file = last_part(path);
  if (!name.empty()) return {std::move(name), file, true};
  if (file.empty()) return {"[unknown]", "", false};
  return {file.starts_with('[') ? file : fmt::format("[{}]", file), file, false};
}

}  // namespace

std::vector<NamedStacks::FunctionTime> NamedStacks::by_time() const {
  std::vector<std::uint64_t> self(functions.size()), total(functions.size());
  for (const auto& [stack, count] : counts) {
    self[stack.functions.back()] += count;
    for (const std::uint32_t function : std::set(stack.functions.begin(), stack.functions.end()))
      total[function] += count;  // once, also if it calls itself
  }
  const std::uint64_t all = stacks();
  std::vector<FunctionTime> times;
  for (std::uint32_t i = 0; i < functions.size(); ++i)
    times.push_back({i, share_of(self[i], all), share_of(total[i], all)});
  std::stable_sort(times.begin(), times.end(), [](const FunctionTime& a, const FunctionTime& b) {
    return std::pair(a.self.hits, a.total.hits) > std::pair(b.self.hits, b.total.hits);
  });
  return times;
}

bool NamedStacks::ProgramStacks::lacks_frame_pointers() const {
  constexpr std::uint64_t kEnough = 20;
  return stacks >= kEnough && broken * 2 > stacks;
}

std::vector<NamedStacks::ProgramStacks> NamedStacks::by_program() const {
  std::vector<ProgramStacks> sums(programs.size());
  for (std::uint32_t i = 0; i < programs.size(); ++i) sums[i].program = i;
  for (const auto& [stack, count] : counts) {
    sums[stack.program].stacks += count;
    const bool ends_early = stack.functions.size() == 1 || functions[stack.functions.front()].file.empty();
    if (ends_early && !functions[stack.functions.back()].file.empty()) sums[stack.program].broken += count;
  }
  std::stable_sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.stacks > b.stacks; });
  return sums;
}

std::vector<NamedStacks::FileFrames> NamedStacks::unnamed_frames() const {
  std::map<std::string, std::uint64_t> sums;
  for (const auto& [stack, count] : counts)
    for (const std::uint32_t function : stack.functions)
      if (!functions[function].is_named) sums[functions[function].file] += count;
  std::vector<FileFrames> files;
  for (const auto& [file, frames] : sums) files.push_back({file, frames});
  std::stable_sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.frames > b.frames; });
  return files;
}

std::uint64_t NamedStacks::stacks() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& entry) { return sum + entry.second; });
}

std::uint64_t NamedStacks::frames() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}, [](std::uint64_t sum, const auto& entry) {
    return sum + entry.second * entry.first.functions.size();
  });
}

void StackNaming::take(StackProfile& profile, const FindFunction& find) {
  for (const auto& [stack, count] : profile.take_counts()) {
    NamedStacks::Stack named{stack.program, {}};
    for (auto place = stack.places.rbegin(); place != stack.places.rend(); ++place)
      named.functions.push_back(function_at(*place, profile, find));
    named_.counts[std::move(named)] += count;
  }
}

std::uint32_t StackNaming::function_at(const CodePlace& place, const StackProfile& profile, const FindFunction& find) {
  const auto known = at_place_.find(place);
  if (known != at_place_.end()) return known->second;
  const bool is_in_file = place.file != CodePlace::kNoFile;
  CodeFunction function =
      function_of(is_in_file ? find(place) : "", is_in_file ? profile.files()[place.file].path : "");
  const auto [found, is_new] =
      numbers_.try_emplace(std::move(function), static_cast<std::uint32_t>(named_.functions.size()));
  if (is_new) named_.functions.push_back(found->first);
  return at_place_[place] = found->second;
}

NamedStacks StackNaming::finish(const StackProfile& profile) && {
  named_.programs = profile.programs();
  named_.losses = profile.losses();
  return std::move(named_);
}

}  // namespace dpm::sampling
