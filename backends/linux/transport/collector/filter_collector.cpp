#include "backends/linux/transport/collector/filter_collector.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "backends/linux/transport/collector/filter_program.hpp"
#include "os/state_folder.hpp"
#include "trace/files.hpp"

namespace dpm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kReportPause = 1000ms;  // between two reports on the disk
// Who hears that a process has ended may read the report next; sooner than daemon/log_settling.hpp takes a log for
// whole.
constexpr auto kReportEndAfter = 100ms;

// Every meter costs one.
void allow_many_descriptors() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Result<void> make_log_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return Error::from_errno("make the folder " + path);
  return {};
}

}  // namespace

struct FilterCollector::State {
  State(CollectorOptions chosen, FilterProgram started, UniqueFd listener, TlsContext tls)
      : options(std::move(chosen)),
        filter(std::move(started)),
        connections(std::move(listener), std::move(tls), options.limits, stream),
        port(connections.port()) {}

  CollectorOptions options;
  FilterProgram filter;
  MergedStream stream;
  MeterConnections connections;
  std::uint16_t port;
  std::function<void(const std::string&)> on_filter_ended;

  enum class Phase { collecting, farewell, last_words, done };
  Phase phase = Phase::collecting;
  Clock::time_point phase_due = Clock::time_point::max();
  bool filter_has_ended = false;
  std::string filter_ended;  // how, if nobody told it to
  Clock::time_point tick_due = Clock::now();
  std::string reported;  // what delivered.json says
  std::size_t settled = 0;

  bool may_read() const { return stream.waiting().size() < options.waiting_bytes_max; }
  void wait(int stop);
  void feed_filter();
  void notice_filter_end();
  void advance(bool told_to_stop);
  void enter(Phase next, std::chrono::milliseconds at_most);
  void tick(bool at_once);
  DeliveryReport report() const;
};

FilterCollector::FilterCollector(std::unique_ptr<State> state) : state_(std::move(state)) {}
FilterCollector::~FilterCollector() = default;

Result<std::unique_ptr<FilterCollector>> FilterCollector::create(CollectorOptions options) {
  allow_many_descriptors();
  ::signal(SIGPIPE, SIG_IGN);
  auto tls = TlsContext::create(TlsRole::server, options.secret);
  if (!tls) return tls.error();
  auto listener = MeterConnections::listen(options.loopback_only);
  if (!listener) return listener.error();
  if (auto made = make_log_folder(options.log); !made) return made.error();
  auto filter = FilterProgram::start(options.program, options.log);
  if (!filter) return filter.error();
  auto state = std::make_unique<State>(std::move(options), *std::move(filter), *std::move(listener), *std::move(tls));
  return std::unique_ptr<FilterCollector>(new FilterCollector(std::move(state)));
}

std::uint16_t FilterCollector::port() const { return state_->port; }
int FilterCollector::filter_pid() const { return state_->filter.pid(); }
DeliveryReport FilterCollector::report() const { return state_->report(); }

Result<void> FilterCollector::run(int stop, std::function<void(const std::string& how)> on_filter_ended) {
  State& state = *state_;
  state.on_filter_ended = std::move(on_filter_ended);
  while (state.phase != State::Phase::done) state.wait(stop);
  state.tick(true);
  return {};
}

void FilterCollector::State::wait(int stop) {
  std::vector<pollfd> waiting;
  waiting.push_back({phase == Phase::collecting ? stop : -1, POLLIN, 0});
  waiting.push_back({filter_has_ended ? -1 : filter.ended_fd(), POLLIN, 0});
  waiting.push_back({stream.waiting().empty() || filter_has_ended ? -1 : filter.input_fd(), POLLOUT, 0});
  connections.add_to(waiting, may_read());
  const auto now = Clock::now();
  auto pause = std::min(connections.due(may_read()), std::chrono::ceil<std::chrono::milliseconds>(tick_due - now));
  if (phase_due != Clock::time_point::max())
    pause = std::min(pause, std::chrono::ceil<std::chrono::milliseconds>(phase_due - now));
  ::poll(waiting.data(), waiting.size(), static_cast<int>(std::max(pause, 0ms).count()));

  if (waiting[1].revents != 0) notice_filter_end();
  connections.serve(may_read());
  feed_filter();
  if (const auto before = std::exchange(settled, stream.settled()); settled != before)
    tick_due = std::min(tick_due, now + kReportEndAfter);
  connections.answer_all();
  advance(waiting[0].revents != 0);
  tick(false);
}

