// How the launcher watches the processes of a native run, and the reasons for which it ends.
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "model/link_complaints.hpp"
#include "native/launcher.hpp"

namespace dpm::native {
namespace {

constexpr int kTickMs = 100;                           // how often limits, printed lines and standstill are looked at
constexpr int kStartTickMs = 1;                        // while processes come to the gate
constexpr std::int64_t kStandstillNs = 1'000'000'000;  // nobody has done anything for so long, and all sleep

// S of sleeping, R of running: the third field of /proc/PID/stat.
char state_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string stat((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t name_end = stat.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= stat.size() ? '?' : stat[name_end + 2];
}

std::uint64_t cpu_ns_of(const rusage& usage) {
  const auto ns = [](const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_usec) * 1000u;
  };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

std::string limit_text(const char* pattern, double limit) {
  char text[80];
  std::snprintf(text, sizeof text, pattern, limit);
  return text;
}

bool waits(const ProcessState& state) {
  return state.doing == Doing::awaiting_message || state.doing == Doing::awaiting_reply ||
         state.doing == Doing::awaiting_data || state.doing == Doing::delivering;
}

}  // namespace

void Launcher::watch() {
  do wait_for_news();
  while (!is_over());
  end_all();  // services, or everybody
  read_journal();
}

void Launcher::wait_for_news() {
  polled_.assign(1, {signals_.descriptor(), POLLIN, 0});
  for (const Child& child : children_)
    if (child.is_alive) polled_.push_back({child.descriptor.get(), POLLIN, 0});
  ::poll(polled_.data(), polled_.size(), started_ns_ == 0 ? kStartTickMs : kTickMs);
}

bool Launcher::is_over() {
  if (polled_.front().revents != 0) {
    outcome_.signal = signals_.take();
    end(std::string("signal '") + ::strsignal(outcome_.signal) + "'");
    return true;
  }
  reap_the_dead();
  read_journal();
  if (!failures_.empty()) {
    outcome_.failure = failures_.begin()->second;
    end("an error");
  } else if (not_ended_ == 0) {
    end("every process ended");
  } else if (started_ns_ == 0) {
    open_gate_when_all_are_there();
  } else if (!is_at_a_limit() && stands_still()) {
    end("deadlock");
  }
  return !outcome_.ended_by.empty();
}

void Launcher::end(const std::string& ended_by) {
  outcome_.ended_by = ended_by;
  for (std::uint32_t i = 0; i < children_.size(); ++i) {
    if (!children_[i].is_alive) continue;
    const ProcessDescription& process = scenario_.processes[i];
    children_[i].final_state = what_it_does(i);
    if (process.service) continue;
    outcome_.blocked.push_back("process '" + process.name + "' on machine '" + process.machine + "' " +
                               children_[i].final_state);
  }
}

void Launcher::open_gate_when_all_are_there() {
  for (std::uint32_t i = 0; i < children_.size(); ++i)
    if (board_->state(i).doing != Doing::at_the_gate) return;
  started_ns_ = changed_ns_ = monotonic_ns();
  board_->open_gate();
}

// ---- the dead

void Launcher::reap_the_dead() {
  std::size_t at = 1;
  for (std::uint32_t i = 0; i < children_.size(); ++i)
    if (children_[i].is_alive && polled_[at++].revents != 0) reap(i);
}

void Launcher::reap(std::uint32_t process) {
  Child& child = children_[process];
  const bool was_ended_by_us = !outcome_.ended_by.empty();
  int status = 0;
  rusage usage{};
  while (::wait4(child.pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  child.is_alive = false;
  child.cpu_ns = cpu_ns_of(usage);
  if (was_ended_by_us) return;
  if (!scenario_.processes[process].service) --not_ended_;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  // Unless it says itself what happened (read_journal()).
  const std::string who =
      "process '" + scenario_.processes[process].name + "' on machine '" + scenario_.processes[process].machine + "' ";
  failures_.emplace(process, WIFSIGNALED(status) ? who + "was ended by signal '" + ::strsignal(WTERMSIG(status)) + "'"
                                                 : who + "ended with status " + std::to_string(WEXITSTATUS(status)));
}

void Launcher::read_journal() {
  for (Entry& entry : journal_->read_new()) {
    if (entry.kind == EntryKind::failed) {
      failures_[entry.process] = std::move(entry.text);
      continue;
    }
    outcome_.printed.push_back({scenario_.processes[entry.process].name, std::move(entry.text)});
    if (options_.on_line) options_.on_line(outcome_.printed.back());
  }
}

// ---- reasons to end

bool Launcher::is_at_a_limit() {
  const Duration limit = scenario_.time_limit;
  if (limit.ns > 0 && monotonic_ns() - started_ns_ >= limit.ns)
    end(limit_text("the time limit of %g s", limit.seconds()));
  if (scenario_.message_limit == 0 || !outcome_.ended_by.empty()) return !outcome_.ended_by.empty();
  std::uint64_t sent = 0;
  for (std::size_t i = 0; i < board_->processes(); ++i) sent += board_->state(i).messages_sent;
  if (sent > scenario_.message_limit)
    end("the message limit of " + std::to_string(scenario_.message_limit) + " messages");
  return !outcome_.ended_by.empty();
}

// Everybody waits for something that only others of the run could do, none has got anything for a while, and the kernel
// says that they sleep: one who was woken and waits for a CPU does not.
bool Launcher::stands_still() {
  std::uint64_t changes = 0;
  bool all_wait = true;
  for (std::uint32_t i = 0; i < children_.size(); ++i) {
    const ProcessState state = board_->state(i);
    changes += state.changes;
    if (children_[i].is_alive && !waits(state)) all_wait = false;
  }
  const std::int64_t now_ns = monotonic_ns();
  if (!all_wait || changes != changes_seen_) {
    changes_seen_ = changes;
    changed_ns_ = now_ns;
    return false;
  }
  if (now_ns - changed_ns_ < kStandstillNs) return false;
  return std::all_of(children_.begin(), children_.end(),
                     [](const Child& child) { return !child.is_alive || state_of(child.pid) == 'S'; });
}

std::string Launcher::what_it_does(std::uint32_t process) const {
  const ProcessState state = board_->state(process);
  const std::uint32_t count = state.awaited_count;
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i)
    if (state.awaited[i] < scenario_.processes.size()) names.push_back(scenario_.processes[state.awaited[i]].name);
  const std::string& own_name = scenario_.processes[process].name;
  switch (state.doing) {
    case Doing::starting:
    case Doing::at_the_gate:
      return "was about to start";
    case Doing::running:
      return "runs";
    case Doing::awaiting_reply:
      return "waits for the reply of '" + (names.empty() ? "" : names.front()) + "'";
    case Doing::awaiting_data:
      return "waits for data it moves";
    case Doing::delivering:
      return "waits until its last messages are taken";
    case Doing::awaiting_message:
      break;
  }
  if (count > 0 && names.empty()) return "waits for a message over a link it created";
  if (count == 0)
    for (const auto& other : scenario_.processes)
      if (std::find(other.links.begin(), other.links.end(), own_name) != other.links.end()) names.push_back(other.name);
  return "waits for a message" + complaints::awaited_from(names);
}

}  // namespace dpm::native
