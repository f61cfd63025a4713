// The names of flows and their ends, as users and other meters read them.
#pragma once

#include <cstdint>
#include <string>

#include "model/trace_info.hpp"
#include "os/kernel/descriptor.hpp"

namespace dpm {

// UNIX sockets are known by inode; the path of a bound one says more to a user.
std::string unix_end(std::uint64_t inode, const std::string& path);

std::string flow_name(Medium medium, const std::string& from, const std::string& to);

ChannelEnd end_named(Medium medium, const std::string& name);

ChannelInfo describe_flow(Medium medium, ChannelKind kind, const std::string& from, const std::string& to);

}  // namespace dpm
