// dpm serve: a page in the browser that shows a trace, also while it is written.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "answers/live/live_trace.hpp"
#include "cli/command.hpp"
#include "cli/importing/foreign_trace.hpp"
#include "os/unique_fd.hpp"
#include "text/printable.hpp"
#include "trace/trace_follower.hpp"
#include "trace/trace_reader.hpp"
#include "view/page/page.hpp"
#include "view/server/page_server.hpp"

namespace dpm::cli {
namespace {

constexpr std::chrono::seconds kUnwatched{60};
constexpr int kNiceness = 19;  // beside a program that is recorded: where it uses all cores, the page waits

// A pipe or a terminal that we hold would keep its reader waiting.
void leave_terminal() {
  const UniqueFd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!nowhere) return;
  ::dup2(nowhere.get(), STDOUT_FILENO);
  ::dup2(nowhere.get(), STDERR_FILENO);
}

// Control-C and SIGTERM, held back from the moment that this exists, in all threads that begin later.
class EndSignals {
 public:
  EndSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
  ~EndSignals() { release(); }

  // From now on they end the program.
  void release() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  // True: one of them came within that time.
  bool came_within(std::chrono::milliseconds time) const {
    const timespec wait{time.count() / 1000, static_cast<long>(time.count() % 1000) * 1'000'000};
    return sigtimedwait(&signals_, nullptr, &wait) > 0;
  }
  void await() const {
    int signal = 0;
    sigwait(&signals_, &signal);
  }

 private:
  sigset_t signals_{}, before_{};
};

class ServeCommand : public Command {
 public:
  std::string name() const override { return "serve"; }
  std::string summary() const override { return "Show a trace in the browser, also while it is written"; }
  std::string example() const override { return "dpm serve redis"; }

  void describe(Options& options) override {
    options
        .value("TRACE", path_,
               "A trace directory, or the output directory of dpm meter or dpm run; one that does not exist yet is "
               "waited for")
        .required();
    options.value("--address", options_.address, "The numeric address to listen on").show_default();
    options.value("--port", options_.port, "The port to listen on (default: one that is free)");
    options.value(
        "--token-file", options_.token_file,
        "Keep the address after a restart, with --port: a file with the token in it, which is made if it does "
        "not exist");
    options.value("--certificate", options_.certificate_file, "A PEM file: serve only with TLS");
    options.value("--key", options_.key_file, "The certificate's key, a PEM file");
    options.flag("--insecure", options_.insecure,
                 "Let other machines connect without TLS: all between them and this one can read along");
    options.list(
        "--allow-host", options_.allowed_hosts,
        "A name under which browsers reach this machine, such as 'name' or 'name:port' behind a tunnel; repeat "
        "for several");
    options.value("--title", title_, "The name of the trace on the page (default: its path)");
    options.flag("--until-closed", until_closed_,
                 "End when the standard input is closed, by the program that has started this one");
    options.flag("--while-watched", while_watched_,
                 "Detach from the terminal after printing the address, and end a minute after the recording has ended "
                 "and the last viewer has gone");
  }

  int run(Terminal& terminal) override {
    if (is_beside_recording()) ::setpriority(PRIO_PROCESS, 0, kNiceness);
    if (auto usable = view::check_options(options_); !usable) return refuse(terminal, *this, usable.error());
    const EndSignals signals;
    if (!await_trace(signals, terminal)) return kDone;
    auto foreign = ForeignTrace::open(path_, terminal);
    if (!foreign) return refuse(terminal, *this, foreign.error());
    auto trace = LiveTrace::open(foreign->directory(),
                                 {.levels = {}, .source = title_.empty() ? path_ : title_, .dpm = DPM_VERSION});
    if (!trace) return refuse(terminal, *this, trace.error());
    auto server = view::PageServer::start(options_, std::string(view::page_html()), **trace);
    if (!server) return refuse(terminal, *this, server.error());
    say_where((*server)->url(), terminal);
    std::atomic<bool> is_recording = true;
    (*trace)->start([&](const view::Json& tick) {
      is_recording = tick.value("state", "") == "recording";
      (*server)->changed(tick);
    });
    if (while_watched_) {
      await_last_viewer(signals, is_recording, **server);
    } else if (until_closed_) {
      await_closing(signals);
    } else {
      signals.await();
    }
    (*trace)->stop();  // before the server that it tells of news
    server->reset();
    if ((*trace)->is_analysing()) {  // it may take a minute, and writes nothing
      foreign->remove();
      std::quick_exit(kDone);
    }
    return kDone;
  }

 private:
  // False: the user does not want to wait any more. What is there and is not a trace is refused later.
  bool await_trace(const EndSignals& signals, Terminal& terminal) const {
    if (!is_missing()) return true;
    if (!while_watched_)
      terminal.err << fmt::format("waiting for a trace in '{}'; control-C ends\n", printable(path_)) << std::flush;
    const auto late = std::chrono::steady_clock::now() + kUnwatched;
    while (is_missing()) {
      if (signals.came_within(std::chrono::milliseconds(100))) return false;
      if (while_watched_ && std::chrono::steady_clock::now() > late) return false;
    }
    return true;
  }

  void say_where(const std::string& url, Terminal& terminal) const {
    terminal.out << (while_watched_ ? "dpm: the page of this run is " : "") << url << std::endl;
    if (is_beside_recording()) leave_terminal();
  }

  bool is_beside_recording() const { return while_watched_ || until_closed_; }

  static void await_closing(const EndSignals& signals) {
    constexpr int kLookMs = 100;
    pollfd input{STDIN_FILENO, 0, 0};
    while (!signals.came_within({}))
      if (::poll(&input, 1, kLookMs) > 0) return;
  }

  // Until a signal comes, or until the recording has ended and no viewer has been there for a while.
  static void await_last_viewer(const EndSignals& signals, const std::atomic<bool>& is_recording,
                                const view::PageServer& server) {
    auto watched = std::chrono::steady_clock::now();
    while (!signals.came_within(std::chrono::milliseconds(500))) {
      if (is_recording || server.counters().viewers > 0) watched = std::chrono::steady_clock::now();
      if (std::chrono::steady_clock::now() - watched > kUnwatched) return;
    }
  }

  // A recorder makes the directory first.
  bool is_missing() const {
    if (while_watched_) return !TraceFollower::open(path_);  // what started us is about to record there
    std::error_code ignored;
    if (!std::filesystem::exists(path_, ignored)) return true;
    return std::filesystem::is_directory(path_, ignored) && !find_trace(path_) &&
           std::filesystem::is_empty(path_, ignored);
  }

  std::string path_;
  view::ServerOptions options_;
  std::string title_;
  bool while_watched_ = false, until_closed_ = false;
};

}  // namespace

std::unique_ptr<Command> make_serve() { return std::make_unique<ServeCommand>(); }

}  // namespace dpm::cli
