// Serves the calls of one program. Two threads share it, under one lock:
//
//   serve()  takes notifications one by one, looks, records, lets go: everything on the path of a call is here
//   attend() everything that happens without a call: data for calls that are held, announcements about processes,
//            deadlines, events that wait for their length, the end
//
// Finished events go to the queue a thousand at a time, and at least a hundred times a second; those of processes whose
// flags say "immediate", at once. While the program makes no call attend() looks ever more seldom.
#pragma once

#include <pthread.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/linux/capture/callers/caller_finder.hpp"
#include "backends/linux/capture/kernel/closed_sockets.hpp"
#include "backends/linux/capture/kernel/notification_slots.hpp"
#include "backends/linux/capture/kernel/process_connector.hpp"
#include "backends/linux/capture/kernel/process_files.hpp"
#include "backends/linux/capture/kernel/seccomp_listener.hpp"
#include "backends/linux/capture/supervisor/bypass_account.hpp"
#include "backends/linux/capture/supervisor/call_arguments.hpp"
#include "backends/linux/capture/supervisor/child_waits.hpp"
#include "backends/linux/capture/supervisor/linux_source.hpp"
#include "backends/linux/capture/supervisor/record_queue.hpp"
#include "backends/linux/capture/supervisor/several_datagrams.hpp"
#include "backends/linux/capture/supervisor/tracked_thread.hpp"

namespace dpm {

class Supervisor {
 public:
  Supervisor(MeteredProgram& program, const MeterOptions& options, std::uint64_t call_cost_ns, RecordQueue& queue);

  // Both return when the last process of the program has ended, or after stop(). attend() closes the queue.
  void serve();
  void attend(pthread_t serving);

  void stop();
  void set_flags(std::uint32_t pid, MeterFlags flags);

  MeterSummary summary();
  std::vector<Loss> losses();  // of calls that were not recorded
  std::vector<std::string> warnings();
  std::vector<std::uint32_t> processes();  // that live, by their ids

 private:
  static constexpr std::int64_t kTickNs = 10'000'000;
  enum class Outcome : std::uint8_t { let_go, held, answered };

  // supervisor.cpp: one call
  Outcome handle(const Notification& notification);
  // `available`: no more can be sent, whatever is asked for.
  void send(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
            std::uint64_t available = UINT64_MAX);
  void send_datagrams(const Notification& notification, const MeteredCall& shape, int fd, Socket& socket,
                      const Call& call);
  void change_path(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);
  Flow* stream_from(int fd, const DescriptorIdentity& identity);
  Call circumstances(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);
  // What a call is about: an open file borrowed for the time of looking at it.
  struct Way {
    UniqueFd fd;
    DescriptorIdentity identity;
    Socket* socket = nullptr;  // none: a pipe
  };
  std::optional<Way> way_behind(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);
  bool may_open_no_more() const;
  UniqueFd borrow(TrackedThread& thread, std::int32_t descriptor);
  Socket* socket_behind(int fd, std::uint64_t id);
  std::uint64_t place_of(const Notification& notification, TrackedThread& thread);
  void note_code(TrackedThread& thread, std::uint64_t pc);
  void count_active(std::uint32_t tid);

  // supervisor_receives.cpp: calls that ask for data or a connection
  Outcome receive(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);
  Outcome take_first(TrackedThread& thread, Asking& asking, const Way& way);
  bool take_held(TrackedThread& thread, int fd);
  Flow* flow_of(const Asking& asking);
  bool is_exact(const Asking& asking);
  bool tells_its_share(const Asking& asking);
  std::optional<QueueSight> look(const Asking& asking, int fd);
  void look_at_memory(const Asking& asking, Socket& socket, int fd);
  std::optional<StreamBalance::Received> received_by_sends(Flow& flow, int fd, std::uint64_t waiting);
  void record_taken(TrackedThread& thread, const Asking& asking, const QueueSight& sight, int fd);
  void note_peek(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);
  void takes_several(const Asking& asking, const Call& call, const std::optional<WaitingDatagram>& first, int fd);
  void settle_several(std::int64_t now_ns);
  bool may_be_anothers_share(const Asking& asking, QueueSight& sight, int fd);
  bool has_left(Turns::Taker& taker, std::int64_t now_ns);
  void end_turn(TrackedThread& thread);