void FilterCollector::State::feed_filter() {
  while (!stream.waiting().empty()) {
    std::size_t bytes = 0;
    const auto written = filter.write(stream.waiting(), bytes);
    stream.passed(bytes);
    if (phase == Phase::last_words && bytes > 0) enter(phase, options.filter_patience);
    if (written == FilterProgram::Written::none_now) return;
    if (written == FilterProgram::Written::some) continue;
    // It has ended, or soon will; or it lives on and wants to hear no more.
    pollfd ended = {filter.ended_fd(), POLLIN, 0};
    if (!filter_has_ended && ::poll(&ended, 1, 200) > 0) notice_filter_end();
    stream.filter_gone("it does not read its standard input any more");
    return;
  }
}

void FilterCollector::State::notice_filter_end() {
  filter_has_ended = true;
  const std::string how = filter.reap();
  filter.close_input();
  if (phase == Phase::last_words && how == "exit status 0" && stream.waiting().empty()) return;
  filter_ended = how;
  stream.filter_gone(how);
  if (phase == Phase::collecting && on_filter_ended) on_filter_ended(how);
}

void FilterCollector::State::enter(Phase next, std::chrono::milliseconds at_most) {
  phase = next;
  phase_due = Clock::now() + at_most;
}

// From being told to stop, through the last of the meters and the last of the filter, to the end.
void FilterCollector::State::advance(bool told_to_stop) {
  const auto late = [this] { return Clock::now() >= phase_due; };
  if (phase == Phase::collecting && told_to_stop) enter(Phase::farewell, options.farewell);
  if (phase == Phase::farewell && (late() || !connections.has_open_meters())) {
    stream.finish();
    connections.stop_listening();
    enter(Phase::last_words, options.filter_patience);
  }
  if (phase != Phase::last_words) return;
  if (stream.waiting().empty()) filter.close_input();
  if (!filter_has_ended && late()) {
    filter.end_by_force(SIGKILL);
    phase_due = Clock::time_point::max();
  }
  if (!filter_has_ended) return;
  // Meters that go on are told that nothing of theirs will be wanted; a little patience for that.
  if (stream.why_gone().empty()) {
    stream.filter_gone("it was ended");
    enter(Phase::last_words, 500ms);
  }
  connections.answer_all();
  if (!connections.has_unsaid() || late()) phase = Phase::done;
}

void FilterCollector::State::tick(bool at_once) {
  if (!at_once && Clock::now() < tick_due) return;
  tick_due = Clock::now() + kReportPause;
  DeliveryReport now = report();
  now.finished = phase == Phase::done;
  std::string text = to_json(now);
  if (text == reported) return;
  // A disk that is full must not end the collection; the next tick tries again.
  if (replace_file(options.log + "/" + kDeliveryName, text)) reported = std::move(text);
}

DeliveryReport FilterCollector::State::report() const {
  DeliveryReport report;
  report.program = options.program.front();
  report.filter_pid = static_cast<std::uint32_t>(filter.pid());
  report.filter_ended = filter_ended;
  report.meters = stream.deliveries();
  for (std::uint32_t i = 0; i < report.meters.size(); ++i) report.meters[i].connected = connections.is_connected(i);
  report.refused = connections.refused();
  report.finished = phase == Phase::done;
  return report;
}

std::string default_log_folder(const std::string& name) {
  std::string plain = name;
  std::replace(plain.begin(), plain.end(), '/', '_');
  const std::string first = state_folder() + "/logs/" + plain + "-" + std::to_string(::getpid());
  std::string folder = first;
  for (int times = 2; std::filesystem::exists(folder); ++times) folder = first + "." + std::to_string(times);
  return folder;
}

std::vector<std::string> standard_filter(const std::string& dpm, const std::string& descriptions,
                                         const std::string& templates) {
  std::vector<std::string> command = {dpm, "filter", "-o", "trace"};
  if (!descriptions.empty()) command.insert(command.end(), {"--descriptions", descriptions});
  if (!templates.empty()) command.insert(command.end(), {"--templates", templates});
  return command;
}

}  // namespace dpm
