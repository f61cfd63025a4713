#include "control/transport/link/meter_link.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "control/transport/frames/meter_scope.hpp"
#include "control/transport/link/link_sender.hpp"
#include "model/counted.hpp"
#include "os/random.hpp"
#include "os/user_paths.hpp"
#include "os/whole_io.hpp"

namespace dpm {
namespace {

using Clock = std::chrono::steady_clock;

// How long to wait for the account when there is no filter.
constexpr std::chrono::seconds kAccountWait{5};

// The reason of the loss of events for which there was no room.
std::string not_kept(const LinkBuffer& buffer) {
  const std::string& why = buffer.spool_problem();
  return "the filter did not take them, and no more could be kept" + (why.empty() ? "" : ": " + why);
}

std::chrono::nanoseconds of(Duration duration) { return std::chrono::nanoseconds(duration.ns); }

}  // namespace

struct MeterLink::State {
  State(LinkBuffer buffer, MeterLinkOptions chosen)
      : options(std::move(chosen)), link(std::make_shared<SharedLink>(std::move(buffer))), shared(*link) {
    shared.immediate = options.immediate;
  }

  MeterLinkOptions options;
  std::shared_ptr<SharedLink> link;
  SharedLink& shared;
  bool stalled = false;  // nothing moved for the whole patience
  std::uint64_t stalled_at = 0;
  std::uint64_t given = 0, dropped = 0, dropped_without_filter = 0;
  LinkReport report;     // used by the events' thread
  LinkReport published;  // under the mutex
  std::unique_ptr<LinkSender> sender;

