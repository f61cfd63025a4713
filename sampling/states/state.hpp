// What a thread can be doing at the instant of a sample, and which resource it then queues for or runs on (S4, the model of
// Penny and Ashton). A thread is in exactly one state.
//
// The first 22 are those of MON, on today's kernel; the others did not exist in 4.3BSD. A resource serves some states and
// makes others queue: a process *runs on* the disk while its own transfer is under way, and *queues for* it while a block is
// in use by another process. A state that waits for another process (a lock, an answer, a child) queues.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dpm::sampling {

enum class State : std::uint8_t {
  cpu_run,
  cpu_queue,
  created,
  ending,
  terminal_output,
  terminal_input,
  page_wait,
  disk_io,
  swap,
  busy_block,
  select,
  inode_lock,
  exclusive_lock,
  shared_lock,
  sleep,
  signal,
  child,
  unix_read,
  unix_write,
  inet_read,
  inet_write,
  stopped,
  // not in MON
  throttled,
  pipe_read,
  pipe_write,
  other_read,
  other_write,
  futex,
  semaphore,
  message_queue,
  event,
  io_uring,
  memory_reclaim,
  address_space,
  supervisor,
  kernel,
};
inline constexpr std::size_t kStates = static_cast<std::size_t>(State::kernel) + 1;
inline constexpr std::size_t kStatesOfMon = static_cast<std::size_t>(State::stopped) + 1;
static_assert(kStatesOfMon == 22, "S4, mon.h");

enum class Resource : std::uint8_t {
  cpu,
  process,  // the kernel's work to create or end one
  terminal,
  paging,
  swap,
  disk,
  inode,
  file_lock,
  select,
  timer,
  signal,
  child,
  unix_socket,
  inet_socket,
  other_socket,
  pipe,
  user_lock,
  message_queue,
  event,
  io_uring,
  memory,
  supervisor,
  kernel,
  stop,
};
inline constexpr std::size_t kResources = static_cast<std::size_t>(Resource::stop) + 1;

enum class Part : std::uint8_t { queueing, running };

struct StateInfo {
  State state;
  std::string_view name;   // in files, options and JSON
  std::string_view label;  // in tables
  Resource resource;
  Part part;
  std::string_view of_mon;  // the name in MON's mon.h; empty for a state that MON did not have
};

std::span<const StateInfo> all_states();  // in the order of State
const StateInfo& info_of(State state);
std::optional<State> state_named(std::string_view name);

std::string_view name_of(Resource resource);
std::optional<Resource> resource_named(std::string_view name);

}  // namespace dpm::sampling
