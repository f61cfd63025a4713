#include "sampling/proc/sampled_thread.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>

#include "os/local_clock.hpp"
#include "sampling/states/swap_in.hpp"

namespace dpm::sampling {
namespace {

constexpr int kTries = 3;

std::string folder_of(std::uint32_t process, std::uint32_t thread) {
  return fmt::format("/proc/{}/task/{}/", process, thread);
}

bool waits(char letter) { return letter == 'S' || letter == 'D'; }

Look look_of(ReadOutcome outcome, bool began) {
  if (outcome == ReadOutcome::refused) return Look::refused;
  return began ? Look::ending : Look::gone;
}

}  // namespace

SampledThread::SampledThread(std::uint32_t process, std::uint32_t thread, bool stays_open)
    : thread_(thread),
      stat_file_(folder_of(process, thread) + "stat", stays_open),
      schedstat_file_(folder_of(process, thread) + "schedstat", stays_open),
      syscall_file_(folder_of(process, thread) + "syscall", stays_open),
      wchan_file_(folder_of(process, thread) + "wchan", stays_open),
      stack_file_(folder_of(process, thread) + "stack", false) {}

Look SampledThread::look(DescriptorLookup& descriptors, std::string& buffer) {
  is_bad_ = false;
  for (int attempt = 0;; ++attempt) {
    const CpuCounters last = counters_;
    const char last_letter = stat_.letter;
    if (const auto read = read_counters(buffer, counters_); read != ReadOutcome::done)
      return look_of(read, attempt > 0);
    if (const auto read = read_stat_line(buffer); read != ReadOutcome::done) return look_of(read, true);
    seen_ns_ = steady_clock_ns();
    waits_still_ = has_evidence_ && counters_.turns == last.turns && stat_.letter == last_letter;
    if (!waits(stat_.letter)) {
      has_evidence_ = false;
      evidence_ = Evidence{.letter = stat_.letter};
      return Look::done;
    }
    if (waits_still_) return Look::done;
    has_evidence_ = false;
    if (const Look wait = read_wait(descriptors, buffer); wait != Look::done) return wait;
    CpuCounters after;
    if (const auto read = read_counters(buffer, after); read != ReadOutcome::done) return look_of(read, true);
    has_evidence_ = after.turns == counters_.turns && evidence_.call.number != SystemCall::kUnknown;
    is_bad_ = !has_evidence_ && attempt + 1 == kTries;
    if (has_evidence_ || is_bad_) return Look::done;
  }
}

void SampledThread::take(const TaskLook& look, DescriptorLookup& descriptors) {
  waits_still_ = has_evidence_ && look.counters.turns == counters_.turns && look.stat.letter == stat_.letter;
  stat_ = look.stat;
  counters_ = look.counters;
  seen_ns_ = look.seen_ns;
  if (waits_still_) return;
  has_evidence_ = waits(stat_.letter);
  evidence_ = Evidence{.letter = stat_.letter};
  if (!has_evidence_) return;
  evidence_.wchan = look.wchan;
  take_call(look.call);
  name_call(descriptors);
}

Look SampledThread::read_wait(DescriptorLookup& descriptors, std::string& buffer) {
  evidence_ = Evidence{.letter = stat_.letter};
  if (const auto read = read_call(buffer); read != ReadOutcome::done) return look_of(read, true);
  std::string_view text;
  if (wchan_file_.read(buffer, text) == ReadOutcome::done) evidence_.wchan = read_wchan(text);
  if (is_wait_for_page(evidence_.wchan) && stack_file_.read(buffer, text) == ReadOutcome::done)
    if (const auto swap_in = swap_in_of_stack(text); !swap_in.empty()) evidence_.wchan = swap_in;
  name_call(descriptors);
  return Look::done;
}

ReadOutcome SampledThread::read_counters(std::string& buffer, CpuCounters& counters) {
  std::string_view text;
  const auto outcome = schedstat_file_.read(buffer, text);
  if (outcome != ReadOutcome::done) return outcome;
  const auto read = read_schedstat(text);
  if (!read) return ReadOutcome::ended;
  counters = *read;
  return ReadOutcome::done;
}

ReadOutcome SampledThread::read_stat_line(std::string& buffer) {
  std::string_view text;
  const auto outcome = stat_file_.read(buffer, text);
  if (outcome != ReadOutcome::done) return outcome;
  const auto read = read_stat(text);
  if (!read) return ReadOutcome::ended;
  // A file that is opened for each read is found by its number, which may be that of a later thread.
  const bool is_another = stat_.start_ticks != 0 && read->start_ticks != stat_.start_ticks;
  if (is_another) return ReadOutcome::ended;
  stat_ = *read;
  return ReadOutcome::done;
}

ReadOutcome SampledThread::read_call(std::string& buffer) {
  std::string_view text;
  const auto outcome = syscall_file_.read(buffer, text);
  if (outcome != ReadOutcome::done) return outcome;
  const auto call = read_syscall(text);
  if (call) take_call(*call);
  return ReadOutcome::done;
}

void SampledThread::take_call(const SystemCall& call) {
  evidence_.call = call;
  // Arguments stay in the registers when the kernel begins a call again, under another number.
  if (call.number == SYS_restart_syscall && call.arguments == last_call_.arguments) evidence_.call = last_call_;
  if (evidence_.call.number >= 0) last_call_ = evidence_.call;
}

void SampledThread::name_call(DescriptorLookup& descriptors) {
  evidence_.call = begun_again(evidence_.call, evidence_.wchan);
  descriptors.complete(thread_, evidence_);
}

}  // namespace dpm::sampling
