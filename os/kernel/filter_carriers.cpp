#include "os/kernel/filter_carriers.hpp"

#include <unistd.h>

#include <algorithm>

#include "os/kernel/open_descriptors.hpp"
#include "os/kernel/process_files.hpp"

namespace dpm {
namespace {

bool may_make_calls(const ThreadStatus& first) {
  const bool first_has_ended = first.state == 'Z' || first.state == 'X';
  return !first_has_ended || first.thread_count > 1;
}

}  // namespace

bool may_have_filter_carriers(std::uint64_t since_boot_ns) {
  const auto pids = read_process_ids();
  const bool found = std::any_of(pids.begin(), pids.end(), [&](std::uint32_t pid) {
    const auto status = read_status(pid);
    return status && status->seccomp_filters > 0 && may_make_calls(*status) &&
           read_beginning_ns(pid, pid) >= since_boot_ns;
  });
  // Without a descriptor to spare nothing is found, not even this process.
  return found || !read_status(static_cast<std::uint32_t>(::getpid()));
}

}  // namespace dpm
