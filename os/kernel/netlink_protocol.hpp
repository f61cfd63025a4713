// Netlink: sockets on which processes talk with the kernel, and by one protocol with each other.
#pragma once

namespace dpm {

bool is_netlink_between_processes(int protocol);

}  // namespace dpm
