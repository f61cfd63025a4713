#include "sampling/waits/waited_descriptors.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "os/read_file.hpp"

namespace dpm::sampling {
namespace {

// Empty if it may not be read.
template <typename Value>
std::vector<Value> values_at(std::uint32_t thread, std::uint64_t address, std::size_t count) {
  std::vector<Value> values(std::min(count, kWaitedDescriptorsMax));
  if (values.empty() || address == 0) return {};
  iovec to{values.data(), values.size() * sizeof(Value)};
  iovec from{reinterpret_cast<void*>(address), to.iov_len};
  if (::process_vm_readv(static_cast<pid_t>(thread), &to, 1, &from, 1, 0) != static_cast<ssize_t>(to.iov_len))
    return {};
  return values;
}

std::vector<int> of_poll(std::uint32_t thread, const SystemCall& call) {
  std::vector<int> descriptors;
  for (const pollfd& one : values_at<pollfd>(thread, call.arguments[0], call.arguments[1]))
    if (one.fd >= 0) descriptors.push_back(one.fd);
  return descriptors;
}

std::vector<int> of_select(std::uint32_t thread, const SystemCall& call) {
  constexpr std::size_t kBits = 64;
  const std::size_t count = std::min<std::uint64_t>(call.arguments[0], kWaitedDescriptorsMax);
  std::vector<int> descriptors;
  for (const std::size_t set : {1, 2, 3}) {
    const auto words = values_at<std::uint64_t>(thread, call.arguments[set], (count + kBits - 1) / kBits);
    for (std::size_t fd = 0; fd < count && fd / kBits < words.size(); ++fd)
      if ((words[fd / kBits] >> (fd % kBits) & 1) != 0) descriptors.push_back(static_cast<int>(fd));
  }
  return descriptors;
}

// "tfd:        5 events:       19 data: ...": a line for each descriptor of the set.
std::vector<int> of_epoll(std::uint32_t thread, const SystemCall& call) {
  std::istringstream lines(
      read_file(fmt::format("/proc/{}/fdinfo/{}", thread, static_cast<std::int32_t>(call.arguments[0]))));
  std::vector<int> descriptors;
  for (std::string line; std::getline(lines, line) && descriptors.size() < kWaitedDescriptorsMax;) {
    std::istringstream words(line);
    std::string name;
    int descriptor = 0;
    if (words >> name >> descriptor && name == "tfd:") descriptors.push_back(descriptor);
  }
  return descriptors;
}

std::vector<int> in_any_order(std::uint32_t thread, const SystemCall& call) {
  switch (call.number) {
    case SYS_poll:
    case SYS_ppoll:
      return of_poll(thread, call);
    case SYS_select:
    case SYS_pselect6:
      return of_select(thread, call);
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
      return of_epoll(thread, call);
    default:
      break;
  }
  const auto one = descriptor_of(call);
  return one ? std::vector<int>{*one} : std::vector<int>{};
}

}  // namespace

std::vector<int> waited_descriptors(std::uint32_t thread, const SystemCall& call) {
  std::vector<int> descriptors = in_any_order(thread, call);
  std::sort(descriptors.begin(), descriptors.end());
  descriptors.erase(std::unique(descriptors.begin(), descriptors.end()), descriptors.end());
  return descriptors;
}

}  // namespace dpm::sampling
