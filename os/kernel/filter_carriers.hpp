// Whether any process may still make calls under a filter of seccomp.
//
// A listener hangs up when no process carries its filter, but before Linux 6.11 a dead process carries it until its parent has waited for
// it. A parent that first reads the meter's output to its end would wait for the meter, and the meter for the parent.
#pragma once

#include <cstdint>

namespace dpm {

// True if a process that lives and began at `since_boot_ns` or later has any filter, or if /proc cannot be read. Not every such process carries the one that is asked
// about, but each that carries one that was installed then is among them.
bool may_have_filter_carriers(std::uint64_t since_boot_ns);

}  // namespace dpm
