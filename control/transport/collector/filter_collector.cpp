#include "control/transport/collector/filter_collector.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "control/transport/collector/filter_program.hpp"
#include "control/transport/frames/meter_scope.hpp"
#include "os/descriptors.hpp"
#include "os/net/timer.hpp"
#include "os/user_paths.hpp"
#include "trace/files.hpp"

namespace dpm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kReportPause = 1000ms;  // between two reports on the disk
// A controller may read the report as soon as it learns that a process has ended. This is shorter than the time after
// which daemon/log_settling.hpp takes a log to be complete.
constexpr auto kReportEndAfter = 100ms;
constexpr auto kEndPatience = 200ms;  // for a filter that has closed its input, to end

Result<void> make_log_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return Error::from_errno("make the folder " + path);
  return {};
}

}  // namespace

struct FilterCollector::State {
  State(asio::io_context& chosen, CollectorOptions wanted, FilterProgram started, UniqueFd listener,
        TlsContext::FindKey find_key, TlsContext tls)
      : context(chosen),
        options(std::move(wanted)),
        filter(std::move(started)),
        connections(chosen, std::move(listener), std::move(find_key), std::move(tls), options.limits, stream,
                    {[this] { return may_read(); }, [this] { work_soon(); }}),
        port(connections.port()),
        work_timer(chosen),
        phase_timer(chosen),
        report_timer(chosen),
        deaf_timer(chosen) {}

  asio::io_context& context;
  CollectorOptions options;
  FilterProgram filter;
  MergedStream stream;
  MeterConnections connections;
  std::uint16_t port;
  std::function<void(const std::string&)> on_filter_ended;
  std::function<void()> on_over;

  enum class Phase { collecting, farewell, last_words, done };
  Phase phase = Phase::collecting;
  Clock::time_point phase_due = Clock::time_point::max();
  bool filter_has_ended = false;
  std::string filter_ended;      // how, if it ended before stop()
  std::string reported;          // the contents of delivered.json
  Clock::time_point report_due;  // while report_timer runs
  std::size_t finished = 0;
  Timer work_timer, phase_timer, report_timer, deaf_timer;

  bool may_read() const { return stream.waiting().size() < options.waiting_bytes_max; }
  void work_soon();
  void work();
  void feed_filter();
  void notice_filter_end();
  void advance();
  void enter(Phase next, std::chrono::milliseconds at_most);
  void report_within(std::chrono::milliseconds time);
  void write_report();
  DeliveryReport report() const;
};

FilterCollector::FilterCollector(std::unique_ptr<State> state) : state_(std::move(state)) {}
FilterCollector::~FilterCollector() = default;

Result<std::unique_ptr<FilterCollector>> FilterCollector::create(asio::io_context& context, CollectorOptions options) {
  allow_many_descriptors();  // each meter's connection is one
  ::signal(SIGPIPE, SIG_IGN);
  const TlsContext::FindKey find_key = [secret = options.secret](std::string_view identity) {
    const auto key = scope_from(identity) ? meter_key(secret, identity) : Error{"it is not an identity"};
    return key ? std::optional(*key) : std::nullopt;
  };
  auto tls = TlsContext::server(find_key);
  if (!tls) return tls.error();
  Result<UniqueFd> listener = UniqueFd();
  if (options.listens) listener = MeterConnections::listen(options.place);
  if (!listener) return listener.error();
  if (auto made = make_log_folder(options.log); !made) return made.error();
  auto filter = FilterProgram::start(context, options.program, options.log);
  if (!filter) return filter.error();
  auto state = std::make_unique<State>(context, std::move(options), *std::move(filter), *std::move(listener), find_key,
                                       *std::move(tls));
  return std::unique_ptr<FilterCollector>(new FilterCollector(std::move(state)));
}

std::uint16_t FilterCollector::port() const { return state_->port; }
void FilterCollector::accept(UniqueFd connection) { state_->connections.accept(std::move(connection)); }
int FilterCollector::filter_pid() const { return state_->filter.pid(); }
DeliveryReport FilterCollector::report() const { return state_->report(); }

void FilterCollector::begin(std::function<void(const std::string& how)> on_filter_ended, std::function<void()> on_over,
                            std::function<void(const FilterAccount&)> on_account) {
  State& state = *state_;
  state.filter.when_reported([&state, then = std::move(on_account)] {
    state.report_within(kReportPause);
    if (then) then(state.filter.account());
  });
  state.on_filter_ended = std::move(on_filter_ended);
  state.on_over = std::move(on_over);
  state.filter.when_ended([&state] {
    state.notice_filter_end();
    state.work();
  });
  state.work();
}

