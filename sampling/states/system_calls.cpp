#include "sampling/states/system_calls.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <vector>

namespace dpm::sampling {
namespace {

constexpr int kNoDescriptor = -1;

struct Row {
  long number;
  std::string_view word;
  int descriptor = kNoDescriptor;  // which argument it is
};

// A call that this table lacks is recognised by the wait channel alone, if at all. Numbers differ between architectures,
// and newer systems lack the older calls of each pair.
const std::vector<Row>& table() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all = {
        {SYS_read, "read", 0},
        {SYS_readv, "read", 0},
        {SYS_pread64, "read", 0},
        {SYS_preadv, "read", 0},
        {SYS_preadv2, "read", 0},
        {SYS_recvfrom, "read", 0},
        {SYS_recvmsg, "read", 0},
        {SYS_recvmmsg, "read", 0},
        {SYS_accept, "read", 0},
        {SYS_accept4, "read", 0},
        {SYS_write, "write", 0},
        {SYS_writev, "write", 0},
        {SYS_pwrite64, "write", 0},
        {SYS_pwritev, "write", 0},
        {SYS_pwritev2, "write", 0},
        {SYS_sendto, "write", 0},
        {SYS_sendmsg, "write", 0},
        {SYS_sendmmsg, "write", 0},
        {SYS_connect, "write", 0},
        {SYS_sendfile, "write", 0},  // it waits for room; what it reads is a file
        {SYS_splice, "splice", 0},
        {SYS_tee, "splice", 0},
        {SYS_vmsplice, "write", 0},
        {SYS_copy_file_range, "file", 0},
        {SYS_shutdown, "write", 0},
        {SYS_close, "close", 0},
        {SYS_fsync, "file", 0},
        {SYS_fdatasync, "file", 0},
        {SYS_sync_file_range, "file", 0},
        {SYS_syncfs, "file", 0},
        {SYS_sync, "file"},
        {SYS_fallocate, "file", 0},
        {SYS_ftruncate, "file", 0},
        {SYS_truncate, "file"},
        {SYS_lseek, "file", 0},
        {SYS_getdents64, "file", 0},
        {SYS_openat, "open"},
        {SYS_openat2, "open"},
        {SYS_unlinkat, "path"},
        {SYS_mkdirat, "path"},
        {SYS_linkat, "path"},
        {SYS_symlinkat, "path"},
        {SYS_renameat2, "path"},
        {SYS_statx, "path"},
        {SYS_newfstatat, "path"},
        {SYS_faccessat, "path"},
        {SYS_faccessat2, "path"},
        {SYS_readlinkat, "path"},
        {SYS_fchmodat, "path"},
        {SYS_fchownat, "path"},
        {SYS_utimensat, "path"},
        {SYS_execve, "exec"},
        {SYS_execveat, "exec"},
        {SYS_exit, "exit"},
        {SYS_exit_group, "exit"},
        {SYS_clone, "fork"},
        {SYS_clone3, "fork"},
        {SYS_wait4, "child"},
        {SYS_waitid, "child"},
        {SYS_pselect6, "select"},
        {SYS_ppoll, "poll"},
        {SYS_epoll_pwait, "epoll", 0},
        {SYS_epoll_pwait2, "epoll", 0},
        {SYS_io_getevents, "io_events"},
        {SYS_io_pgetevents, "io_events"},
        {SYS_io_uring_enter, "io_uring"},
        {SYS_nanosleep, "sleep"},
        {SYS_clock_nanosleep, "sleep"},
        {SYS_rt_sigsuspend, "signal"},
        {SYS_rt_sigtimedwait, "signal"},
        {SYS_futex, "futex"},
        {449, "futex"},  // futex_waitv
        {455, "futex"},  // futex_wait; both have one number everywhere
        {SYS_semop, "semaphore"},
        {SYS_semtimedop, "semaphore"},
        {SYS_msgrcv, "message_queue"},
        {SYS_msgsnd, "message_queue"},
        {SYS_mq_timedreceive, "message_queue"},
        {SYS_mq_timedsend, "message_queue"},
        {SYS_flock, "flock"},
        {SYS_fcntl, "fcntl", 0},
        {SYS_ioctl, "ioctl", 0},
        {SYS_mmap, "map"},
        {SYS_munmap, "map"},
        {SYS_mprotect, "map"},
        {SYS_mremap, "map"},
        {SYS_madvise, "map"},
        {SYS_brk, "map"},
        {SYS_msync, "file"},
    };
#ifdef SYS_open
    all.insert(all.end(),
               {{SYS_open, "open"},           {SYS_creat, "open"},  {SYS_unlink, "path"},   {SYS_mkdir, "path"},
                {SYS_rmdir, "path"},          {SYS_link, "path"},   {SYS_symlink, "path"},  {SYS_rename, "path"},
                {SYS_renameat, "path"},       {SYS_stat, "path"},   {SYS_lstat, "path"},    {SYS_access, "path"},
                {SYS_readlink, "path"},       {SYS_chmod, "path"},  {SYS_chown, "path"},    {SYS_getdents, "file", 0},
                {SYS_fork, "fork"},           {SYS_vfork, "fork"},  {SYS_select, "select"}, {SYS_poll, "poll"},
                {SYS_epoll_wait, "epoll", 0}, {SYS_pause, "signal"}});
#endif
    std::sort(all.begin(), all.end(), [](const Row& a, const Row& b) { return a.number < b.number; });
    return all;
  }();
  return rows;
}

