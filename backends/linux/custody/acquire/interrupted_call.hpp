// The registers with which a thread goes on undisturbed after it was stopped from outside in a system call. Pure
// functions; the numbers are the kernel's (include/linux/errno.h).
//
// Most interrupted calls leave a restart code in rax: the kernel makes the call again when the thread goes on, unless a
// signal handler runs first. Some leave EINTR, although no handler ran, because that is simpler for the kernel; programs are rarely
// prepared for that. Such a call has had no effect yet, so it can be made again as well. The only
// difference is that its timeout, if it has one, starts again.
#pragma once

#include <sys/user.h>

namespace dpm {

// For a thread that the kernel continues: a call that would fail with EINTR because of us is made again. If a signal
// handler runs, it fails with EINTR because of that.
user_regs_struct undisturbed(const user_regs_struct& stopped);

// The same for a thread that loads its registers itself, without the kernel's help.
user_regs_struct unassisted(const user_regs_struct& stopped);

}  // namespace dpm
