// dpm meterd: the daemon of one user on one machine. Controllers tell it which programs to start, stop and meter.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "cli/command.hpp"
#include "cli/event_monitor/event_monitor_process.hpp"
#include "cli/meter/source_option.hpp"
#include "control/agents/collector_process.hpp"
#include "control/agents/supervisor_process.hpp"
#include "control/daemon/attach.hpp"
#include "control/transport/link/meter_link.hpp"

namespace dpm::cli {
namespace {

// The name becomes part of socket names.
std::string machine_name(const std::string& name) {
  constexpr std::size_t kLengthMax = 40;
  const bool is_fit = !name.empty() && name.size() <= kLengthMax && name.front() != '.' &&
                      std::all_of(name.begin(), name.end(), [](unsigned char c) {
                        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
                      });
  return is_fit ? "" : "a machine's name has at most 40 letters, digits, '-', '_' and '.'";
}

// The connection to the daemon is standard input.
UniqueFd take_standard_input() {
  UniqueFd taken(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  const UniqueFd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ::dup2(nowhere.get(), STDIN_FILENO);
  return taken;
}

// The process that started the agent waits until its standard output closes.
void say_ready() {
  const UniqueFd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ::dup2(nowhere.get(), STDOUT_FILENO);
}

control::Delivery delivery_of(const LinkStatus& status) {
  return {status.problem, status.waiting, status.lost, status.left_in};
}

// A supervisor's events travel to the filter by a MeterLink. Errors on the way are written to the daemon's log.
class LinkToFilter : public MeterSink {
 public:
  LinkToFilter(std::unique_ptr<MeterLink> link, std::string described, OnDelivery on_delivery)
      : link_(std::move(link)), described_(std::move(described)), on_delivery_(std::move(on_delivery)) {}

  void set_immediate(bool on) override { link_->set_immediate(on); }
  control::Delivery delivery() const override { return delivery_of(link_->status()); }
  void on_begin(const TraceInfo& info) override { link_->on_begin(info); }
  void on_growth(const TraceGrowth& growth) override { link_->on_growth(growth); }
  void on_events(std::span<const Event> batch) override { link_->on_events(batch); }
  void on_end(const LossReport& losses) override {
    link_->on_end(losses);
    for (const auto& warning : link_->report().warnings())
      std::fprintf(stderr, "dpm meterd [%d]: %s: %s\n", ::getpid(), described_.c_str(), warning.c_str());
    on_delivery_(delivery_of(link_->report().status()));
  }

 private:
  std::unique_ptr<MeterLink> link_;
  std::string described_;
  OnDelivery on_delivery_;
};

Result<std::unique_ptr<MeterSink>> open_link(asio::io_context& context, const FilterAddress& filter,
                                             const MeteredProcess& process, const MeterWay& way) {
  MeterLinkOptions options;
  options.on_status = [way](const LinkStatus& status) { way.on_delivery(delivery_of(status)); };
  options.dial = way.dial;
  auto link = MeterLink::create(context, filter, {process.machine, process.pid, process.job, process.name}, options);
  if (!link) return link.error();
  const std::string described = process.name + " (process " + std::to_string(process.pid) + ")";
  return std::unique_ptr<MeterSink>(new LinkToFilter(*std::move(link), described, way.on_delivery));
}

class MeterdCommand : public Command {
 public:
  std::string name() const override { return "meterd"; }
  std::string summary() const override { return "The daemon that a controller talks to; launchers start it"; }
  std::string example() const override { return "ssh red dpm meterd --attach"; }

  void describe(Options& options) override {
    const Option attach =
        options.flag("--attach", attach_,
                     "Connect standard input and output to the daemon, and start the daemon if it does not run");
    options
        .flag("--stay", attached_.stay,
              "With --attach: stay until the daemon ends, for systems where a job ends with its command")
        .needs(attach);
    options
        .value("--machine", daemon_options().machine,
               "A separate daemon for a machine of this name (default: this machine)")
        .check(machine_name);
    options.value("--idle", idle_seconds_, "End after this many idle seconds (default: 300)").check(whole_number);
    options
        .value("--keep", keep_seconds_,
               "Forget ended processes this many seconds after their controller has disconnected (default: 86400)")
        .check(whole_number);
    options.flag("--signals", by_signals_,
                 "Stop and kill programs by signals only, although a cgroup could be made for each");
    source_.describe(options);
    // How the daemon starts the processes that supervise programs, run filters and look into programs.
    options.flag("--supervise", supervise_).hide();
    options.flag("--collect", collect_).hide();
    options.flag("--events", look_).hide();
  }

  int run(Terminal& terminal) override {
    daemon_options().idle = std::chrono::seconds(idle_seconds_);
    daemon_options().uses_cgroups = !by_signals_;
    daemon_options().source = source_.name();
    daemon_options().keep = std::chrono::seconds(keep_seconds_);
    const auto done = attach_ ? attach(attached_) : supervise_ || collect_ || look_ ? look_after() : serve();
    return done ? kDone : refuse(terminal, *this, done.error());
  }

 private:
  Meterd::Options& daemon_options() { return attached_.meterd; }

  Result<void> serve() {
    if (::chdir("/") != 0) return Error::from_errno("go to the folder /");
    return Meterd::run(daemon_options(), say_ready);
  }

  Result<void> look_after() {
    UniqueFd daemon = take_standard_input();
    if (look_) return EventMonitorProcess::run(std::move(daemon), daemon_options().machine);
    if (collect_) return CollectorProcess::run(std::move(daemon), daemon_options().machine);
    return SupervisorProcess::run(std::move(daemon),
                                  {daemon_options().machine, daemon_options().uses_cgroups, daemon_options().source},
                                  open_link);
  }

  AttachOptions attached_;
  SourceOption source_;
  std::uint64_t idle_seconds_ = 300, keep_seconds_ = 86'400;
  bool attach_ = false, by_signals_ = false, supervise_ = false, collect_ = false, look_ = false;
};

}  // namespace

std::unique_ptr<Command> make_meterd() { return std::make_unique<MeterdCommand>(); }

}  // namespace dpm::cli
