#include "os/kernel/netlink_protocol.hpp"

#include <linux/netlink.h>

namespace dpm {

bool is_netlink_between_processes(int protocol) { return protocol == NETLINK_USERSOCK; }

}  // namespace dpm
