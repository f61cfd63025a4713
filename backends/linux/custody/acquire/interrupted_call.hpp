// A thread that is stopped from outside while it waits in a system call: the registers with which it goes on as if it
// had not been disturbed. Pure functions; the numbers are the kernel's (include/linux/errno.h).
//
// Most calls leave "make me again" in rax, which the kernel does when the thread goes on, unless a signal handler runs
// first. Some leave EINTR, although no handler ran, because that is simpler for the kernel; programs are rarely
// prepared for that. Nothing has happened yet in a call that says so, so that it can be made again as well. What
// differs then is that its timeout, if it has one, begins anew.
#pragma once

#include <sys/user.h>

namespace dpm {

// For the kernel to carry on from where the thread was stopped: a call that would fail with EINTR because of us is made
// again, unless there is a signal handler to run, and then fails with EINTR because of that.
user_regs_struct undisturbed(const user_regs_struct& stopped);

// The same with nobody's help, for the thread to load into its registers itself.
user_regs_struct unassisted(const user_regs_struct& stopped);

}  // namespace dpm
