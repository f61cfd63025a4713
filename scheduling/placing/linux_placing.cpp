#include "scheduling/placing/linux_placing.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace dpm {
namespace {

// Threads that are started meanwhile are found in a second look; a process that starts them faster than that is moved as far as
// it was seen, and the others inherit the new place.
constexpr int kLooks = 5;

}  // namespace

Result<LinuxPlacing> LinuxPlacing::begin(std::vector<CpuPlace> places, AffinityCalls& calls, Note note) {
  LinuxPlacing placing(std::move(places), calls, std::move(note));
  for (const CpuPlace& place : placing.places_) {
    if (auto noted = placing.note_(AffinityRecord::line_of(place.cpus)); !noted) return noted.error();
    placing.record_.add_place(place.cpus);
  }
  return placing;
}

std::vector<ProcessPlace> LinuxPlacing::places() {
  const CpuSet online = calls_->online();
  std::vector<ProcessPlace> places;
  for (const CpuPlace& place : places_) {
    const CpuSet usable = common_to(place.cpus, online);
    places.push_back({place.name, static_cast<std::uint16_t>(place.cpus.size()), !usable.empty()});
  }
  return places;
}

std::optional<std::size_t> LinuxPlacing::place_of(std::uint32_t pid, std::uint32_t tid) {
  const auto facts = calls_->facts_of(pid, tid);
  if (!facts || facts->has_ended) return std::nullopt;
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i].cpus.contains(facts->cpu)) return i;
  return std::nullopt;
}

Error LinuxPlacing::failure(std::uint32_t pid, const CpuPlace& place, int error_number) const {
  if (error_number == EPERM)
    return Error{fmt::format(
        "this account may not set the CPU affinity of process {}: it takes the process's own account, or CAP_SYS_NICE",
        pid)};
  return Error{fmt::format("bind process {} to {}: {}", pid, place.name, std::strerror(error_number))};
}

Result<LinuxPlacing::Bound> LinuxPlacing::bind(std::uint32_t pid, std::uint32_t tid, const CpuPlace& place,
                                               const CpuSet& cpus) {
  const auto facts = calls_->facts_of(pid, tid);
  const auto now = calls_->affinity_of(tid);
  if (!facts || facts->has_ended || !now) return Bound::ended;
  const CpuSet original = record_.original_of(*calls_, pid, tid, *facts, *now);
  const CpuSet wanted = common_to(original, cpus);
  if (wanted.empty())
    return Error{fmt::format("process {} may use CPUs {} only, and {} has others ({})", pid, cpu_set_text(original),
                             place.name, cpu_set_text(cpus))};
  if (*now == wanted) return Bound::as_before;
  const OriginalAffinity before{pid, tid, facts->began_ticks, facts->session, original};
  const OriginalAffinity* known = record_.find(tid, facts->began_ticks);
  if (known == nullptr || known->cpus != original) {
    if (auto noted = note_(AffinityRecord::line_of(before)); !noted) return noted.error();
    record_.add(before);
  }
  const int error_number = calls_->set_affinity(tid, wanted);
  if (error_number == ESRCH) return Bound::ended;
  if (error_number != 0) return failure(pid, place, error_number);
  return Bound::changed;
}

Result<void> LinuxPlacing::put(std::uint32_t pid, std::size_t place) {
  const CpuPlace& wanted = places_.at(place);
  const CpuSet cpus = common_to(wanted.cpus, calls_->online());
  if (cpus.empty()) return Error{fmt::format("{} is offline", wanted.name)};
  bool runs = false;  // at the last look
  for (int look = 0; look < kLooks; ++look) {
    bool changed = false;
    runs = false;
    for (const std::uint32_t tid : calls_->threads_of(pid)) {
      const auto bound = bind(pid, tid, wanted, cpus);
      if (!bound) {
        record_.restore(*calls_, pid);
        return bound.error();
      }
      runs = runs || *bound != Bound::ended;
      changed = changed || *bound == Bound::changed;
    }
    if (!changed) break;
  }
  if (!runs) return Error{fmt::format("process {} has ended", pid)};
  return {};
}

Result<void> LinuxPlacing::let_go(std::uint32_t pid) {
  const RestoredThreads restored = record_.restore(*calls_, pid);
  if (restored.failed == 0) return {};
  return Error{fmt::format("{} threads of process {} could not be given back the CPUs that they might use before",
                           restored.failed, pid)};
}

}  // namespace dpm
