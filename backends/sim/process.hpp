// A process of DEMOS/MP (thesis figure 4.1): program, state, incoming message queue, link table, and what the meter
// needs to know.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backends/sim/engine.hpp"
#include "backends/sim/links.hpp"
#include "backends/sim/machine.hpp"
#include "backends/sim/packet.hpp"
#include "model/message_calls.hpp"
#include "model/meter_flags.hpp"
#include "model/program.hpp"
#include "model/random.hpp"

namespace dpm::sim {

class ProcessCalls;
struct Semaphore;

// lost: with its machine; off: by a fault of its own
enum class Life : std::uint8_t { created, alive, ended, destroyed, lost, off };

enum class Waiting : std::uint8_t { for_nothing, for_message, for_reply, for_data, for_time, for_unit };

namespace stop_reason {
inline constexpr std::uint8_t kRequest = 1;
inline constexpr std::uint8_t kMigration = 2;
}  // namespace stop_reason

// Messages that have arrived, in order of arrival. A message counts until its RECEIVE, which comes after the CPU time of
// receiving, so the figures are those that a trace shows.
class MessageQueue {
 public:
  void arrived(TrueTime now) {
    advance(now);
    if (++length_ > max_) max_ = length_;
  }
  void received(TrueTime now) {
    advance(now);
    --length_;
  }
  void advance(TrueTime now) {
    area_ns_ += static_cast<double>(length_) * static_cast<double>((now - last_change_).ns);
    last_change_ = now;
  }

  // The time in which the process was gone does not count.
  void begin_again(TrueTime now) {
    waiting.clear();
    length_ = 0;
    last_change_ = now;
  }

  std::uint64_t max() const { return max_; }
  double area_ns() const { return area_ns_; }

  std::deque<Packet*> waiting;  // not yet taken by a receive

 private:
  std::uint64_t length_ = 0;
  std::uint64_t max_ = 0;
  double area_ns_ = 0;
  TrueTime last_change_;
};

// Links between two processes that the scenario wired, by the name of the other.
struct WiredLinks {
  LinkIndex to;    // my link to it
  LinkIndex from;  // my end of its link to me
};

// What a receive waits for: any of these channels, or any channel at all if there are none.
struct Wanted {
  std::span<Channel* const> channels = {};
  const Selection::Rank* rank = nullptr;  // null: all have the same

  std::optional<double> rank_of(const Packet& packet) const {
    const auto is_channel = [&](const Channel* channel) { return channel == packet.channel; };
    if (!channels.empty() && std::none_of(channels.begin(), channels.end(), is_channel)) return std::nullopt;
    return rank == nullptr ? 0 : (*rank)(packet.channel->owners_index, packet.code);
  }
};

struct Process {
  // ---- identity
  std::string name;
  std::string program_name;
  Program program;
  Machine* machine = nullptr;
  bool in_computation = true;
  bool service = false;
  bool is_awaited = false;  // the scenario describes it, and another process is to create it
  bool system = false;  // kernels, process manager, switchboard, filters: started by their first message, never metered
  ProcessId id;         // system processes get one when a trace first names them
  std::uint32_t rank = 0;  // decides ties; the order of the scenario
  MeterFlags flags;
  std::uint16_t filter = 0;

  // ---- execution
  Life life = Life::created;
  std::uint8_t stopped = 0;  // by stop_reason
  bool suspended = false;    // its actor sleeps and must be resumed
  bool runnable = false;     // counted in its machine's load
  Waiting waiting = Waiting::for_nothing;
  Wanted wanted;                   // while waiting for a message
  std::string_view awaited_kinds;  // by the program's own words; may be empty
  bool rests = true;               // while it waits for a message, it is not in the middle of its work
  std::uint64_t timer = 0;         // its number while one is set; 0: none
  std::unique_ptr<Actor> actor;
  std::unique_ptr<ProcessCalls> calls;
  Process* started_by = nullptr;
  std::uint32_t restarts = 0;
  std::string destroyed_by;

  Process();
  ~Process();  // where ProcessCalls is known

  // ---- CPU time
  std::int64_t cpu_ns = 0;        // used by executions that have ended
  std::int64_t computing_ns = 0;  // asked for by the one that goes on; 0: none
  std::int64_t runnable_ns = 0;   // in stays that have ended
  TrueTime runnable_since;
  std::int64_t ready_told_ns = 0;  // by the last event: rounding must not take any of it back
  Duration owed;                   // metering costs not yet charged; for a machine of speed 1

  // ---- communication
  std::vector<std::byte> address_space;
  LinkTable<Link> links;
  std::array<LinkIndex, 3> standard_links;  // by StandardLink
  Channel* front_door = nullptr;            // of a system process: what the standard links to it lead to
  std::unordered_map<const Process*, WiredLinks> wired;
  MessageQueue queue;
  Channel* reply_channel = nullptr;
  std::uint64_t calls_made = 0;
  std::vector<Process*> called;          // by the last CALLs, of those that have not replied
  std::uint64_t first_awaited_call = 0;  // this CALL and those after it may still be answered; 0: none
  std::deque<Packet*> replies;
  const Semaphore* awaited_semaphore = nullptr;
  std::uint64_t unit = 0;  // that it has been given of one
  std::uint64_t next_sequence = 1;
  std::unordered_map<const Process*, TrueTime> last_arrival_at;  // messages to one receiver never overtake each other

  // ---- truth
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  TrueTime started;
  TrueTime last_activity;
  TrueTime ended;

  bool is_gone() const {
    return life == Life::ended || life == Life::destroyed || life == Life::lost || life == Life::off;
  }

  std::int64_t cpu_ns_now() const {
    if (computing_ns == 0) return cpu_ns;
    const std::int64_t left = actor->left_ns();
    return cpu_ns + computing_ns - (left < computing_ns ? left : computing_ns);
  }

  // A process does nothing else in zero time, so it runs or is ready whenever it is runnable. Ends of computing are
  // rounded to whole nanoseconds.
  std::int64_t ready_ns_at(TrueTime now) const {
    const std::int64_t ready_ns = runnable_ns + (runnable ? (now - runnable_since).ns : 0) - cpu_ns_now();
    return ready_ns < 0 ? 0 : ready_ns;
  }

  bool wants(const Packet& packet) const { return wanted.rank_of(packet).has_value(); }
  bool awaits_reply_to(std::uint64_t call) const { return first_awaited_call != 0 && call >= first_awaited_call; }
};

}  // namespace dpm::sim
