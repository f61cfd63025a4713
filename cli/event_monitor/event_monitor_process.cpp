#include "cli/event_monitor/event_monitor_process.hpp"

#include <fcntl.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <thread>
#include <utility>

#include "cli/event_monitor/event_monitor.hpp"
#include "control/messages/message_stream.hpp"
#include "os/machine.hpp"
#include "os/net/asio.hpp"
#include "os/net/descriptor.hpp"
#include "os/net/timer.hpp"

namespace dpm::cli {
namespace {

using namespace control;
using namespace std::chrono_literals;

// As dpm script: a thread that does nothing else fills its ring in half a millisecond.
constexpr std::chrono::milliseconds kPauseBusy = 1ms, kPauseIdle = 5ms;
// A record is written some microseconds after its time. A thread may lose the CPU in between.
constexpr std::int64_t kLatestRecord_ns = 50'000'000;
constexpr int kTriesMost = 100;
constexpr std::size_t kEventsPerMessage = 400;
constexpr std::size_t kMessageBytesMost = 200'000;
constexpr std::size_t kQueuedBytesMost = 4
                                         << 20;  // that the daemon has not taken; then events are dropped, and counted

std::int64_t now_ns() { return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count(); }

class Conversation {
 public:
  Conversation(asio::io_context& context, UniqueFd daemon, std::string machine)
      : context_(context),
        machine_(std::move(machine)),
        timer_(context),
        stream_(context, std::move(daemon),
                {[this](ControlMessage message) { take(std::move(message)); },
                 [this](const std::string&, bool) { context_.stop(); }, nullptr}) {}

 private:
  void take(ControlMessage message) {
    const auto* request = std::get_if<Request>(&message);
    if (request == nullptr) return stream_.drop("it sent an answer instead of a request");
    (void)stream_.send(Reply{request->number, answer(request->body)});
  }

  ReplyBody answer(const RequestBody& request) {
    if (auto begun = begin(); !begun) return Refused{begun.error().what};
    if (const auto* change = std::get_if<ChangeEvents>(&request)) return monitor_->change(*change);
    if (std::holds_alternative<LookAtEvents>(request)) return monitor_->state();
    return Refused{"an event monitor does not handle this request"};
  }

  Result<void> begin() {
    if (monitor_) return {};
    auto folder = ProgramFolder::take();
    // The monitor that this one follows may still be ending.
    for (int tries = 0; !folder && tries < kTriesMost; ++tries) {
      std::this_thread::sleep_for(kPauseIdle);
      folder = ProgramFolder::take();
    }
    if (!folder) return folder.error();
    monitor_.emplace(*std::move(folder), machine_.empty() ? machine_name() : machine_);
    bell_.emplace(context_, UniqueFd(::fcntl(monitor_->descriptor(), F_DUPFD_CLOEXEC, 0)));
    await_bell();
    look();
    return {};
  }

  // A program that declares something waits until it is looked at.
  void await_bell() {
    bell_->when_readable([this] {
      look();
      await_bell();
    });
  }

  void look() {
    EventsSeen seen = monitor_->look(now_ns() - kLatestRecord_ns);
    const bool is_busy = !seen.events.empty();
    if (is_busy || !seen.warnings.empty()) send(std::move(seen));
    timer_.start(is_busy ? kPauseBusy : kPauseIdle, [this] { look(); });
  }

  void send(EventsSeen seen) {
    if (stream_.queued_bytes() > kQueuedBytesMost) {
      unsent_ += seen.events.size();
      seen.events.clear();
      if (seen.warnings.empty()) return;
    }
    EventsSeen part;
    part.warnings = std::move(seen.warnings);
    part.unsent = std::exchange(unsent_, 0);
    std::size_t bytes = 0;
    for (EventSeen& event : seen.events) {
      if (part.events.size() == kEventsPerMessage || bytes > kMessageBytesMost) {
        (void)stream_.send(Report{std::exchange(part, {})});
        bytes = 0;
      }
      bytes += event.text.size();
      part.events.push_back(std::move(event));
    }
    (void)stream_.send(Report{std::move(part)});
  }

  asio::io_context& context_;
  std::string machine_;
  std::optional<EventMonitor> monitor_;
  std::optional<Descriptor> bell_;
  Timer timer_;
  std::uint64_t unsent_ = 0;
  MessageStream stream_;
};

}  // namespace

Result<void> EventMonitorProcess::run(UniqueFd daemon, const std::string& machine) {
  ::signal(SIGPIPE, SIG_IGN);
  asio::io_context context(1);
  Conversation conversation(context, std::move(daemon), machine);
  context.run();
  return {};
}

}  // namespace dpm::cli
