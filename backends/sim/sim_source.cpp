#include "backends/sim/sim_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "backends/sim/simulation.hpp"
#include "backends/sim/wire.hpp"
#include "model/check_scenario.hpp"
#include "os/fork_bound.hpp"
#include "os/unique_fd.hpp"

namespace dpm {
namespace {

// A word that both processes see: which process of the scenario has the CPU. It is read when the child has crashed.
class SharedWord {
 public:
  SharedWord() {
    void* page =
        ::mmap(nullptr, sizeof(std::atomic<std::uint32_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) word_ = new (page) std::atomic<std::uint32_t>(0);
  }
  ~SharedWord() {
    if (word_ != nullptr) ::munmap(word_, sizeof *word_);
  }
  SharedWord(const SharedWord&) = delete;
  SharedWord& operator=(const SharedWord&) = delete;

  std::atomic<std::uint32_t>* get() const { return word_; }

 private:
  std::atomic<std::uint32_t>* word_ = nullptr;
};

// The simulating child, from the parent's side.
class Child {
 public:
  Result<void> start(const Scenario& scenario);

  // False at the end of the pipe.
  bool read(void* bytes, std::size_t size_bytes);

  // How it ended, in words; empty if it ended well.
  std::string wait();

  // Which process ran when it ended, and the end of SimGrid's log.
  std::string where_it_ended(const Scenario& scenario) const;

 private:
  [[noreturn]] void simulate(const Scenario& scenario);

  UniqueFd pipe_;
  UniqueFd pipe_of_child_;
  UniqueFd log_;
  SharedWord running_;
  pid_t pid_ = -1;
};

Result<void> Child::start(const Scenario& scenario) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno("create a pipe for the simulation");
  pipe_.reset(ends[0]);
  pipe_of_child_.reset(ends[1]);
  constexpr int kPipeBytes = 1 << 20;  // a few batches; a smaller pipe works too
  (void)::fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);
  log_.reset(::memfd_create("simulation log", 0));
  if (log_.get() < 0) return Error::from_errno("create a log for the simulation");
  if (running_.get() == nullptr) return Error::from_errno("share a page with the simulation");
  std::fflush(nullptr);  // or the child would print the parent's unwritten output a second time
  pid_ = fork_bound();
  if (pid_ < 0) return Error::from_errno("fork the simulation");
  if (pid_ == 0) simulate(scenario);
  pipe_of_child_.reset();
  return {};
}

void Child::simulate(const Scenario& scenario) {
  pipe_.reset();
  ::signal(SIGPIPE, SIG_IGN);
  const std::string log_path = "/proc/self/fd/" + std::to_string(log_.get());
  // Never deleted: it ends with this process.
  auto* simulation = new sim::Simulation(scenario, pipe_of_child_.get(), log_path, *running_.get());
  simulation->run();
}

bool Child::read(void* bytes, std::size_t size_bytes) {
  char* at = static_cast<char*>(bytes);
  while (size_bytes > 0) {
    const ssize_t got = ::read(pipe_.get(), at, size_bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size_bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

std::string Child::wait() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0) {
    if (errno != EINTR) return Error::from_errno("wait for the simulation").what;
  }
  if (WIFSIGNALED(status)) return fmt::format("was ended by signal '{}'", ::strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) return fmt::format("ended with status {}", WEXITSTATUS(status));
  return "";
}

std::string Child::where_it_ended(const Scenario& scenario) const {
  std::string text;
  const std::uint32_t rank = running_.get()->load();
  if (rank > 0 && rank <= scenario.processes.size())
    text += fmt::format(" while process '{}' was running", scenario.processes[rank - 1].name);
  else if (rank > scenario.processes.size() && rank < sim::kFirstSystemRank)
    text += " while a process created in the run was running";
  constexpr off_t kMostBytes = 500;
  std::string said(kMostBytes, '\0');
  const off_t end = ::lseek(log_.get(), 0, SEEK_END);
  const ssize_t got = ::pread(log_.get(), said.data(), said.size(), std::max<off_t>(end - kMostBytes, 0));
  if (got > 0) text += "; SimGrid said: " + said.substr(0, static_cast<std::size_t>(got));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Turns frames into calls of the sink until the pipe ends. False if the last frame has not come.
bool receive_frames(Child& child, EventSink& sink, TraceInfo& info, sim::RunEnd& end) {
  std::vector<Event> events;
  std::string payload;
  sim::FrameHeader header;
  while (child.read(&header, sizeof header)) {
    if (header.kind == sim::FrameKind::events) {
      events.resize(header.size_bytes / sizeof(Event));
      if (!child.read(events.data(), header.size_bytes)) return false;
      sink.on_events(events);
      end.losses.seen += events.size();  // in case the last frame never comes
      continue;
    }
    payload.resize(header.size_bytes);
    if (!child.read(payload.data(), payload.size())) return false;
    if (header.kind == sim::FrameKind::growth) {
      sim::decode_growth(payload).add_to(info);
    } else {
      end = sim::decode_end(payload);
      return true;
    }
  }
  return false;
}

}  // namespace

SimSource::SimSource(Scenario scenario) : scenario_(std::move(scenario)) {}

Result<void> SimSource::run(EventSink& sink) {
  if (auto checked = check_scenario(scenario_); !checked) return checked.error();
  Child child;
  if (auto started = child.start(scenario_); !started) return started.error();

  TraceInfo info = sim::initial_trace_info(scenario_);
  sink.on_begin(info);
  sim::RunEnd end;
  const bool complete = receive_frames(child, sink, info, end);
  const std::string ended = child.wait();
  if (!complete) {
    end.error = fmt::format("the simulation {}{}", ended.empty() ? "ended before its report" : ended,
                            child.where_it_ended(scenario_));
    end.truth.ended_by = "an error";
    end.losses.warnings.push_back(end.error + "; events it still held are lost and could not be counted");
  }
  truth_ = std::move(end.truth);
  sink.on_end(end.losses);
  if (!end.error.empty()) return Error{end.error};
  return {};
}

}  // namespace dpm
