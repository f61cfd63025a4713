#include "sampling/counts/count_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace dpm::sampling {
namespace {

constexpr std::string_view kTooLarge = "is more than can have been counted";

std::uint64_t sum_of(const WordCounts& words) {
  return std::accumulate(words.begin(), words.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& word) { return sum + word.second; });
}

std::uint64_t largest(const StateCounts& counts) {
  return std::max({counts.samples, counts.unrecognised, *std::max_element(counts.states.begin(), counts.states.end())});
}

std::string too_large(const LevelCounts& counts) {
  std::uint64_t most = std::max({largest(counts), largest(counts.foreground), largest(counts.background)});
  for (const auto& words : counts.words)
    for (const auto& [word, count] : words) most = std::max(most, count);
  return most > kMostCount ? fmt::format("{} {}", most, kTooLarge) : "";
}

std::string wrong_parts(const LevelCounts& counts) {
  for (const auto& state : all_states()) {
    const auto i = static_cast<std::size_t>(state.state);
    if (counts.foreground.states[i] + counts.background.states[i] != counts.states[i])
      return fmt::format("state {} is {} in all, but {} in the foreground and {} in the background", state.name,
                         counts.states[i], counts.foreground.states[i], counts.background.states[i]);
  }
  if (counts.foreground.unrecognised + counts.background.unrecognised != counts.unrecognised)
    return fmt::format("unrecognised is {} in all, but {} in the foreground and {} in the background",
                       counts.unrecognised, counts.foreground.unrecognised, counts.background.unrecognised);
  for (const StateCounts* part : {&counts.foreground, &counts.background})
    if (part->samples > counts.samples)
      return fmt::format("a part of the threads has {} samples, all have {}", part->samples, counts.samples);
  return "";
}

std::string wrong_level(const LevelCounts& counts) {
  if (auto complaint = too_large(counts); !complaint.empty()) return complaint;
  if (auto complaint = wrong_parts(counts); !complaint.empty()) return complaint;
  const std::uint64_t words = sum_of(counts.words[static_cast<std::size_t>(Scope::system)]);
  return words == counts.samples ? "" : fmt::format("{} samples have {} statewords of system", counts.samples, words);
}

}  // namespace

std::string wrong_sum(const CountArray& counts) {
  const std::uint64_t samples = counts.total().samples;
  for (std::size_t i = 0; i < kWorkloads; ++i) {
    const auto workload = static_cast<Workload>(i);
    std::uint64_t of_workload = 0;
    for (const auto& [level, of_level] : counts.levels(workload)) {
      if (const auto complaint = wrong_level(of_level); !complaint.empty())
        return fmt::format("level {} of {}: {}", level, name_of(workload), complaint);
      of_workload += of_level.samples;
    }
    const bool has_all = workload != Workload::requests;
    if (has_all ? of_workload != samples : of_workload > samples)
      return fmt::format("there are {} samples by {} and {} by {}", samples, name_of(Workload::users), of_workload,
                         name_of(workload));
  }
  return "";
}

}  // namespace dpm::sampling
