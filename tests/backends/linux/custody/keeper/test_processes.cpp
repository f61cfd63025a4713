#include "tests/backends/linux/custody/keeper/test_processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <random>
#include <thread>

#include "backends/linux/calls/metered_call.hpp"
#include "backends/linux/custody/keeper/keeper.hpp"
#include "backends/linux/custody/keeper/rescue.hpp"
#include "backends/linux/custody/keeper/socket_folder.hpp"
#include "os/kernel/seccomp_program.hpp"
#include "os/kernel/tracee.hpp"
#include "os/process_handle.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr int kHighDescriptor = 200;
constexpr auto kPatience = std::chrono::seconds(60);
constexpr auto kLookAgain = std::chrono::microseconds(200);

void end_with_the_test() { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

[[noreturn]] void be_the_program(const ProgramUnderTest::Body& body, ProgramState& state) {
  end_with_the_test();
  auto listener = install_seccomp_program(seccomp_program({harmless_calls(), {}}));
  if (!listener) ::_exit(3);
  const int held = ::fcntl(listener->get(), F_DUPFD, kHighDescriptor);
  listener->reset();
  state.listener = static_cast<std::uint32_t>(held) + 1;
  while (!state.begin) std::this_thread::sleep_for(kLookAgain);
  body(state);
  ::_exit(state.failed_calls == 0 ? 0 : 1);
}

}  // namespace

