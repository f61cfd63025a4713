#include "backends/linux/bpf/kernel_ledger.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/counted.hpp"
#include "os/kernel/process_files.hpp"

namespace dpm {
namespace {

const char* name_of(dpm_record_kind kind) {
  switch (kind) {
    case dpm_sent:
      return "sends";
    case dpm_received:
      return "receives";
    case dpm_asked:
      return "calls that ask for messages";
    case dpm_waited:
      return "waits for children";
    case dpm_slept:
    case dpm_gave:
    case dpm_took:
      return "hand-overs";
    case dpm_forked:
    case dpm_executed:
    case dpm_exited:
    case dpm_gone:
    case dpm_entered:
      return "births and ends";
    default:
      return "changes of paths";
  }
}

}  // namespace

bool KernelLedger::look(KernelPrograms& programs) {
  const std::uint64_t before = refused_;
  by_process_ = programs.refused();
  others_ = programs.shared().refused_others;
  unknown_threads_ = programs.shared().unknown_threads;
  unknown_files_ = programs.shared().unknown_files;
  unaccounted_ns_ = programs.shared().unaccounted_ns;
  refused_ = others_;
  for (const auto& refused : by_process_) refused_ += refused.records;
  return refused_ > before;
}

LossReport KernelLedger::report(const std::vector<std::string>& more_warnings, std::uint64_t not_understood) const {
  LossReport report;
  const auto add = [&report](std::string reason, std::uint64_t events) {
    if (events == 0) return;
    report.seen += events;
    report.losses.push_back({std::move(reason), events});
  };
  for (const auto& refused : by_process_)
    add(fmt::format("the kernel's ring was full: {} of process {} (a larger --ring helps)", name_of(refused.kind),
                    refused.pid),
        refused.records);
  add("the kernel's ring was full: of further processes", others_);
  add("events of threads, sockets and pipes whose description was lost", not_understood);
  if (unknown_threads_ > 0)
    report.warnings.push_back(fmt::format("{} could not be followed: the kernel had no memory for their state",
                                          counted(unknown_threads_, "thread")));
  if (unknown_files_ > 0)
    report.warnings.push_back(
        fmt::format("{} of sockets and pipes were not recorded: the kernel had no memory for their state",
                    counted(unknown_files_, "use")));
  if (missed_uses_ > 0)
    report.warnings.push_back(fmt::format(
        "{} of sockets, by any process of this machine, were not seen: another thread was interrupted in one",
        counted(missed_uses_, "use")));
  if (unaccounted_ns_ > 0)
    report.warnings.push_back(
        fmt::format("{:.6f} s of waiting have no cause: there is room for {} causes of all threads",
                    static_cast<double>(unaccounted_ns_) * 1e-9, int{dpm_accounts_max}));
  report.warnings.insert(report.warnings.end(), more_warnings.begin(), more_warnings.end());
  return report;
}

}  // namespace dpm