void FilterCollector::stop() {
  if (state_->phase == State::Phase::collecting) state_->enter(State::Phase::farewell, state_->options.farewell);
  state_->work_soon();
}

// One pass for all that connections have brought.
void FilterCollector::State::work_soon() {
  if (!work_timer.is_running()) work_timer.start(0ms, [this] { work(); });
}

void FilterCollector::State::work() {
  if (phase == Phase::done) return;
  feed_filter();
  if (may_read()) connections.resume();
  connections.answer_all();
  report_within(std::exchange(finished, stream.finished_meters()) != finished ? kReportEndAfter : kReportPause);
  advance();
}

void FilterCollector::State::feed_filter() {
  while (!stream.waiting().empty() && !deaf_timer.is_running()) {
    std::size_t bytes = 0;
    const auto written = filter.write(stream.waiting(), bytes);
    stream.passed(bytes);
    if (phase == Phase::last_words && bytes > 0) enter(phase, options.filter_patience);
    if (written == FilterProgram::Written::some) continue;
    if (written == FilterProgram::Written::none_now) return filter.when_reading([this] { work(); });
    // The filter has ended, will end soon, or has closed its input and goes on.
    deaf_timer.start(kEndPatience, [this] {
      if (stream.why_gone().empty()) stream.filter_gone("it no longer reads its standard input");
      work();
    });
  }
}

void FilterCollector::State::notice_filter_end() {
  filter_has_ended = true;
  filter.read_reports();
  deaf_timer.cancel();
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
  phase_timer.start(at_most, [this] { work(); });
}

// After stop(): waits for the meters, then for the filter, and finishes the log.
void FilterCollector::State::advance() {
  const auto late = [this] { return Clock::now() >= phase_due; };
  if (phase == Phase::farewell && (late() || !connections.has_open_meters())) {
    stream.finish();
    connections.stop_listening();
    enter(Phase::last_words, options.filter_patience);
    feed_filter();
  }
  if (phase != Phase::last_words) return;
  if (stream.waiting().empty()) filter.close_input();
  if (!filter_has_ended && late()) {
    filter.end_by_force(SIGKILL);
    phase_due = Clock::time_point::max();
  }
  if (!filter_has_ended) return;
  // Tells meters that go on that their events are not wanted any more, and gives that a little time.
  if (stream.why_gone().empty()) {
    stream.filter_gone("it was ended");
    enter(Phase::last_words, 500ms);
  }
  connections.answer_all();
  if (connections.has_unsaid() && !late()) return;
  phase = Phase::done;
  write_report();
  if (on_over) on_over();
}

void FilterCollector::State::report_within(std::chrono::milliseconds time) {
  const auto due = Clock::now() + time;
  if (report_timer.is_running() && report_due <= due) return;
  report_due = due;
  report_timer.start(time, [this] { write_report(); });
}

void FilterCollector::State::write_report() {
  std::string text = to_json(report());
  if (text == reported) return;
  if (replace_file(options.log + "/" + kDeliveryName, text)) {
    reported = std::move(text);
  } else if (phase != Phase::done) {
    report_within(kReportPause);  // a full disk must not end the collection
  }
}

DeliveryReport FilterCollector::State::report() const {
  DeliveryReport report;
  report.program = options.program.front();
  report.filter_pid = static_cast<std::uint32_t>(filter.pid());
  report.filter_ended = filter_ended;
  report.is_standard = options.is_standard;
  report.account = filter.account();
  report.meters = stream.deliveries();
  for (std::uint32_t i = 0; i < report.meters.size(); ++i) report.meters[i].connected = connections.is_connected(i);
  report.refused = connections.refused();
  report.finished = phase == Phase::done;
  return report;
}

std::string default_log_folder(const std::string& name) {
  std::string plain = name;
  std::replace(plain.begin(), plain.end(), '/', '_');
  const std::string first = fmt::format("{}/logs/{}-{}", state_folder(), plain, ::getpid());
  std::string folder = first;
  for (int times = 2; std::filesystem::exists(folder); ++times) folder = fmt::format("{}.{}", first, times);
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
