#include "os/kernel/filter_call.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstddef>

namespace dpm {

static_assert(kSetFilter == SECCOMP_SET_MODE_FILTER);
static_assert(kAllThreadsWithListener ==
              (SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_TSYNC_ESRCH));
static_assert(sizeof(FilterProgram) == sizeof(sock_fprog));
static_assert(offsetof(FilterProgram, instructions) == offsetof(sock_fprog, filter));

}  // namespace dpm
