// All processes of a program that is our child: its first process and all its descendants. After adopt_orphans() these
// include processes whose parents have ended.
#pragma once

#include <cstdint>
#include <vector>

namespace dpm {

// From now on the kernel makes orphans among our descendants our children, but not processes that we have detached.
void adopt_orphans();

// Our children, their children and so on, parents before children.
std::vector<std::uint32_t> descendants();
// The same of another process.
std::vector<std::uint32_t> descendants_of(std::uint32_t ancestor);

// Reaps children that have ended, except `spared`, which is waited for elsewhere.
void reap_orphans(std::uint32_t spared);

}  // namespace dpm
