// Places processes of this machine by the CPU affinity of all their threads.
//
// A thread that may not use all CPUs keeps that limit: it is bound to those CPUs of the place that it might use before. What is to be
// changed is noted first, where a guard has it (affinity_guard.hpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/process_placing.hpp"
#include "scheduling/placing/affinity_record.hpp"
#include "scheduling/placing/topology.hpp"

namespace dpm {

class LinuxPlacing : public ProcessPlacing {
 public:
  // Returns when the line is where it outlives us; an error: nothing is changed.
  using Note = std::function<Result<void>(const std::string& line)>;

  // `calls` must outlive it.
  static Result<LinuxPlacing> begin(std::vector<CpuPlace> places, AffinityCalls& calls, Note note);

  std::vector<ProcessPlace> places() override;
  std::optional<std::size_t> place_of(std::uint32_t pid, std::uint32_t tid) override;
  Result<void> put(std::uint32_t pid, std::size_t place) override;
  Result<void> let_go(std::uint32_t pid) override;

  // Without a guard: what it would do.
  RestoredThreads let_all_go() { return record_.restore_all(*calls_); }

 private:
  LinuxPlacing(std::vector<CpuPlace> places, AffinityCalls& calls, Note note)
      : places_(std::move(places)), calls_(&calls), note_(std::move(note)) {}

  enum class Bound : std::uint8_t { as_before, changed, ended };
  Result<Bound> bind(std::uint32_t pid, std::uint32_t tid, const CpuPlace& place, const CpuSet& cpus);
  Error failure(std::uint32_t pid, const CpuPlace& place, int error_number) const;

  std::vector<CpuPlace> places_;
  AffinityCalls* calls_;
  Note note_;
  AffinityRecord record_;
};

}  // namespace dpm
