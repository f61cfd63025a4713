#include "control/client/connections.hpp"

#include <fmt/format.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "control/transport/frames/meter_scope.hpp"
#include "os/descriptors.hpp"
#include "os/net/asio.hpp"
#include "os/readability.hpp"

namespace dpm::control {
namespace {

using Clock = std::chrono::steady_clock;

// MachineConnection limits the time of opening; this is longer.
constexpr std::chrono::seconds kOpeningPatience{40};
constexpr std::chrono::seconds kOneCommand{1};
// Then conditions are looked at again, even if more is ready.
constexpr int kHandlersAtOnce = 1000;

// In memory, about.
constexpr std::size_t kSmallBytes = 200;

template <typename Small>
std::size_t text_bytes(const Small&) {
  return 0;
}
std::size_t text_bytes(const Output& report) { return report.bytes.size(); }
std::size_t text_bytes(const StateChanged& report) { return report.reason.size(); }
std::size_t text_bytes(const FilterEnded& report) { return report.reason.size(); }
std::size_t text_bytes(const DeliveryChanged& report) {
  return report.name.size() + report.delivery.problem.size() + report.delivery.file.size();
}
std::size_t text_bytes(const MachineLost& report) { return report.why.size(); }
std::size_t text_bytes(const EventsSeen& report) {
  std::size_t bytes = 0;
  for (const EventSeen& seen : report.events) bytes += sizeof seen + seen.event.size() + seen.text.size();
  for (const std::string& warning : report.warnings) bytes += sizeof warning + warning.size();
  return bytes;
}
std::size_t text_bytes(const Notice& notice) { return notice.text.size(); }
std::size_t text_bytes(const MachineFound& report) {
  std::size_t bytes = 0;
  for (const auto& managed : report.managed)
    bytes += sizeof managed + managed.name.size() + managed.job.size() + managed.controller.size() +
             managed.reason.size() + managed.log.size();
  return bytes;
}

std::size_t bytes_of(const MachineReport& report) {
  return kSmallBytes + std::visit([](const auto& what) { return text_bytes(what); }, report.what);
}

// There may be any number of these.
bool is_output(const MachineReport& report) {
  return std::holds_alternative<Output>(report.what) || std::holds_alternative<EventsSeen>(report.what);
}

// Turns Refused into an error.
Answer checked(Answer reply) {
  if (!reply) return reply;
  if (const auto* refused = std::get_if<Refused>(&*reply)) return Error{refused->why};
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

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace

Connections::Connections(Launcher launcher, std::string controller, int interruption)
    : launcher_(std::move(launcher)),
      controller_(std::move(controller)),
      context_(std::make_unique<asio::io_context>(1)),
      interruption_(std::in_place, *context_, duplicate(interruption)),
      tunnels_([this](const std::string& machine, Relay piece) { send_piece(machine, std::move(piece)); }) {
  await_interruption();
}

Connections::~Connections() {
  delays_.clear();
  machines_.clear();
  interruption_.reset();
  context_->run();  // until the launchers have ended
}

bool Connections::is_here(const std::string& machine) const { return machine == kLocalMachine || are_all_here(); }

bool Connections::are_all_here() const { return launcher_.kind == Launcher::Kind::local; }

std::vector<Answer> Connections::ask(std::vector<Question> questions) {
  const auto asked = std::make_shared<Asked>(questions.size());
  const bool is_refused = is_interrupted();
  is_asking_ = true;
  set_reading(true);
  for (std::size_t i = 0; i < questions.size() && !is_refused; ++i) {
    const std::string& name = first_name(questions[i].machine);
    if (const auto* why = failed_lookup(name)) {
      asked->answer(i, Error{*why});
      continue;
    }
    const auto connection = connection_to(name);
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
  looked_up_.clear();

  std::vector<Answer> answers;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const char* problem = was_interrupted_ ? ": interrupted before it answered" : ": no answer";
    auto& answer = asked->answers[i];
    answers.push_back(answer ? *std::move(answer) : Error{fmt::format("machine {}{}", questions[i].machine, problem)});
  }
  return answers;
}

void Connections::ask_meanwhile(Question question, std::chrono::milliseconds delay, std::function<void(Answer)> take) {
  const auto timer = delays_.emplace(delays_.end(), *context_);
  timer->start(delay, [this, timer, question = std::move(question), take = std::move(take)] {
    std::list<Timer> over;
    over.splice(over.end(), delays_, timer);
    ask_connected(question, take);
  });
}

// One that is lost is unreachable until a command reaches it again.
void Connections::ask_connected(Question question, const std::function<void(Answer)>& take) {
  const auto at = machines_.find(first_name(question.machine));
  if (at == machines_.end() || at->second == nullptr || at->second->has_ended())
    return take(Error{fmt::format("machine {} is not connected", question.machine)});
  at->second->ask(std::move(question.body), [take](Answer reply) { take(checked(std::move(reply))); });
}

Result<MachineConnection*> Connections::connection_to(const std::string& name) {
  auto& connection = machines_[name];
  if (connection != nullptr && !connection->has_ended()) return connection.get();
  Launcher launcher = launcher_;
  if (name == kLocalMachine) launcher = {.kind = Launcher::Kind::local};
  const auto command = launcher_command(launcher, name);
  if (!command) return command.error();
  MachineConnection::Handlers handlers;
  // The name changes if the machine turns out to be known by another one.
  const auto known = std::make_shared<std::string>(name);
  handlers.on_open = [this, known](const Welcome& welcome) { on_open(*known, welcome); };
  handlers.on_report = [this, known](ReportBody report) {
    const auto keep = [&](auto& what) { queue({*known, std::move(what)}); };
    std::visit(Overloaded{[&](Relay& piece) { tunnels_.take(*known, std::move(piece)); }, keep}, report);
  };
  handlers.on_end = [this, known](const std::string& why, bool opened) {
    tunnels_.lose(*known);
    if (opened && !first_names_.contains(*known)) queue({*known, MachineLost{why}});
  };
  connection = std::make_unique<MachineConnection>(*context_, *command, name, controller_, std::move(handlers));
  return connection.get();
}

const std::string& Connections::first_name(const std::string& name) const {
  const auto first = first_names_.find(name);
  return first == first_names_.end() ? name : first->second;
}

std::vector<std::string> Connections::known_as(std::vector<std::string> machines) {
  const auto is_known = [this](const std::string& name) {
    const auto at = machines_.find(first_name(name));
    return at == machines_.end() || at->second == nullptr || at->second->is_open() || at->second->has_ended();
  };
  if (!is_interrupted()) {
    for (const auto& name : machines) (void)connection_to(first_name(name));
    run_until(Clock::now() + kOpeningPatience,
              [&] { return was_interrupted_ || std::all_of(machines.begin(), machines.end(), is_known); });
  }
  for (auto& name : machines) name = first_name(name);
  looked_up_ = {machines.begin(), machines.end()};
  return machines;
}

Result<std::string> Connections::own_name(const std::string& machine) const {
  return own_names_.of(first_name(machine));
}

const std::string* Connections::failed_lookup(const std::string& name) const {
  const auto at = machines_.find(name);
  if (!looked_up_.contains(name) || at == machines_.end() || at->second == nullptr) return nullptr;
  return at->second->failed_after(Clock::now() - kOneCommand);
}

void Connections::on_open(std::string& name, const Welcome& welcome) {
  const std::string before = std::exchange(hosts_[name], welcome.host);
  if (before != welcome.host) std::erase_if(first_names_, [&](const auto& other) { return other.second == name; });
  const auto boot_of = [](const std::string& host) { return host.substr(0, host.find(' ')); };
  const bool is_restarted = !before.empty() && !welcome.host.empty() && boot_of(before) != boot_of(welcome.host);
  const auto same = std::find_if(hosts_.begin(), hosts_.end(), [&](const auto& other) {
    return other.first != name && other.second == welcome.host && !first_names_.contains(other.first);
  });
  if (welcome.host.empty() || same == hosts_.end()) {
    own_names_.learn(name, welcome.machine);
    return queue({name, MachineFound{welcome.managed, is_restarted}});
  }

  auto& first = machines_[same->first];
  const std::string second = name;
  first_names_[second] = same->first;
  if (first == nullptr || first->has_ended()) {  // this way leads there
    name = same->first;
    first = std::move(machines_[second]);
    return queue({name, MachineFound{welcome.managed}});
  }
  asio::post(*context_, [this, second] {  // not while it calls us
    const auto at = machines_.find(second);
    if (at != machines_.end() && at->second != nullptr) at->second->drop("the machine has another name here");
  });
}

void Connections::serve_tunnels(const FilterAddress& filter, const std::string& machine, std::uint32_t pid) {
  // Not the id that the filter's machine names: that could be of another filter.
  if (const auto id = filter_id(filter.secret)) tunnels_.serve(*id, machine, pid);
}

// Connects to no machine: one that is lost is unreachable until a command reaches it again.
void Connections::send_piece(const std::string& machine, Relay piece) {
  const auto at = machines_.find(first_name(machine));
  if (at == machines_.end() || at->second == nullptr || at->second->has_ended()) return;
  Relay sent;
  sent.pid = piece.pid;
  sent.tunnel = piece.tunnel;
  at->second->ask(std::move(piece), [this, machine, sent](const Answer& answer) {
    if (answer && std::holds_alternative<Refused>(*answer)) tunnels_.refused(machine, sent);
  });
}

template <typename Condition>
void Connections::run_until(Clock::time_point time, Condition is_met) {
  // Even if the time is over, this handles what is ready. Messages that come faster than that do not keep it here.
  for (int i = 0; i < kHandlersAtOnce && !is_met() && context_->poll_one() > 0; ++i) {
  }
  while (!is_met() && Clock::now() < time) context_->run_one_until(time);
}

void Connections::await_interruption() {
  interruption_->when_readable([this] {
    (void)is_interrupted();
    await_interruption();
  });
}

bool Connections::is_interrupted() {
  signalfd_siginfo taken;
  if (::read(interruption_->fd(), &taken, sizeof taken) > 0) was_interrupted_ = true;
  return was_interrupted_;
}

bool Connections::take_interruption() {
  (void)is_interrupted();
  return std::exchange(was_interrupted_, false);
}

void Connections::queue(MachineReport report) {
  const std::size_t bytes = bytes_of(report);
  queued_bytes_ += bytes;
  if (!is_output(report) && (states_bytes_[report.machine] += bytes) > kStatesBytesMax) return drop(report.machine);
  reports_.push_back(std::move(report));
  if (queued_bytes_ < kQueuedBytesMax) return;
  is_asking_ ? relieve_queue() : set_reading(false);
}

// Only output can be much: the handler takes it, and the rest stays in the queue.
void Connections::relieve_queue() {
  if (on_overflow_ == nullptr) return;
  const auto output = std::stable_partition(reports_.begin(), reports_.end(), std::not_fn(is_output));
  std::vector<MachineReport> taken(std::make_move_iterator(output), std::make_move_iterator(reports_.end()));
  reports_.erase(output, reports_.end());
  for (const auto& report : taken) queued_bytes_ -= bytes_of(report);
  on_overflow_(std::move(taken));
}

// No honest daemon reports so much: its connection ends. Called while it is read, so the end comes a moment later.
void Connections::drop(const std::string& machine) {
  set_reading(false);
  asio::post(*context_, [this, machine] {
    const auto at = machines_.find(machine);
    if (at == machines_.end() || at->second == nullptr) return;
    at->second->drop("it sent more reports than it can have");
    if (is_asking_) set_reading(true);
  });
}

void Connections::set_reading(bool on) {
  for (auto& [name, connection] : machines_)
    if (connection != nullptr) connection->set_reading(on);
}

std::vector<MachineReport> Connections::take_reports() {
  run_until({}, [this] { return queued_bytes_ >= kQueuedBytesMax; });
  queued_bytes_ = 0;
  states_bytes_.clear();
  set_reading(true);
  return std::exchange(reports_, {});
}

Machines::Waited Connections::wait(std::chrono::milliseconds at_most) {
  run_until(Clock::now() + at_most, [this] { return was_interrupted_ || !reports_.empty(); });
  if (was_interrupted_) return Waited::interrupted;
  return reports_.empty() ? Waited::timed_out : Waited::reported;
}

Connections::Woken Connections::wait_for_input(int input, std::chrono::milliseconds at_most) {
  auto readability = readability_of(input);
  bool is_readable = !readability;  // then the caller's read waits
  std::optional<Descriptor> typed;
  if (readability) typed.emplace(*context_, std::move(readability));
  if (typed) typed->when_readable([&] { is_readable = true; });
  // Reports do not end this look at the input: while they come faster than they are shown, there is always one.
  run_until({}, [&] { return was_interrupted_ || is_readable; });
  run_until(Clock::now() + at_most, [&] { return was_interrupted_ || is_readable || !reports_.empty(); });
  if (take_interruption()) return Woken::interrupted;
  if (is_readable) return Woken::input;
  return reports_.empty() ? Woken::timed_out : Woken::reported;
}

}  // namespace dpm::control
