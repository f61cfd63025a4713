#include "backends/sim/cpu_rivals.hpp"

#include <algorithm>

#include "model/check.hpp"

namespace dpm::sim {
namespace {

// The account of a machine with thousands of processes would grow with their square. Beyond this number those that came first
// are named, and the rest of the wait is not.
constexpr std::size_t kRivalsMax = 64;

}  // namespace

void CpuRivals::advance(TrueTime now) {
  const auto count = static_cast<double>(runnable_.size()), cores = static_cast<double>(cores_);
  if (count > cores) per_rival_ns_ += static_cast<double>((now - at_).ns) * (1 - cores / count) / (count - 1);
  at_ = now;
}

void CpuRivals::add(const Runnable& a, const Runnable& b) {
  const double both_ns = per_rival_ns_ - std::max(a.since_ns, b.since_ns);
  if (both_ns <= 0) return;
  const auto [low, high] = std::minmax(a.rank, b.rank);
  waited_ns_[std::uint64_t{low} << 32 | high] += both_ns;
}

void CpuRivals::begins(std::uint32_t rank, TrueTime now) {
  advance(now);
  runnable_.push_back({rank, per_rival_ns_});
}

void CpuRivals::ends(std::uint32_t rank, TrueTime now) {
  advance(now);
  const auto ending =
      std::find_if(runnable_.begin(), runnable_.end(), [rank](const Runnable& other) { return other.rank == rank; });
  DPM_CHECK(ending != runnable_.end());
  const Runnable ended = *ending;
  runnable_.erase(ending);
  for (std::size_t i = 0; i < std::min(runnable_.size(), kRivalsMax); ++i) add(ended, runnable_[i]);
}

std::vector<CpuRivals::Pair> CpuRivals::pairs(TrueTime now) {
  while (!runnable_.empty()) {
    const Runnable last = runnable_.back();
    advance(now);
    runnable_.pop_back();
    for (std::size_t i = 0; i < std::min(runnable_.size(), kRivalsMax); ++i) add(last, runnable_[i]);
  }
  std::vector<Pair> pairs;
  for (const auto& [ranks, waited_ns] : waited_ns_)
    pairs.push_back({static_cast<std::uint32_t>(ranks >> 32), static_cast<std::uint32_t>(ranks), waited_ns});
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair& a, const Pair& b) { return std::pair(a.first, a.second) < std::pair(b.first, b.second); });
  return pairs;
}

}  // namespace dpm::sim
