// All processes of a program that we are the parent of: its first one and all that descend from it, also those whose
// own parents have ended (we adopt these, once adopt_orphans() is called).
#pragma once

#include <cstdint>
#include <vector>

namespace dpm {

// From now on what our descendants leave behind becomes our child. Not what we ourselves have detached before.
void adopt_orphans();

// Our children, their children and so on, parents before children.
std::vector<std::uint32_t> descendants();

// Sends the signal to all of them, and to those that come meanwhile, until there are no others: with SIGSTOP or SIGKILL
// nobody is left who could make more.
void signal_descendants(int signal);

// Takes away what has ended, other than `spared`: it is waited for elsewhere.
void reap_orphans(std::uint32_t spared);

}  // namespace dpm