const Row* row_of(long number) {
  const auto& rows = table();
  const auto found = std::lower_bound(rows.begin(), rows.end(), number,
                                      [](const Row& row, long wanted) { return row.number < wanted; });
  return found != rows.end() && found->number == number ? &*found : nullptr;
}

bool is_lock_wait(std::uint64_t command) { return command == F_SETLKW || command == F_OFD_SETLKW; }

}  // namespace

std::string_view word_of(const SystemCall& call) {
  if (call.number == SystemCall::kNotInACall) return "fault";
  const Row* row = row_of(call.number);
  if (row == nullptr) return "";
  if (row->word == "flock") return (call.arguments[1] & LOCK_SH) != 0 ? "lock_shared" : "lock_exclusive";
  if (row->word == "fcntl") return is_lock_wait(call.arguments[1]) ? "lock_exclusive" : "";
  if (row->word == "poll") return call.arguments[1] == 0 ? "sleep" : "poll";
  if (row->word == "select") {
    const bool waits_for_nothing =
        call.arguments[0] == 0 || (call.arguments[1] == 0 && call.arguments[2] == 0 && call.arguments[3] == 0);
    return waits_for_nothing ? "sleep" : "poll";
  }
  return row->word;
}

SystemCall begun_again(const SystemCall& call, std::string_view wchan) {
  if (call.number != SYS_restart_syscall || wchan.empty()) return call;
  const auto begins = [wchan](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [wchan](std::string_view name) { return wchan.starts_with(name); });
  };
  SystemCall again = call;
  // Some kernels skip the functions that sleep, and name the one that all calls begin in.
  if (begins({"hrtimer_nanosleep", "do_nanosleep", "common_nsleep", "schedule_hrtimeout", "alarm_timer_nsleep",
              "do_syscall_64"}))
    again.number = SYS_clock_nanosleep;
  if (begins({"futex_"})) again.number = SYS_futex;
#ifdef SYS_poll
  if (begins({"poll_schedule_timeout", "do_poll", "do_sys_poll"})) again.number = SYS_poll;
#endif
  return again;
}

std::optional<int> descriptor_of(const SystemCall& call) {
  const Row* row = row_of(call.number);
  if (row == nullptr || row->descriptor == kNoDescriptor) return std::nullopt;
  return static_cast<int>(call.arguments[static_cast<std::size_t>(row->descriptor)]);
}

RestOfCall rest_of(const SystemCall& call) {
  using Kind = RestOfCall::Kind;
  const Row* row = row_of(call.number);
  if (row == nullptr) return {};
  if (row->word == "poll" && call.arguments[1] == 1) return {Kind::poll_descriptor, call.arguments[0], sizeof(int)};
  // Sets of more descriptors than one word has are those of servers, which wait for several.
  if (row->word == "select" && call.arguments[0] > 0 && call.arguments[0] <= 64 && call.arguments[1] != 0 &&
      call.arguments[2] == 0)
    return {Kind::select_sets, call.arguments[1], sizeof(std::uint64_t)};
  if (row->word == "fcntl" && is_lock_wait(call.arguments[1]))
    return {Kind::lock_type, call.arguments[2], sizeof(short)};
  return {};
}

}  // namespace dpm::sampling
