#include "sampling/counts/count_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace dpm::sampling {
namespace {

constexpr std::array<std::string_view, kWorkloads> kWorkloadNames = {"users", "awake", "runnable", "requests"};
constexpr std::array<std::string_view, kScopes> kScopeNames = {"foreground", "background", "together", "system"};

void add_words(WordCounts& to, const WordCounts& from) {
  for (const auto& [word, count] : from) to[word] += count;
}

// The OR of the statewords of each virtual process, by its part.
struct Parts {
  Stateword foreground, background;
  bool has_foreground = false, has_background = false;
};

void count_words(const Sample& sample, LevelCounts& counts) {
  std::vector<Parts> parts(sample.virtual_processes);
  Stateword system;
  for (const auto& thread : sample.threads) {
    Parts& part = parts[thread.virtual_process];
    (thread.in_foreground ? part.has_foreground : part.has_background) = true;
    if (!thread.recognised) continue;
    const Stateword word(thread.state);
    (thread.in_foreground ? part.foreground : part.background) |= word;
    system |= word;
  }
  const auto words = [&](Scope scope) -> WordCounts& { return counts.words[static_cast<std::size_t>(scope)]; };
  for (const auto& part : parts) {
    if (part.has_foreground) ++words(Scope::foreground)[part.foreground];
    if (part.has_background) ++words(Scope::background)[part.background];
    if (!part.has_foreground && !part.has_background) continue;
    Stateword both = part.foreground;
    both |= part.background;
    ++words(Scope::together)[both];
  }
  ++words(Scope::system)[system];
}

std::string interval_text(std::uint64_t ns) { return fmt::format("{:g} s", static_cast<double>(ns) * 1e-9); }

// "a, b" of "a" and "b"; once if they are the same.
std::string united(const std::string& one, const std::string& other) {
  for (std::size_t begin = 0; begin <= one.size();) {
    const auto end = std::min(one.find(", ", begin), one.size());
    if (one.compare(begin, end - begin, other) == 0) return one;
    begin = end + 2;
  }
  return one == other ? one : one + ", " + other;
}

}  // namespace

std::string_view name_of(Workload workload) { return kWorkloadNames[static_cast<std::size_t>(workload)]; }
std::string_view name_of(Scope scope) { return kScopeNames[static_cast<std::size_t>(scope)]; }

std::uint32_t level_of_rate(double per_second) {
  constexpr std::uint32_t kMost = 1'000'000'000;
  std::uint32_t level = 0, decade = 1;
  for (; decade < kMost; decade *= 10)
    for (const std::uint32_t step : {1, 2, 5})
      if (per_second >= static_cast<double>(decade) * step) level = decade * step;
  return level;
}

std::uint64_t StateCounts::threads() const { return std::accumulate(states.begin(), states.end(), unrecognised); }

void StateCounts::add(const StateCounts& other) {
  samples += other.samples;
  for (std::size_t i = 0; i < kStates; ++i) states[i] += other.states[i];
  unrecognised += other.unrecognised;
}

const StateCounts& LevelCounts::of(Scope scope) const {
  if (scope == Scope::foreground) return foreground;
  return scope == Scope::background ? background : *this;
}

void LevelCounts::add(const LevelCounts& other) {
  StateCounts::add(other);
  foreground.add(other.foreground);
  background.add(other.background);
  for (std::size_t i = 0; i < kScopes; ++i) add_words(words[i], other.words[i]);
  ran_ns += other.ran_ns;
  waited_ns += other.waited_ns;
  watched_ns += other.watched_ns;
}

void SamplerAccount::add(const SamplerAccount& other) {
  late += other.late;
  missed += other.missed;
  delay_sum_ns += other.delay_sum_ns;
  delay_most_ns = std::max(delay_most_ns, other.delay_most_ns);
  cpu_ns += other.cpu_ns;
  elapsed_ns += other.elapsed_ns;
  unreadable += other.unreadable;
}

void CountArray::add(const Sample& sample) {
  LevelCounts one;
  one.samples = 1;
  for (const auto& thread : sample.threads) {
    DPM_CHECK(thread.virtual_process < sample.virtual_processes);
    StateCounts& part = thread.in_foreground ? one.foreground : one.background;
    part.samples = 1;
    for (StateCounts* counts : {static_cast<StateCounts*>(&one), &part})
      thread.recognised ? ++counts->states[static_cast<std::size_t>(thread.state)] : ++counts->unrecognised;
  }
  count_words(sample, one);
  one.ran_ns = sample.ran_ns;
  one.waited_ns = sample.waited_ns;
  one.watched_ns = sample.watched_ns;
  for (std::size_t i = 0; i < kWorkloads; ++i)
    if (sample.levels[i] != kNoLevel) levels_[i][sample.levels[i]].add(one);
}

void CountArray::add_unrecognised(const std::string& evidence, std::uint64_t times) {
  const bool is_known = unrecognised_.contains(evidence) || unrecognised_.size() < kMostEvidence;
  unrecognised_[is_known ? evidence : kOtherEvidence] += times;
}

Result<void> CountArray::merge(const CountArray& other) {
  const SamplingSetup &ours = setup_, &theirs = other.setup_;
  if (ours.source != theirs.source)
    return Error{
        fmt::format("the states come from '{}' and from '{}', which do not find the same", ours.source, theirs.source)};
  if (ours.interval_ns != theirs.interval_ns)
    return Error{fmt::format("the intervals differ: {} and {}", interval_text(ours.interval_ns),
                             interval_text(theirs.interval_ns))};
  if (ours.cores != theirs.cores)
    return Error{fmt::format("the machines differ: {} and {} cores", ours.cores, theirs.cores)};
  setup_.machine = united(ours.machine, theirs.machine);
  setup_.kernel = united(ours.kernel, theirs.kernel);
  setup_.selection = united(ours.selection, theirs.selection);
  account_.add(other.account_);
  for (std::size_t i = 0; i < kWorkloads; ++i)
    for (const auto& [level, counts] : other.levels_[i]) levels_[i][level].add(counts);
  for (const auto& [evidence, times] : other.unrecognised_) add_unrecognised(evidence, times);
  return {};
}

LevelCounts CountArray::total() const {
  LevelCounts all;
  for (const auto& [level, counts] : levels_.front()) all.add(counts);
  return all;
}

}  // namespace dpm::sampling
