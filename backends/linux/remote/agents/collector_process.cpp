#include "backends/linux/remote/agents/collector_process.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "os/find_program.hpp"
#include "os/machine.hpp"
#include "os/own_program.hpp"
#include "os/user_paths.hpp"

namespace dpm {
namespace {

using namespace control;

// Whoever has it may send to the filter: it is told to the controller alone, which tells it to meters.
Result<std::string> make_secret() {
  std::array<unsigned char, 32> bytes = {};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return Error::from_errno("make a secret");
  std::string digits;
  for (const unsigned char byte : bytes) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 0xF];
  }
  return digits;
}

std::string expanded(const std::string& path) { return path.empty() ? path : expand_path(path); }

// The program with its files as arguments, or the standard filter.
Result<std::vector<std::string>> filter_command(const CreateFilter& request) {
  const std::string descriptions = expanded(request.descriptions), templates = expanded(request.templates);
  if (request.program.empty()) return standard_filter(own_program(), descriptions, templates);
  const bool is_path = request.program.find('/') != std::string::npos;
  const FoundProgram found = find_program(is_path ? expand_path(request.program) : request.program);
  if (!found) return Error{found.problem};
  std::vector<std::string> command = {found.path};
  for (const auto& file : {descriptions, templates})
    if (!file.empty()) command.push_back(file);
  return command;
}

void signal(const UniqueFd& event) {
  const std::uint64_t one = 1;
  if (::write(event.get(), &one, sizeof one) < 0) return;  // it is signalled
}

}  // namespace

Result<void> CollectorProcess::run(UniqueFd daemon, const std::string& machine) {
  ::signal(SIGPIPE, SIG_IGN);
  EventLoop loop;
  // Never destroyed: when the loop ends everything is said and written. Static, so that a search for leaks knows whose
  // its memory is.
  static auto* const collector = new CollectorProcess(loop, machine);
  if (auto begun = collector->service_.begin(std::move(daemon), machine); !begun) return begun;
  loop.run();
  return {};
}

CollectorProcess::CollectorProcess(EventLoop& loop, std::string machine)
    : loop_(loop),
      machine_(std::move(machine)),
      service_(loop, {[this](Asker asker, RequestBody request) { on_request(asker, std::move(request)); },
                      [this] { return describe(); }, [] {}}),
      stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      news_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  DPM_CHECK(stop_ && news_);
  charge_.kind = Charge::Kind::filter;
  loop_.watch(news_.get(), EPOLLIN, [this](std::uint32_t) { look(); });
}

Charge CollectorProcess::describe() const {
  Charge charge = charge_;
  charge.controller = service_.controller();
  return charge;
}

void CollectorProcess::on_request(Asker asker, RequestBody request) {
  if (const auto* wanted = std::get_if<CreateFilter>(&request); wanted != nullptr && charge_.pid == 0) {
    auto created = create(*wanted);
    if (created) return service_.reply(asker, *std::move(created));
    service_.refuse(asker, created.error().what);
    return service_.retire([this] { loop_.stop(); });
  }
  if (!std::holds_alternative<Release>(request) || charge_.pid == 0)
    return service_.refuse(asker, "that is a filter: it can be released, and its log can be read");
  releasers_.push_back(asker);
  signal(stop_);
  look();  // it may be over already
}

Result<FilterCreated> CollectorProcess::create(const CreateFilter& request) {
  auto command = filter_command(request);
  if (!command) return command.error();
  auto secret = make_secret();
  if (!secret) return secret.error();
  CollectorOptions options;
  options.log = default_log_folder(request.name);
  options.program = *command;
  options.secret = *secret;
  options.loopback_only = !machine_.empty();  // one of several that stand for machines is reached from here alone
  auto collector = FilterCollector::create(options);
  if (!collector) return collector.error();
  collector_ = *std::move(collector);

  charge_.pid = static_cast<std::uint32_t>(collector_->filter_pid());
  charge_.name = request.name;
  charge_.state = ProcessState::running;
  charge_.log = options.log;
  charge_.filter = {
      options.loopback_only ? std::vector<std::string>{"127.0.0.1"} : addresses_for_others(machine_addresses()),
      collector_->port(), *secret, request.name};
  thread_ = std::thread([this] { collect(); });
  return FilterCreated{charge_.pid, charge_.filter, charge_.log};
}

void CollectorProcess::collect() {
  const auto done = collector_->run(stop_.get(), [this](const std::string& how) {
    const std::lock_guard lock(mutex_);
    how_ended_ = how.empty() ? "ended" : how;
    signal(news_);
  });
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  if (!done) failure_ = done.error().what;
  signal(news_);
}

void CollectorProcess::look() {
  std::uint64_t count = 0;
  if (::read(news_.get(), &count, sizeof count) < 0 && errno != EAGAIN) return;
  const std::lock_guard lock(mutex_);
  if (charge_.state == ProcessState::running && releasers_.empty() && (!how_ended_.empty() || is_over_)) {
    charge_.state = ProcessState::killed;
    charge_.reason = !how_ended_.empty() ? how_ended_ : failure_;
    service_.report(FilterEnded{charge_.pid, charge_.reason});
  }
  if (!is_over_ || releasers_.empty()) return;
  for (const auto& asker : std::exchange(releasers_, {})) service_.reply(asker, Done{});
  service_.retire([this] { loop_.stop(); });
}

}  // namespace dpm
