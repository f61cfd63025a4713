#include "backends/linux/remote/agents/collector_process.hpp"

#include <sys/random.h>

#include <array>
#include <csignal>
#include <utility>

#include "backends/linux/transport/net/asio.hpp"
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

}  // namespace

Result<void> CollectorProcess::run(UniqueFd daemon, const std::string& machine) {
  ::signal(SIGPIPE, SIG_IGN);
  // Never destroyed: after run() everything is sent and written. Static, so that the leak checker does not report it.
  static auto* const context = new asio::io_context(1);
  static auto* const collector = new CollectorProcess(*context, machine);
  if (auto begun = collector->service_.begin(std::move(daemon), machine); !begun) return begun;
  const auto until_stopped = asio::make_work_guard(*context);
  context->run();
  return {};
}

CollectorProcess::CollectorProcess(asio::io_context& context, std::string machine)
    : context_(context),
      machine_(std::move(machine)),
      service_(context, {[this](Asker asker, RequestBody request) { on_request(asker, std::move(request)); },
                         [this] { return describe(); }, [] {}}) {
  charge_.kind = Charge::Kind::filter;
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
    return service_.retire([this] { context_.stop(); });
  }
  if (!std::holds_alternative<Release>(request) || charge_.pid == 0)
    return service_.refuse(asker, "that is a filter: it can be released, and its log can be read");
  releasers_.push_back(asker);
  collector_->stop();
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
  auto collector = FilterCollector::create(context_, options);
  if (!collector) return collector.error();
  collector_ = *std::move(collector);

  charge_.pid = static_cast<std::uint32_t>(collector_->filter_pid());
  charge_.name = request.name;
  charge_.state = ProcessState::running;
  charge_.log = options.log;
  charge_.filter = {
      options.loopback_only ? std::vector<std::string>{"127.0.0.1"} : addresses_for_others(machine_addresses()),
      collector_->port(), *secret, request.name};
  collector_->begin(
      [this](const std::string& how) {
        how_ended_ = how.empty() ? "ended" : how;
        look();
      },
      [this] {
        is_over_ = true;
        look();
      });
  return FilterCreated{charge_.pid, charge_.filter, charge_.log};
}

void CollectorProcess::look() {
  if (charge_.state == ProcessState::running && releasers_.empty() && !how_ended_.empty()) {
    charge_.state = ProcessState::killed;
    charge_.reason = how_ended_;
    service_.report(FilterEnded{charge_.pid, charge_.reason});
  }
  if (!is_over_ || releasers_.empty()) return;
  for (const auto& asker : std::exchange(releasers_, {})) service_.reply(asker, Done{});
  service_.retire([this] { context_.stop(); });
}

}  // namespace dpm