  // supervisor_accepts.cpp: which connection an accept got
  Outcome accept(const Notification& notification, TrackedThread& thread);
  void record_accept(TrackedThread& thread, const Call& call, const Notification& notification, const Socket& listener);
  void read_accepted(TrackedThread& thread);
  void settle_old_accepts(std::int64_t now_ns);
  std::size_t search_connections(TrackedThread& thread);

  // supervisor_events.cpp: eventfds
  Flow& eventfd_behind(const TrackedThread& thread, const EventCounter& counter);
  Outcome receive_units(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                        const Way& way);
  bool take_held_units(TrackedThread& thread, int fd);
  void send_units(const Notification& notification, const MeteredCall& shape, TrackedThread& thread, const Way& way);

  // supervisor_transfers.cpp: bytes that do not pass through the process
  Outcome transfer(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);

  // supervisor_holds.cpp: calls that wait with us
  Outcome hold(TrackedThread& thread, const Asking& asking, int fd);
  bool look_at_hold(TrackedThread& thread);
  void fire(HoldTable::Ticket ticket);
  void end_hold(TrackedThread& thread);
  void interrupt_hold(TrackedThread& thread);
  bool is_made_again(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);
  void check_holds();
  void check_deadlines(std::int64_t now_ns);
  std::int64_t next_deadline_ns() const;

  // supervisor_waits.cpp: calls that wait for children
  struct WaitLook {
    std::vector<std::uint32_t> ended;  // children that the call may take note of, in the order in which it would
    bool some_run = false;             // and some that run
    bool all_known = true;             // all of them are metered
    bool order_is_known = true;
    bool traced = false;  // one is stopped for its tracer
  };
  Outcome wait_for_child(const Notification& notification, TrackedThread& thread);
  bool may_hold_wait(TrackedThread& thread, const WaitRequest& request, const ThreadFiles::ChildHandling& handling);
  WaitLook look_at_children(TrackedThread& thread, const WaitRequest& request, std::uint32_t own_group, bool surely);
  void take_note(TrackedThread& thread, std::uint32_t child_pid, Evidence evidence);
  void end_wait(TrackedThread& thread);
  bool is_past_wait(std::uint32_t tid);
  bool may_be_announced_yet(const Kinship& kinship) const;
  void settle_waits();
  void settle_wait(TrackedThread& thread);
  void infer_wait(std::uint32_t parent_pid, const ChildState& child);
  void check_waits(std::int64_t now_ns);

  // supervisor_cpu.cpp: CPU time, to the end
  void read_cpu_time(TrackedThread& thread);
  void has_used(TrackedThread& thread, std::uint64_t cpu_ns);
  std::optional<std::uint64_t> share_of_ended(TrackedThread& thread);
  void read_last_cpu_time(TrackedThread& thread, LocalTime end);
  void ask_parent(TrackedThread& thread);
  void count_cpu_of_children(const TrackedProcess& process);
  void count_cpu(TrackedThread& thread);

