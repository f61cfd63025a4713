#include "answers/sampling/sampler_setup.hpp"

#include <sys/utsname.h>

#include "os/machine.hpp"
#include "sampling/iterator/task_iterator.hpp"
#include "sampling/proc/proc_sampler.hpp"

namespace dpm::cli {
namespace {

std::string kernel_release() {
  utsname names = {};
  return ::uname(&names) == 0 ? names.release : "";
}

}  // namespace

Result<SamplerSetup> set_up_sampler(const std::string& source, std::uint64_t interval_ns,
                                    const std::string& selection) {
  SamplerSetup made;
  if (source != "proc") {
    auto opened = sampling::open_task_iterator();
    if (opened)
      made.looker = *std::move(opened);
    else if (source == "iterator")
      return opened.error();
    else
      made.why_proc = opened.error().what;
  }
  made.setup = {.source = std::string(made.looker ? sampling::kIteratorSource : sampling::kProcSource),
                .interval_ns = interval_ns,
                .cores = machine_cores(),
                .machine = machine_name(),
                .kernel = kernel_release(),
                .selection = selection};
  return made;
}

}  // namespace dpm::cli
