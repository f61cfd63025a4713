#include "sampling/proc/descriptor_lookup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <optional>

namespace dpm::sampling {
namespace {

constexpr std::size_t kMostSockets = 65536;  // remembered; then all are looked up again

// From the memory of the thread; empty if it may not be read.
template <typename Value>
std::optional<Value> value_at(std::uint32_t thread, std::uint64_t address) {
  Value value{};
  iovec to{&value, sizeof value};
  iovec from{reinterpret_cast<void*>(address), sizeof value};
  if (::process_vm_readv(static_cast<pid_t>(thread), &to, 1, &from, 1, 0) != sizeof value) return std::nullopt;
  return value;
}

}  // namespace

void DescriptorLookup::complete(std::uint32_t thread, Evidence& evidence) {
  const RestOfCall rest = rest_of(evidence.call);
  std::optional<int> descriptor = descriptor_of(evidence.call);
  if (rest.kind == RestOfCall::Kind::poll_descriptor) {
    descriptor = value_at<int>(thread, rest.address);
  } else if (rest.kind == RestOfCall::Kind::select_sets) {
    const auto set = value_at<std::uint64_t>(thread, rest.address);
    if (set && std::has_single_bit(*set)) descriptor = std::countr_zero(*set);
  } else if (rest.kind == RestOfCall::Kind::lock_type) {
    const auto type = value_at<short>(thread, rest.address);
    evidence.locks_shared = type && *type == F_RDLCK;
  }
  evidence.descriptor = descriptor ? kind_of(thread, *descriptor) : DescriptorKind::none;
}

DescriptorKind DescriptorLookup::kind_of(std::uint32_t thread, int descriptor) {
  const std::string path = fmt::format("/proc/{}/fd/{}", thread, descriptor);
  std::array<char, 64> bytes;  // a longer link is a path
  const ssize_t length = ::readlink(path.c_str(), bytes.data(), bytes.size());
  if (length <= 0) return DescriptorKind::unknown;
  const std::string link(bytes.data(), static_cast<std::size_t>(length));
  const DescriptorKind kind = kind_of_link(link);
  if (kind == DescriptorKind::file) return kind_of_path(path);
  if (kind != DescriptorKind::other_socket) return kind;
  if (const auto known = sockets_.find(link); known != sockets_.end()) return known->second;
  const ssize_t name = ::getxattr(path.c_str(), "system.sockprotoname", bytes.data(), bytes.size());
  if (name <= 0) return kind;
  if (sockets_.size() >= kMostSockets) sockets_.clear();
  return sockets_[link] = kind_of_protocol(std::string_view(bytes.data(), static_cast<std::size_t>(name)));
}

// A plain stat() could wait for a file server, and the sample with it.
DescriptorKind DescriptorLookup::kind_of_path(const std::string& path) {
  struct statx status = {};
  if (::statx(AT_FDCWD, path.c_str(), AT_STATX_DONT_SYNC, STATX_TYPE, &status) != 0) return DescriptorKind::unknown;
  return kind_of_type(status.stx_mode, status.stx_rdev_major);
}

}  // namespace dpm::sampling
