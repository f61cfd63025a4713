#include "sampling/states/state.hpp"

#include <algorithm>
#include <array>

#include "model/check.hpp"

namespace dpm::sampling {
namespace {

constexpr std::array<StateInfo, kStates> kTable = {{
    {State::cpu_run, "cpu_run", "CPU run", Resource::cpu, Part::running, "CPU_R"},
    {State::cpu_queue, "cpu_queue", "CPU queue", Resource::cpu, Part::queueing, "CPU_Q"},
    {State::created, "created", "being created", Resource::process, Part::queueing, "PROC_C"},
    {State::ending, "ending", "ending", Resource::process, Part::running, "PROC_T"},
    {State::terminal_output, "terminal_output", "terminal output", Resource::terminal, Part::running, "OUTPUT"},
    {State::terminal_input, "terminal_input", "terminal input", Resource::terminal, Part::queueing, "INPUT"},
    {State::page_wait, "page_wait", "page wait", Resource::paging, Part::running, "PIO"},
    {State::disk_io, "disk_io", "disk I/O", Resource::disk, Part::running, "NPIO"},
    {State::swap, "swap", "swap I/O", Resource::swap, Part::running, "SWIO"},
    {State::busy_block, "busy_block", "busy disk block", Resource::disk, Part::queueing, "BUFW"},
    {State::select, "select", "select, poll, epoll", Resource::select, Part::queueing, "SELW"},
    {State::inode_lock, "inode_lock", "inode lock", Resource::inode, Part::queueing, "LINODE"},
    {State::exclusive_lock, "exclusive_lock", "exclusive file lock", Resource::file_lock, Part::queueing, "EXFLOCK"},
    {State::shared_lock, "shared_lock", "shared file lock", Resource::file_lock, Part::queueing, "SHFLOCK"},
    {State::sleep, "sleep", "timed sleep", Resource::timer, Part::running, "LBOLT"},
    {State::signal, "signal", "signal", Resource::signal, Part::queueing, "SIGPAUSE"},
    {State::child, "child", "child process", Resource::child, Part::queueing, "WCHILD"},
    {State::unix_read, "unix_read", "UNIX socket read", Resource::unix_socket, Part::queueing, "SUNIXR"},
    {State::unix_write, "unix_write", "UNIX socket write", Resource::unix_socket, Part::running, "SUNIXW"},
    {State::inet_read, "inet_read", "INET socket read", Resource::inet_socket, Part::queueing, "SINETR"},
    {State::inet_write, "inet_write", "INET socket write", Resource::inet_socket, Part::running, "SINETW"},
    {State::stopped, "stopped", "stopped", Resource::stop, Part::queueing, "STOPPED"},
    {State::throttled, "throttled", "CPU quota used up", Resource::cpu, Part::queueing, ""},
    {State::pipe_read, "pipe_read", "pipe read", Resource::pipe, Part::queueing, ""},
    {State::pipe_write, "pipe_write", "pipe write", Resource::pipe, Part::running, ""},
    {State::other_read, "other_read", "other socket read", Resource::other_socket, Part::queueing, ""},
    {State::other_write, "other_write", "other socket write", Resource::other_socket, Part::running, ""},
    {State::futex, "futex", "lock or condition (futex)", Resource::user_lock, Part::queueing, ""},
    {State::semaphore, "semaphore", "semaphore", Resource::user_lock, Part::queueing, ""},
    {State::message_queue, "message_queue", "message queue", Resource::message_queue, Part::queueing, ""},
    {State::event, "event", "eventfd, inotify, device", Resource::event, Part::queueing, ""},
    {State::io_uring, "io_uring", "io_uring", Resource::io_uring, Part::queueing, ""},
    {State::memory_reclaim, "memory_reclaim", "memory reclaim", Resource::memory, Part::queueing, ""},
    {State::address_space, "address_space", "address space lock", Resource::memory, Part::queueing, ""},
    {State::supervisor, "supervisor", "seccomp supervisor", Resource::supervisor, Part::queueing, ""},
    {State::kernel, "kernel", "work of the kernel", Resource::kernel, Part::queueing, ""},
}};

constexpr std::array<std::string_view, kResources> kResourceNames = {
    "cpu",       "process",       "terminal", "paging",   "swap",        "disk",        "inode",        "file_lock",
    "select",    "timer",         "signal",   "child",    "unix_socket", "inet_socket", "other_socket", "pipe",
    "user_lock", "message_queue", "event",    "io_uring", "memory",      "supervisor",  "kernel",       "stop"};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kStates; ++i)
    if (static_cast<std::size_t>(kTable[i].state) != i) return false;
  return true;
}
static_assert(is_in_order(), "info_of() takes a row by its number");

}  // namespace

std::span<const StateInfo> all_states() { return kTable; }

const StateInfo& info_of(State state) {
  DPM_CHECK(static_cast<std::size_t>(state) < kStates);
  return kTable[static_cast<std::size_t>(state)];
}

std::optional<State> state_named(std::string_view name) {
  const auto found = std::find_if(kTable.begin(), kTable.end(), [&](const auto& row) { return row.name == name; });
  if (found == kTable.end()) return std::nullopt;
  return found->state;
}

std::string_view name_of(Resource resource) {
  DPM_CHECK(static_cast<std::size_t>(resource) < kResources);
  return kResourceNames[static_cast<std::size_t>(resource)];
}

std::optional<Resource> resource_named(std::string_view name) {
  const auto found = std::find(kResourceNames.begin(), kResourceNames.end(), name);
  if (found == kResourceNames.end()) return std::nullopt;
  return static_cast<Resource>(found - kResourceNames.begin());
}

}  // namespace dpm::sampling
