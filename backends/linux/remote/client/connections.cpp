#include "backends/linux/remote/client/connections.hpp"

#include <fmt/format.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "backends/linux/transport/net/asio.hpp"
#include "os/descriptors.hpp"

namespace dpm::control {
namespace {

using Clock = std::chrono::steady_clock;

// MachineConnection limits the time of opening; this is longer.
constexpr std::chrono::seconds kOpeningPatience{40};

std::size_t bytes_of(const MachineReport& report) {
  constexpr std::size_t kSmall = 200;
  const auto* output = std::get_if<Output>(&report.what);
  return kSmall + (output == nullptr ? 0 : output->bytes.size());
}

// Turns Refused into an error.
Answer checked(Answer reply) {
  if (const auto* refused = reply ? std::get_if<Refused>(&*reply) : nullptr) return Error{refused->why};
  return reply;
}

// The answers to one call's questions. Late answers still find it, but are not used.
struct Asked {
  explicit Asked(std::size_t count) : answers(count), left(count) {}
  void answer(std::size_t question, Answer reply) {
    answers[question] = checked(std::move(reply));
    --left;
  }
  std::vector<std::optional<Answer>> answers;
  std::size_t left;
};

}  // namespace

Connections::Connections(Launcher launcher, std::string controller, int interruption)
    : launcher_(std::move(launcher)),
      controller_(std::move(controller)),
      context_(std::make_unique<asio::io_context>(1)),
      interruption_(std::in_place, *context_, duplicate(interruption)) {
  await_interruption();
}

Connections::~Connections() {
  machines_.clear();
  interruption_.reset();
  context_->run();  // until the launchers have ended
}

bool Connections::is_here(const std::string& machine) const {
  return machine == kLocalMachine || launcher_.kind == Launcher::Kind::local;
}

std::vector<Answer> Connections::ask(std::vector<Question> questions) {
  const auto asked = std::make_shared<Asked>(questions.size());
  is_asking_ = true;
  set_reading(true);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto connection = connection_to(questions[i].machine);
    if (connection) {
      (*connection)->ask(std::move(questions[i].body), [asked, i](Answer reply) {
        asked->answer(i, std::move(reply));
      });
    } else {
      asked->answer(i, connection.error());
    }
  }
  run_until(Clock::now() + kOpeningPatience + kAnswerPatience, [&] { return asked->left == 0 || was_interrupted_; });
  is_asking_ = false;

  std::vector<Answer> answers;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const char* problem = was_interrupted_ ? ": interrupted before it answered" : ": no answer";
    auto& answer = asked->answers[i];
    answers.push_back(answer ? *std::move(answer) : Error{fmt::format("machine {}{}", questions[i].machine, problem)});
  }
  return answers;
}

Result<MachineConnection*> Connections::connection_to(const std::string& name) {
  auto& connection = machines_[name];
  if (connection != nullptr && !connection->has_ended()) return connection.get();
  Launcher launcher = launcher_;
  if (name == kLocalMachine) launcher = {.kind = Launcher::Kind::local};
  const auto command = launcher_command(launcher, name);
  if (!command) return command.error();
  MachineConnection::Handlers handlers;
  handlers.on_open = [this, name](const Welcome& welcome) { queue({name, MachineFound{welcome.managed}}); };
  handlers.on_report = [this, name](ReportBody report) {
    std::visit([&](auto& what) { queue({name, std::move(what)}); }, report);
  };
  handlers.on_end = [this, name](const std::string& why, bool opened) {
    if (opened) queue({name, MachineLost{why}});
  };
  connection = std::make_unique<MachineConnection>(*context_, *command, name, controller_, std::move(handlers));
  return connection.get();
}

template <typename Condition>
void Connections::run_until(Clock::time_point time, Condition is_met) {
  context_->poll();
  while (!is_met() && Clock::now() < time) context_->run_one_until(time);
}

void Connections::await_interruption() {
  interruption_->when_readable([this] {
    signalfd_siginfo taken;
    if (::read(interruption_->fd(), &taken, sizeof taken) > 0) was_interrupted_ = true;
    await_interruption();
  });
}

bool Connections::take_interruption() {
  context_->poll();
  return std::exchange(was_interrupted_, false);
}

void Connections::queue(MachineReport report) {
  queued_bytes_ += bytes_of(report);
  reports_.push_back(std::move(report));
  if (queued_bytes_ >= kQueuedBytesMax && !is_asking_) set_reading(false);
}

void Connections::set_reading(bool on) {
  for (auto& [name, connection] : machines_)
    if (connection != nullptr) connection->set_reading(on);
}

std::vector<MachineReport> Connections::take_reports() {
  context_->poll();
  queued_bytes_ = 0;
  set_reading(true);
  return std::exchange(reports_, {});
}

Machines::Waited Connections::wait(std::chrono::milliseconds at_most) {
  run_until(Clock::now() + at_most, [this] { return was_interrupted_ || !reports_.empty(); });
  if (was_interrupted_) return Waited::interrupted;
  return reports_.empty() ? Waited::timed_out : Waited::reported;
}

Connections::Woken Connections::wait_for_input(int input, std::chrono::milliseconds at_most) {
  bool is_readable = false;
  Descriptor typed(*context_, duplicate(input));
  typed.when_readable([&] { is_readable = true; });
  run_until(Clock::now() + at_most, [&] { return was_interrupted_ || !reports_.empty() || is_readable; });
  if (std::exchange(was_interrupted_, false)) return Woken::interrupted;
  if (!reports_.empty()) return Woken::reported;
  return is_readable ? Woken::input : Woken::timed_out;
}

}  // namespace dpm::control
