// What the kernel's programs could not report, in the words of the ledger.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/linux/bpf/kernel_programs.hpp"
#include "model/ledger.hpp"

namespace dpm {

class KernelLedger {
 public:
  // Looks at the programs' counters; true if records were refused since the last look.
  bool look(KernelPrograms& programs);
  // After the last look: waits that are in accounts of threads that are not known any more.
  void add_unaccounted(std::uint64_t time_ns) { unaccounted_ns_ += time_ns; }
  void set_missed_uses(std::uint64_t uses) { missed_uses_ = uses; }

  // `seen` counts only what was lost.
  LossReport report(const std::vector<std::string>& more_warnings, std::uint64_t not_understood) const;
  std::uint64_t refused() const { return refused_; }

 private:
  std::vector<KernelPrograms::Refused> by_process_;
  std::uint64_t refused_ = 0, others_ = 0, unknown_threads_ = 0, unknown_files_ = 0, unaccounted_ns_ = 0;
  std::uint64_t missed_uses_ = 0;
};

}  // namespace dpm
