#include "backends/linux/remote/client/connections.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>

namespace dpm::control {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kLookForInterruption{50};
// What opening takes is bounded by itself; this is longer.
constexpr std::chrono::seconds kOpeningPatience{40};

std::size_t bytes_of(const MachineReport& report) {
  constexpr std::size_t kSmall = 200;
  const auto* output = std::get_if<Output>(&report.what);
  return kSmall + (output == nullptr ? 0 : output->bytes.size());
}

}  // namespace

Connections::Connections(Launcher launcher, std::string controller, int interruption)
    : launcher_(std::move(launcher)),
      controller_(std::move(controller)),
      interruption_(interruption),
      awake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  DPM_CHECK(awake_);
}

Connections::~Connections() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  room_.notify_all();
  // Each may take a moment to end: all at once.
  std::vector<std::future<void>> ends;
  for (auto& [name, machine] : machines_)
    ends.push_back(std::async(std::launch::async, [&machine] {
      if (machine.opening.valid()) machine.opening.wait();
      machine.connection.reset();
    }));
}

bool Connections::is_here(const std::string& machine) const {
  return machine == kLocalMachine || launcher_.kind == Launcher::Kind::local;
}

std::vector<Answer> Connections::ask(std::vector<Question> questions) {
  if (questions.empty()) return {};
  set_asking(true);
  for (const auto& question : questions) open(question.machine);
  auto answers = answers_of(std::move(questions));
  set_asking(false);
  return answers;
}

void Connections::set_asking(bool is_asking) {
  {
    const std::lock_guard lock(mutex_);
    is_asking_ = is_asking;
  }
  room_.notify_all();
}

// Begins to, in a thread, if there is no connection that lives.
void Connections::open(const std::string& name) {
  auto& machine = machines_[name];
  bool is_lost = false;
  {
    const std::lock_guard lock(mutex_);
    is_lost = std::exchange(is_lost_[name], false);
  }
  if (is_lost) machine.connection.reset();
  if (machine.connection != nullptr || machine.opening.valid()) return;
  Launcher launcher = launcher_;
  if (name == kLocalMachine) launcher = {.kind = Launcher::Kind::local};
  machine.opening = std::async(std::launch::async, &Connections::connect, this, launcher, name);
}

Connections::Opened Connections::connect(const Launcher& launcher, const std::string& name) {
  const auto command = launcher_command(launcher, name);
  if (!command) return {nullptr, command.error().what};
  MachineConnection::Handlers handlers;
  handlers.on_report = [this, name](ReportBody report) {
    std::visit([&](auto& what) { queue({name, std::move(what)}); }, report);
  };
  handlers.on_end = [this, name](const std::string& why) {
    {
      const std::lock_guard lock(mutex_);
      is_lost_[name] = true;
    }
    queue({name, MachineLost{why}});
  };
  auto connection = MachineConnection::open(*command, name, controller_, std::move(handlers));
  if (!connection) return {nullptr, connection.error().what};
  queue({name, MachineFound{(*connection)->welcome().charges}});
  return {*std::move(connection), ""};
}

Result<MachineConnection*> Connections::opened(const std::string& name, Clock::time_point until) {
  auto& machine = machines_[name];
  if (machine.opening.valid()) {
    if (auto done = await(machine.opening, until); !done) return done.error();
    auto opening = machine.opening.get();
    if (opening.connection == nullptr) return Error{opening.why_not};
    machine.connection = std::move(opening.connection);
  }
  // Another question for the same machine may have found out that it cannot be reached.
  if (machine.connection == nullptr) return Error{"machine " + name + " cannot be reached"};
  return machine.connection.get();
}

std::vector<Answer> Connections::answers_of(std::vector<Question> questions) {
  const auto opening_until = Clock::now() + kOpeningPatience;
  std::map<std::string, std::string> failures;  // to open, by machine
  std::vector<std::future<MachineConnection::Answer>> futures(questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::string& name = questions[i].machine;
    if (failures.contains(name)) continue;
    if (auto connection = opened(name, opening_until); connection) {
      futures[i] = (*connection)->ask(std::move(questions[i].body));
    } else {
      failures[name] = connection.error().what;
    }
  }
  std::vector<Answer> answers;
  const auto until = Clock::now() + kAnswerPatience;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::string& name = questions[i].machine;
    if (!futures[i].valid()) {
      answers.emplace_back(Error{failures[name]});
    } else if (auto done = await(futures[i], until); !done) {
      answers.emplace_back(Error{"machine " + name + ": " + done.error().what});
    } else if (auto answer = futures[i].get(); answer && std::holds_alternative<Refused>(*answer)) {
      answers.emplace_back(Error{std::get<Refused>(*answer).why});
    } else {
      answers.push_back(std::move(answer));
    }
  }
  return answers;
}

template <typename Future>
Result<void> Connections::await(Future& future, Clock::time_point until) {
  while (future.wait_for(kLookForInterruption) != std::future_status::ready) {
    if (is_interrupted()) return Error{"interrupted before it answered"};
    if (Clock::now() >= until) return Error{"no answer"};
  }
  return {};
}

bool Connections::is_interrupted() {
  pollfd polled{interruption_, POLLIN, 0};
  if (poll(&polled, 1, 0) <= 0) return was_interrupted_;
  signalfd_siginfo taken;
  if (read(interruption_, &taken, sizeof taken) > 0) was_interrupted_ = true;
  return was_interrupted_;
}

bool Connections::take_interruption() {
  is_interrupted();
  return std::exchange(was_interrupted_, false);
}

void Connections::queue(MachineReport report) {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return queued_bytes_ < kQueuedBytesMax || is_asking_ || is_closing_; });
  queued_bytes_ += bytes_of(report);
  reports_.push_back(std::move(report));
  const std::uint64_t one = 1;
  if (write(awake_.get(), &one, sizeof one) < 0) return;  // it is awake
}

std::vector<MachineReport> Connections::take_reports() {
  std::uint64_t count = 0;
  const std::lock_guard lock(mutex_);
  if (read(awake_.get(), &count, sizeof count) < 0) return {};
  queued_bytes_ = 0;
  room_.notify_all();
  return std::exchange(reports_, {});
}

Machines::Waited Connections::wait(milliseconds at_most) {
  const auto until = Clock::now() + at_most;
  while (true) {
    if (is_interrupted()) return Waited::interrupted;
    pollfd polled[] = {{awake_.get(), POLLIN, 0}, {interruption_, POLLIN, 0}};
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
    const int ready = poll(polled, 2, static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000)));
    if (ready > 0 && polled[0].revents != 0) return Waited::reported;
    if (ready <= 0 && Clock::now() >= until) return Waited::timed_out;
  }
}

}  // namespace dpm::control
