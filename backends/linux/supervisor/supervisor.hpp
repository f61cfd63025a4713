// Serves the calls of one program. Two threads share it, under one lock:
//
//   serve()  takes notifications one by one, looks, records, lets go: everything on the path of a call is here
//   attend() everything that happens without a call: data for calls that are held, announcements about processes,
//            deadlines, events that wait for their length, the end
//
// Finished events go to the queue a thousand at a time, and at least a hundred times a second; those of processes with
// the flag "immediate", at once. While the program makes no call, attend() looks less and less often.
#pragma once

#include <pthread.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backends/linux/calls/machine_summaries.hpp"
#include "backends/linux/supervisor/active_threads.hpp"
#include "backends/linux/supervisor/call_handler.hpp"
#include "backends/linux/supervisor/linux_file_view.hpp"
#include "backends/linux/supervisor/linux_kernel_news.hpp"
#include "backends/linux/supervisor/linux_process_view.hpp"
#include "backends/linux/supervisor/linux_source.hpp"
#include "backends/linux/supervisor/listener_answers.hpp"
#include "backends/linux/supervisor/record_queue.hpp"
#include "backends/linux/supervisor/stand_in_watch.hpp"
#include "backends/linux/supervisor/surveys.hpp"
#include "os/kernel/notification_slots.hpp"

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

  // ---- serving
  CallOutcome handle(const Notification& notification);
  bool keeper_stands_in();
  void note_activity();

  // ---- attending
  std::int64_t wake_up_at_ns(std::int64_t now_ns, std::int64_t next_tick_ns);
  void take_event(std::uint64_t data);
  std::int64_t pause_after_look();
  void wake();

  // Reads what the machine says, if that is due; without the lock, which calls need.
  void look_at_machine();
  void record_summaries(const MachineValues& values);

  // ---- the end
  bool has_program_ended(std::int64_t now_ns);
  void interrupt(pthread_t serving);
  void finish();

  void hand_on() { queue_.push(shared_.meter.take()); }

  const MeterOptions options_;
  const std::uint64_t program_began_ns_;  // since boot
  RecordQueue& queue_;
  SeccompListener listener_;
  NotificationSlots& slots_;
  UniqueFd epoll_, wake_;
  ListenerAnswers answers_;
  LinuxFileView files_;
  LinuxProcessView kernel_;
  LinuxKernelNews news_;
  std::atomic<bool> stopped_{false}, all_gone_{false}, served_{false};

  std::mutex mutex_;  // everything below
  Shared shared_;
  CallHandler handler_;
  Surveys surveys_;
  StandInWatch stand_in_;
  ActiveThreads active_;
  MachineSummaries summaries_;
  const Processes::Own own_process_;
  bool sync_wake_up_ = false;
  std::int64_t tick_ns_ = kTickNs;  // until attend() looks again
  std::uint64_t calls_before_look_ = 0;
  std::int64_t look_for_carriers_at_ns_ = 0;
};

}  // namespace dpm