  // supervisor_processes.cpp: who is there
  TrackedThread* tracked(std::uint32_t tid);
  struct Creator {
    Execution* execution = nullptr;
    bool itself = false;  // as in Meter::Birth
  };
  TrackedThread& meet(std::uint32_t tid, std::uint32_t pid, Creator creator, LocalTime time);
  void drain_announcements();
  void drain_closed_sockets();
  void announced(const ProcessChange& change, std::span<const ProcessChange> later);
  void forked(const ProcessChange& change, LocalTime time);
  void executed(TrackedThread& thread, LocalTime time);
  void ended(TrackedThread& thread, std::uint32_t exit_code, LocalTime time, bool number_goes_on);
  void process_is_gone(std::uint32_t pid, const Kinship& kinship);
  void process_has_ended(std::uint32_t pid, std::uint32_t exit_code);
  void join_kin(TrackedThread& thread, std::uint32_t creator_pid);
  void adopt(std::uint32_t child_pid);
  void forget(TrackedThread& thread);
  void look_around();
  void read_counters(TrackedThread& thread);
  void read_last_counters(TrackedThread& thread);
  bool may_be_in_call(TrackedThread& thread, std::int32_t descriptor);
  void settle_old_events(std::int64_t now_ns);
  void settle_old_event(const Meter::Unfinished& unfinished);
  void survey_open_files();
  void look_for_ring(const Execution& execution);
  std::vector<std::uint32_t> due_for_survey(std::int64_t now_ns);
  void survey(const std::vector<std::uint32_t>& pids);
  void meet_everybody();

  // attendance.cpp
  void wake();
  void note_activity();
  std::int64_t pause_after_look();
  void watch_end(const TrackedThread& thread);
  void interrupt(pthread_t serving);
  void await_last_announcements();
  void await_closed_sockets();
  void finish();

  bool keeper_stands_in();
  void pass_all();
  std::optional<Loss> stopped_loss() const;
  void hand_on();
  LocalTime local_time() const;

  MeteredProgram& program_;
  const MeterOptions options_;
  const std::uint64_t call_cost_ns_;
  RecordQueue& queue_;
  SeccompListener listener_;
  NotificationSlots& slots_;
  UniqueFd epoll_, wake_;
  Result<ProcessConnector> connector_;
  Result<ClosedSockets> closed_sockets_;
  std::atomic<bool> stopped_{false}, all_gone_{false}, served_{false};

  std::mutex mutex_;  // everything below
  Meter meter_;
  HoldTable holds_;
  LoadGauge load_;
  std::unordered_map<std::uint32_t, std::unique_ptr<TrackedThread>> threads_;
  std::unordered_map<std::uint32_t, std::shared_ptr<TrackedProcess>> processes_;
  std::map<std::uint32_t, TrackedThread*> by_place_;                            // holds by their place in the table
  std::unordered_map<std::uint64_t, std::vector<TrackedThread*>> waiting_for_;  // by socket or pipe, the oldest first
  std::uint32_t next_to_check_ = 0;                                             // a place
  std::vector<std::size_t> free_slots_;
  std::set<std::uint64_t> look_again_;  // the tickets' data: what they found may be another's
  Turns turns_;
  std::uint32_t active_recently_[8] = {};
  std::size_t active_at_ = 0;
  bool sync_wake_up_ = false;
  std::int64_t clock_offset_ns_ = 0;  // from the clock that is never set to the machine's local time
  std::int64_t tick_ns_ = kTickNs;    // until attend() looks again
  std::uint64_t calls_before_look_ = 0;
  std::uint64_t announcements_lost_ = 0;
  std::uint64_t unlooked_calls_ = 0;  // because this meter had no descriptor left
  SeveralDatagrams several_{meter_};
  ChildWaits child_waits_;
  bool counters_allowed_ = true;             // until the kernel has refused one
  std::uint64_t unknown_ends_ = 0;           // processes whose CPU time to the end is not known,
  std::int64_t unknown_cpu_ns_ = 0;          // and how much it can be that is missing
  std::uint64_t stand_ins_ = 0;              // StandIn::changes, as far as noticed
  std::int64_t stood_in_until_ns_ = 0;       // 0: the keeper does not stand in
  std::uint64_t passed_calls_ = 0;           // because it did, let go by us
  std::uint64_t stand_in_calls_before_ = 0;  // of earlier meters of this program
  std::int64_t stopped_before_ns_ = 0;
  BypassAccount bypasses_;
  std::optional<CallerFinder> callers_;  // if places are to be found
  MeterSummary summary_;
};

}  // namespace dpm
