#include "backends/linux/supervisor/call_progress.hpp"

namespace dpm {

// A thread that was just woken in its call is running, and so is one that left the call long ago, or waits for a CPU. A
// thread that has used CPU time at each look counts as computing.
bool CallProgress::may_be_in_call(TrackedThread& thread, std::int32_t descriptor) {
  constexpr int kLooks = 5;
  constexpr std::uint64_t kRunsForNs = 1'000'000;
  const CallState state = shared_.kernel.call_state(thread.metered->pid(), thread.metered->tid(), descriptor);
  if (state != CallState::running) {
    thread.seen_running = 0;
    return state == CallState::in_call;
  }
  std::uint64_t cpu_ns = 0;
  if (!thread.files->cpu_time_ns(cpu_ns)) return false;
  if (cpu_ns >= thread.cpu_seen_running_ns + kRunsForNs) {
    thread.cpu_seen_running_ns = cpu_ns;
    ++thread.seen_running;
  }
  return thread.seen_running < kLooks;
}

bool CallProgress::forget_finished(StreamBalance& sends) {
  return sends.forget_finished(shared_.clock.steady_now_ns(), [this](const StreamBalance::Send& send) {
    TrackedThread* thread = send.descriptor < 0 ? nullptr : shared_.table.thread(send.tid);
    return thread != nullptr && !may_be_in_call(*thread, send.descriptor);
  });
}

void CallProgress::read_counters(TrackedThread& thread) {
  ThreadFiles::Transferred transferred;
  if (!thread.files->transferred(transferred)) return;
  shared_.meter.io_counters(*thread.metered, transferred);
  thread.counters_read = true;
}

// During an exec in another thread, that thread takes over the first thread's number, and with it the files of /proc
// under that number. So what was read belongs to the first thread only if no living thread has its number.
void CallProgress::read_last_counters(TrackedThread& thread) {
  MeteredThread& metered = *thread.metered;
  ThreadFiles::Transferred transferred;
  if (!thread.files->transferred(transferred)) return;
  const bool may_pass_on = metered.tid() == metered.pid() && thread.process->several_threads;
  if (may_pass_on && !shared_.kernel.is_ending(metered.pid(), metered.tid()).value_or(true)) return;
  shared_.meter.io_counters(metered, transferred);
}

}  // namespace dpm