  void wake(std::unique_lock<std::mutex>& lock);
  std::size_t wait_for_room(std::unique_lock<std::mutex>& lock, std::span<const Event> batch);
  void wait_for_the_last(std::unique_lock<std::mutex>& lock);
  void leave_the_rest();
  void conclude();
};

MeterLink::MeterLink(std::unique_ptr<State> state) : state_(std::move(state)) {}
MeterLink::~MeterLink() = default;

Result<std::unique_ptr<MeterLink>> MeterLink::create(asio::io_context& context, FilterAddress filter,
                                                     MeterIdentity meter, MeterLinkOptions options) {
  const std::string identity = identity_of({meter.machine, meter.job});
  auto tls = TlsContext::client(identity, filter.secret);
  if (!tls) return tls.error();
  if (options.folder.empty()) options.folder = state_folder() + "/spool";
  wire::MeterKey key;
  if (auto drawn = draw_random(key.bytes); !drawn) return drawn.error();
  LinkBuffer buffer(key, std::move(meter), options.memory_events_max, Spool(options.folder, options.spool_bytes_max),
                    NamesStore(options.folder));
  auto state = std::make_unique<State>(std::move(buffer), options);
  state->sender = std::make_unique<LinkSender>(
      context, state->link, std::move(filter), *std::move(tls),
      LinkSender::Options{identity, options.batch_events, of(options.delay), options.on_status, options.dial});
  return std::unique_ptr<MeterLink>(new MeterLink(std::move(state)));
}

void MeterLink::State::wake(std::unique_lock<std::mutex>& lock) {
  if (std::exchange(shared.wake_sent, true)) return;
  lock.unlock();
  sender->wake();
  lock.lock();
}

void MeterLink::on_begin(const TraceInfo& info) { on_growth(TraceGrowth::since({}, info)); }

void MeterLink::on_growth(const TraceGrowth& growth) {
  const std::lock_guard lock(state_->shared.mutex);
  if (state_->shared.buffer.filter_gone().empty()) state_->shared.buffer.tell(growth);
}

void MeterLink::on_events(std::span<const Event> batch) {
  State& state = *state_;
  std::unique_lock lock(state.shared.mutex);
  LinkBuffer& buffer = state.shared.buffer;
  state.given += batch.size();
  if (!buffer.filter_gone().empty()) {
    state.dropped_without_filter += batch.size();
    return;
  }
  const std::uint64_t unsent = buffer.unsent();
  const std::size_t taken = buffer.append(batch);
  // The sender sleeps while fewer events wait than a batch has.
  if (unsent == 0 || state.shared.immediate ||
      (unsent < state.options.batch_events && buffer.unsent() >= state.options.batch_events))
    state.wake(lock);
  if (taken == batch.size()) {
    state.stalled = false;
    return;
  }
  const std::size_t late = state.wait_for_room(lock, batch.subspan(taken));
  const std::uint64_t rest = batch.size() - taken - late;
  (buffer.filter_gone().empty() ? state.dropped : state.dropped_without_filter) += rest;
}

// Returns how many of the batch found room. After a stall of the whole patience it does not wait again until something
// moves.
std::size_t MeterLink::State::wait_for_room(std::unique_lock<std::mutex>& lock, std::span<const Event> batch) {
  LinkBuffer& buffer = shared.buffer;
  std::uint64_t confirmed = buffer.confirmed();
  if (stalled && stalled_at == confirmed) return 0;
  stalled = false;
  std::size_t taken = 0;
  auto until = Clock::now() + of(options.patience);
  while (taken < batch.size() && buffer.filter_gone().empty()) {
    wake(lock);
    const bool timed_out = shared.moved.wait_until(lock, until) == std::cv_status::timeout;
    taken += buffer.append(batch.subspan(taken));
    if (buffer.confirmed() != confirmed) {
      confirmed = buffer.confirmed();
      until = Clock::now() + of(options.patience);
    } else if (timed_out && taken < batch.size()) {
      stalled = true;
      stalled_at = confirmed;
      break;
    }
  }
  return taken;
}

void MeterLink::on_end(const LossReport& losses) {
  State& state = *state_;
  {
    std::unique_lock lock(state.shared.mutex);
    MeterAccount account{losses.seen, 0, losses.losses, losses.warnings};
    if (state.dropped > 0) account.losses.push_back({not_kept(state.shared.buffer), state.dropped});
    state.shared.buffer.end(std::move(account));
    state.shared.ending = true;
    state.wake(lock);
    state.wait_for_the_last(lock);
  }
  state.sender->stop();
  state.leave_the_rest();
  state.conclude();
}

void MeterLink::State::wait_for_the_last(std::unique_lock<std::mutex>& lock) {
  LinkBuffer& buffer = shared.buffer;
  std::uint64_t confirmed = buffer.confirmed();
  auto until = Clock::now() + of(options.end_wait);
  while (!buffer.is_complete()) {
    const bool timed_out = shared.moved.wait_until(lock, until) == std::cv_status::timeout;
    if (buffer.confirmed() != confirmed) {
      confirmed = buffer.confirmed();
      until = Clock::now() + of(options.end_wait);
    } else if (timed_out) {
      return;
    } else if (!buffer.filter_gone().empty()) {
      until = std::min(until, Clock::now() + kAccountWait);
    }
  }
}

// Writes the rest to a file that `dpm filter` reads.
void MeterLink::State::leave_the_rest() {
  LinkBuffer& buffer = shared.buffer;
  report.confirmed = buffer.confirmed();
  if (buffer.waiting() == 0 || !buffer.filter_gone().empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(options.folder, failed);
  std::string path = fmt::format("{}/{}-XXXXXX.stream", options.folder, buffer.identity().pid);
  const UniqueFd file(::mkostemps(path.data(), 7, O_CLOEXEC));
  if (!file) return;
  report.left_in = path;
  while (auto piece = buffer.take_remaining()) {
    if (!write_all(file.get(), *piece)) return;
    report.left = buffer.confirmed() - report.confirmed;
  }
}

void MeterLink::State::conclude() {
  const LinkBuffer& buffer = shared.buffer;
  report.recorded = given;
  report.problem = shared.problem;
  report.is_complete = buffer.is_complete() || !buffer.filter_gone().empty();
  if (dropped > 0) report.losses.push_back({not_kept(buffer), dropped});
  const std::uint64_t rest = given - report.confirmed - report.left - dropped;
  if (rest > 0)
    report.losses.push_back({buffer.filter_gone().empty()
                                 ? "the filter could not be reached, and no file for them be written"
                                 : "the filter is gone: " + buffer.filter_gone(),
                             rest});
  const std::lock_guard lock(shared.mutex);
  published = report;
}

void MeterLink::set_immediate(bool on) {
  std::unique_lock lock(state_->shared.mutex);
  state_->shared.immediate = on;
  if (on) state_->wake(lock);
}

LinkStatus MeterLink::status() const {
  const std::lock_guard lock(state_->shared.mutex);
  const LinkBuffer& buffer = state_->shared.buffer;
  if (buffer.is_complete() || !buffer.filter_gone().empty() || buffer.waiting() == 0) return {};
  const std::string& problem = state_->shared.problem;
  return {!problem.empty()      ? problem
          : buffer.is_resumed() ? "not confirmed yet"
                                : "no answer yet",
          buffer.waiting(), 0, ""};
}

LinkReport MeterLink::report() const {
  const std::lock_guard lock(state_->shared.mutex);
  return state_->published;
}

std::uint64_t LinkReport::lost() const {
  std::uint64_t events = 0;
  for (const auto& loss : losses) events += loss.events;
  return events;
}

LinkStatus LinkReport::status() const {
  if (is_complete || left + lost() == 0) return {};
  return {problem.empty() ? "it did not take them in time" : problem, left, lost(), left_in};
}

std::vector<std::string> LinkReport::warnings() const {
  std::vector<std::string> sentences;
  if (left > 0 || !left_in.empty())
    sentences.push_back(fmt::format(
        "{} did not reach the filter ({}); they are in {}: 'dpm filter -o TRACE < {}' makes a trace of them",
        counted(left, "event"), problem.empty() ? "it did not take them in time" : problem, left_in, left_in));
  for (const auto& loss : losses)
    sentences.push_back(fmt::format("{} did not reach the filter: {}", counted(loss.events, "event"), loss.reason));
  return sentences;
}

}  // namespace dpm
