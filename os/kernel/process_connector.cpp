#include "os/kernel/process_connector.hpp"

#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>

#include "os/process_namespace.hpp"

namespace dpm {
namespace {

constexpr int kConnectorBufferBytes = 4 << 20;
constexpr std::uint32_t kOwnRequest = 0x44504d;  // tells the confirmation from those of other listeners' requests

std::optional<ProcessChange> change_of(const proc_event& event) {
  ProcessChange change;
  change.boot_time_ns = event.timestamp_ns;
  // The numbers of the enumeration moved into another type between kernel headers; the values have not changed.
  switch (static_cast<std::uint32_t>(event.what)) {
    case 0x1:
      change.kind = ProcessChange::Kind::fork;
      change.tid = static_cast<std::uint32_t>(event.event_data.fork.child_pid);
      change.pid = static_cast<std::uint32_t>(event.event_data.fork.child_tgid);
      change.parent_tid = static_cast<std::uint32_t>(event.event_data.fork.parent_pid);
      change.parent_pid = static_cast<std::uint32_t>(event.event_data.fork.parent_tgid);
      return change;
    case 0x2:
      change.kind = ProcessChange::Kind::exec;
      change.tid = static_cast<std::uint32_t>(event.event_data.exec.process_pid);
      change.pid = static_cast<std::uint32_t>(event.event_data.exec.process_tgid);
      return change;
    case 0x80000000:
      change.kind = ProcessChange::Kind::exit;
      change.tid = static_cast<std::uint32_t>(event.event_data.exit.process_pid);
      change.pid = static_cast<std::uint32_t>(event.event_data.exit.process_tgid);
      change.exit_code = event.event_data.exit.exit_code;
      return change;
    default:
      return std::nullopt;
  }
}

// The kernel confirms a subscription before send() returns. In a user namespace, or with process ids of one's own, it takes
// the request, does not confirm it, and announces nothing, or by the machine's own process ids if others listen.
bool is_confirmed(int fd) {
  alignas(nlmsghdr) char buffer[4096];
  for (;;) {
    const ssize_t length = ::recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (length < 0 && (errno == EINTR || errno == ENOBUFS)) continue;
    if (length < 0) return false;
    const auto* message = reinterpret_cast<const cn_msg*>(buffer + NLMSG_LENGTH(0));
    constexpr std::size_t kHead = NLMSG_LENGTH(sizeof(cn_msg));
    proc_event event = {};
    if (static_cast<std::size_t>(length) < kHead + offsetof(proc_event, event_data)) continue;
    std::memcpy(&event, buffer + kHead, std::min(sizeof event, static_cast<std::size_t>(length) - kHead));
    if (static_cast<std::uint32_t>(event.what) == 0 && message->ack == kOwnRequest + 1)
      return event.event_data.ack.err == 0;
  }
}

Result<void> subscribe(int fd) {
  // A header, a connector message and the operation, one after another.
  alignas(nlmsghdr) char request[NLMSG_LENGTH(sizeof(cn_msg) + sizeof(proc_cn_mcast_op))] = {};
  auto* header = reinterpret_cast<nlmsghdr*>(request);
  header->nlmsg_len = sizeof request;
  header->nlmsg_type = NLMSG_DONE;
  auto* message = reinterpret_cast<cn_msg*>(request + NLMSG_LENGTH(0));
  message->id.idx = CN_IDX_PROC;
  message->id.val = CN_VAL_PROC;
  message->ack = kOwnRequest;
  message->len = sizeof(proc_cn_mcast_op);
  const auto operation = PROC_CN_MCAST_LISTEN;
  std::memcpy(request + NLMSG_LENGTH(sizeof(cn_msg)), &operation, sizeof(proc_cn_mcast_op));
  if (::send(fd, request, sizeof request, 0) != static_cast<ssize_t>(sizeof request))
    return Error::from_errno("ask the kernel to announce processes");
  if (!is_confirmed(fd)) return Error{"the kernel announces processes to the machine's first namespaces only"};
  return {};
}

}  // namespace

Result<ProcessConnector> ProcessConnector::open() {
  if (has_own_process_ids()) return Error{"the process events connector has the machine's own process ids"};
  UniqueFd fd(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR));
  if (!fd) return Error::from_errno("open the process events connector");
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &kConnectorBufferBytes, sizeof kConnectorBufferBytes);
  sockaddr_nl address = {};
  address.nl_family = AF_NETLINK;
  address.nl_groups = CN_IDX_PROC;
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return Error::from_errno("listen to the process events connector");
  if (auto subscribed = subscribe(fd.get()); !subscribed) return subscribed.error();
  return ProcessConnector(std::move(fd));
}

bool ProcessConnector::drain(const std::function<void(const ProcessChange&)>& take) {
  bool complete = true;
  alignas(nlmsghdr) char buffer[4096];
  for (;;) {
    const ssize_t length = ::recv(fd_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (length < 0) {
      if (errno == EINTR) continue;
      if (errno == ENOBUFS) {
        complete = false;
        continue;
      }
      return complete;
    }
    constexpr std::size_t kHead = NLMSG_LENGTH(sizeof(cn_msg));
    if (static_cast<std::size_t>(length) < kHead + offsetof(proc_event, event_data)) continue;
    proc_event event = {};
    std::memcpy(&event, buffer + kHead, std::min(sizeof event, static_cast<std::size_t>(length) - kHead));
    if (const auto change = change_of(event)) take(*change);
  }
}

}  // namespace dpm
