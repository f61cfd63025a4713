// How long a thread waited for a process, as the kernel's programs have counted it.
#pragma once

#include "backends/linux/bpf/kernel_record.h"

namespace dpm {

struct KernelAccount {
  dpm_account_key key;
  dpm_account account;
};

}  // namespace dpm
