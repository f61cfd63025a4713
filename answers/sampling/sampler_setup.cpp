#include "answers/sampling/sampler_setup.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "os/machine.hpp"
#include "sampling/iterator/task_iterator.hpp"
#include "sampling/proc/proc_sampler.hpp"

namespace dpm::cli {
namespace {

std::string kernel_release() {
  utsname names = {};
  return ::uname(&names) == 0 ? names.release : "";
}

std::size_t tasks_below(const std::string& folder) {
  std::error_code error;
  const auto all = std::filesystem::directory_iterator(folder, error);
  return static_cast<std::size_t>(std::count_if(begin(all), end(all), [](const auto& entry) {
    return std::isdigit(static_cast<unsigned char>(entry.path().filename().string().front())) != 0;
  }));
}

// Of named processes: a pass of the iterator looks at each task of the machine, for 2 us; /proc takes 50 us for each thread that is wanted.
bool costs_less_by_proc(const sampling::Selection& selection) {
  constexpr std::size_t kTasksForThread = 25;
  if (selection.kind != sampling::Selection::Kind::processes) return false;
  std::size_t threads = 0;
  for (const std::uint32_t pid : selection.pids) threads += tasks_below(fmt::format("/proc/{}/task", pid));
  return threads * kTasksForThread < tasks_below("/proc");
}

}  // namespace

Result<SamplerSetup> set_up_sampler(const std::string& source, std::uint64_t interval_ns,
                                    const sampling::Selection& selection) {
  SamplerSetup made;
  if (source == "auto" && costs_less_by_proc(selection)) {
    made.why_proc = "it costs less than the iterator for so few threads";
  } else if (source != "proc") {
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
                .selection = selection.text};
  return made;
}

}  // namespace dpm::cli