PrivateRuntime::PrivateRuntime(uid_t owner) {
  path_ = (std::filesystem::temp_directory_path() / "dpm-keeper-test-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr) std::abort();
  if (owner != 0 && ::chown(path_.c_str(), owner, owner) != 0) std::abort();
  const char* before = std::getenv("XDG_RUNTIME_DIR");
  before_ = before == nullptr ? "" : before;
  ::setenv("XDG_RUNTIME_DIR", path_.c_str(), 1);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

PrivateRuntime::~PrivateRuntime() {
  CHECK(all_processes_end());
  if (before_.empty()) {
    ::unsetenv("XDG_RUNTIME_DIR");
  } else {
    ::setenv("XDG_RUNTIME_DIR", before_.c_str(), 1);
  }
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

bool becomes_true(const std::function<bool()>& condition) {
  const auto limit = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::sleep_for(kLookAgain);
  }
  return true;
}

bool all_processes_end() {
  return becomes_true([] { return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; });
}

std::size_t sockets_left() {
  const auto folder = SocketFolder::own();
  return folder ? folder->names("keeper-").size() + folder->names("meter-").size() : 0;
}

ProgramUnderTest::ProgramUnderTest(const Body& body) {
  void* shared = ::mmap(nullptr, sizeof(ProgramState), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) std::abort();
  state_ = new (shared) ProgramState;
  pid_ = ::fork();
  if (pid_ == 0) be_the_program(body, *state_);
  if (!becomes_true([this] { return state_->listener != 0; })) std::abort();
}

ProgramUnderTest::~ProgramUnderTest() {
  if (pid_ > 0) kill_and_wait(pid());
  ::munmap(state_, sizeof(ProgramState));
}

UniqueFd ProgramUnderTest::borrow_listener() const {
  const UniqueFd process = open_process(pid());
  return borrow_descriptor(process.get(), static_cast<int>(state_->listener) - 1);
}

bool ProgramUnderTest::goes_on() const {
  const std::uint64_t now = state_->rounds;
  return becomes_true([this, now] { return state_->rounds >= now + 100; });
}

bool ProgramUnderTest::stands_still() const {
  return becomes_true([this] {  // what was on its way may still arrive
    const std::uint64_t now = state_->rounds;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return state_->rounds == now;
  });
}

int ProgramUnderTest::end() {
  state_->stop = true;
  int status = -1;
  if (!becomes_true([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; })) return -1;
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

namespace {

Result<MeteredProgram> start_metering(const ProgramUnderTest& program, SmallMeter::Start start, std::uint32_t process) {
  if (start == SmallMeter::Start::take_over) return take_over(process);
  if (start == SmallMeter::Start::rescue) return rescue(process);
  auto slots = NotificationSlots::create();
  if (!slots) return slots.error();
  MeteredProgram metered{.pid = program.pid(),
                         .command = "ping pong",
                         .from_start = true,
                         .exact_paths = true,
                         .privileges_given_up = true,
                         .listener = program.borrow_listener(),
                         .slots = *std::move(slots)};
  if (!metered.listener) return Error::from_errno("borrow the listener");
  if (auto started = start_keeper(metered); !started) return started.error();
  return metered;
}

// Sometimes takes its time, so that a kill finds it with a call in its hands.
class Dawdling {
 public:
  void dawdle() {
    const unsigned chance = random_() % 64;
    if (chance > 16) return;
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(chance * 20);
    while (std::chrono::steady_clock::now() < until) {
    }
  }

 private:
  std::minstd_rand random_{static_cast<unsigned>(::getpid())};
};

// Ends when the program has, or an order to leave it comes.
void meter(MeteredProgram& program, ProgramState& state, SmallMeter::Habit habit, int orders) {
  SeccompListener listener(UniqueFd(::fcntl(program.listener.get(), F_DUPFD_CLOEXEC, 0)));
  listener.set_sync_wake_up(true);
  Dawdling dawdling;
  std::size_t slot = 0;
  while (true) {
    pollfd waiting[2] = {{listener.fd(), POLLIN, 0}, {orders, POLLIN, 0}};
    ::poll(waiting, 2, -1);
    if ((waiting[0].revents & POLLHUP) != 0 || waiting[1].revents != 0) return;
    if (waiting[0].revents == 0) continue;
    Notification& notification = program.slots[slot];
    if (listener.receive(notification) != SeccompListener::Received::one) continue;
    const bool holds = habit == SmallMeter::Habit::holds_all || (habit == SmallMeter::Habit::holds_first && slot == 0);
    if (holds) {
      ++state.held_calls;
      ++slot;
      continue;
    }
    if (habit == SmallMeter::Habit::answers) dawdling.dawdle();
    listener.let_go(notification.id);
    notification = {};
  }
}

void say(int to, const std::string& text) {
  if (::write(to, text.data(), text.size()) < 0) ::_exit(4);
}

[[noreturn]] void be_the_meter(const ProgramUnderTest& program, SmallMeter::Start start, SmallMeter::Habit habit,
                               std::uint32_t process, UniqueFd say_to, int orders) {
  end_with_the_test();
  auto metered = start_metering(program, start, process);
  if (!metered) {
    say(say_to.get(), metered.error().what);
    ::_exit(2);
  }
  say(say_to.get(), "meters " + std::to_string(metered->pid) + (metered->from_start ? " from_start" : "") +
                        (metered->exact_paths ? " exact_paths" : "") +
                        (metered->privileges_given_up ? " unprivileged " : " ") + metered->command);
  say_to.reset();
  meter(*metered, program.state(), habit, orders);
  pollfd order{orders, POLLIN, 0};
  if (::poll(&order, 1, 0) == 1) {
    if (!leave_to_keeper(*metered)) ::_exit(5);
    while (true) ::pause();
  }
  ::_exit(0);
}

std::string read_all(int fd) {
  std::string text;
  char part[4096];
  ssize_t length = 0;
  while ((length = ::read(fd, part, sizeof part)) > 0) text.append(part, static_cast<std::size_t>(length));
  return text;
}

}  // namespace

SmallMeter::SmallMeter(const ProgramUnderTest& program, Start start, Habit habit, std::uint32_t process) {
  int said[2], orders[2];
  if (::pipe2(said, O_CLOEXEC) != 0 || ::pipe2(orders, O_CLOEXEC) != 0) std::abort();
  const UniqueFd reading(said[0]), ordered(orders[0]);
  UniqueFd writing(said[1]);
  orders_ = UniqueFd(orders[1]);
  pid_ = ::fork();
  if (pid_ == 0) {
    orders_.release();
    be_the_meter(program, start, habit, process == 0 ? program.pid() : process, std::move(writing), orders[0]);
  }
  writing.reset();
  said_ = read_all(reading.get());
}

SmallMeter::SmallMeter(SmallMeter&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), said_(std::move(other.said_)), orders_(std::move(other.orders_)) {}

SmallMeter::~SmallMeter() { kill(); }

void SmallMeter::kill() {
  const bool is_there = pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == 0;
  if (is_there) kill_and_wait(pid());
  pid_ = -1;
}

void SmallMeter::leave() { say(orders_.get(), "leave"); }

bool SmallMeter::ends() {
  const bool ended = becomes_true([this] { return ::waitpid(pid_, nullptr, WNOHANG) == pid_; });
  if (ended) pid_ = -1;
  return ended;
}

std::uint32_t keeper_of(const ProgramUnderTest& program) {
  for (const auto& kept : kept_programs(program.pid())) {
    if (kept.pid == program.pid()) return kept.keeper_pid;
  }
  return 0;
}

void kill_and_wait(std::uint32_t pid) {
  ::kill(static_cast<pid_t>(pid), SIGKILL);
  while (::waitpid(static_cast<pid_t>(pid), nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace dpm
