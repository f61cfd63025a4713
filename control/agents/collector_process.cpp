#include "control/agents/collector_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <string_view>
#include <utility>

#include "control/transport/frames/meter_scope.hpp"
#include "os/find_program.hpp"
#include "os/machine.hpp"
#include "os/net/asio.hpp"
#include "os/net/timer.hpp"
#include "os/own_program.hpp"
#include "os/random.hpp"
#include "os/unique_fd.hpp"
#include "os/user_paths.hpp"
#include "os/whole_io.hpp"

namespace dpm {
namespace {

using namespace control;

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

// Before the standard filter begins: the user learns what is wrong with a file, not the exit status of a filter that has it.
Result<void> check_files(const std::vector<std::string>& standard_command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno("check the filter's files");
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  auto command = standard_command;
  command.emplace_back("--check");
  auto pid = start_in_session(command, {.output = writing.get(), .error = writing.get()});
  if (!pid) return pid.error();
  writing.reset();
  std::string words = read_to_end(reading.get());
  int status = 0;
  if (::waitpid(*pid, &status, 0) == *pid && WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  words.resize(std::min(words.find('\n'), words.size()));
  constexpr std::string_view kSpeaker = "dpm filter: ";
  if (words.starts_with(kSpeaker)) words.erase(0, kSpeaker.size());
  return Error{words.empty() ? "the standard filter does not start" : words};
}

// "exit status 1", with the last line that the filter wrote to its standard error.
std::string how_and_why(const std::string& how, const std::string& log) {
  constexpr std::size_t kLineBytesMax = 400;
  std::ifstream errors(log + "/filter.err");
  std::string last;
  for (std::string line; std::getline(errors, line);)
    if (!line.empty()) last = line;
  return how.empty() || last.empty() ? how : fmt::format("{}: {}", how, last.substr(0, kLineBytesMax));
}

// Where meters find the collector.
std::vector<std::string> hosts_of(const CreateFilter& request) {
  if (request.through_controller) return {};
  if (request.loopback_only) return {"127.0.0.1"};
  return addresses_for_others(machine_addresses());
}

}  // namespace

Result<void> CollectorProcess::run(UniqueFd daemon, const std::string& machine) {
  ::signal(SIGPIPE, SIG_IGN);
  asio::io_context context(1);
  CollectorProcess collector(context, machine);
  return collector.service_.run(std::move(daemon), machine);
}

CollectorProcess::CollectorProcess(asio::io_context& context, std::string machine)
    : context_(context),
      machine_(std::move(machine)),
      service_(context, {[this](RequestId id, RequestBody request) { on_request(id, std::move(request)); },
                         [this] { return describe(); }, [] {}, [this] { tunnels_.end_all(); }}),
      tunnels_(context, {[this](Relay piece) {
                           piece.pid = managed_.pid;
                           service_.report(std::move(piece));
                         },
                         [this](UniqueFd connection) {
                           if (collector_ != nullptr) collector_->accept(std::move(connection));
                         }}) {
  managed_.kind = ManagedProcess::Kind::filter;
}

ManagedProcess CollectorProcess::describe() const {
  ManagedProcess managed = managed_;
  managed.controller = service_.controller();
  return managed;
}

void CollectorProcess::on_request(RequestId id, RequestBody request) {
  if (const auto* wanted = std::get_if<CreateFilter>(&request); wanted != nullptr && managed_.pid == 0) {
    auto created = create(*wanted);
    if (created) return service_.reply(id, *std::move(created));
    service_.refuse(id, created.error().what);
    return service_.retire([this] { context_.stop(); });
  }
  if (auto* piece = std::get_if<Relay>(&request); piece != nullptr && managed_.filter.through_controller) {
    tunnels_.take(*piece);
    return service_.reply(id, Done{});
  }
  if (const auto* log = std::get_if<GetLog>(&request);
      log != nullptr && log->file == kDeliveryName && managed_.pid != 0)
    return service_.reply(id, delivered_piece(*log));
  if (managed_.pid == 0 || (!std::holds_alternative<Release>(request) && !std::holds_alternative<EndFilter>(request)))
    return service_.refuse(id, "that is a filter: it can be ended and released, and its log can be read");
  (std::holds_alternative<Release>(request) ? releasers_ : enders_).push_back(id);
  if (collector_ != nullptr) collector_->stop();
  look();  // it may be over already
}

Result<FilterCreated> CollectorProcess::create(const CreateFilter& request) {
  auto command = filter_command(request);
  if (!command) return command.error();
  if (request.program.empty()) {
    if (auto good = check_files(*command); !good) return good.error();
  }
  // The controller alone gets it, and gives meters keys that are derived from it.
  auto secret = new_secret();
  if (!secret) return secret.error();
  const auto id = filter_id(*secret);
  if (!id) return id.error();
  CollectorOptions options;
  options.log = default_log_folder(request.name);
  options.program = *command;
  options.is_standard = request.program.empty();
  options.secret = *secret;
  options.place = {request.loopback_only, request.port_first, request.port_last};
  options.listens = !request.through_controller;
  auto collector = FilterCollector::create(context_, options);
  if (!collector) return collector.error();
  collector_ = *std::move(collector);
  if (auto lock = RecordingLock::hold(options.log)) log_lock_ = *std::move(lock);

  managed_.pid = static_cast<std::uint32_t>(collector_->filter_pid());
  managed_.name = request.name;
  managed_.state = ProcessState::running;
  managed_.log = options.log;
  managed_.filter = {hosts_of(request), collector_->port(), *secret, request.name, request.through_controller, *id};
  collector_->begin(
      [this](const std::string& how) {
        how_ended_ = how.empty() ? "ended" : how_and_why(how, managed_.log);
        look();
      },
      [this] { finish(); }, [this](const FilterAccount& account) { note_account(account); });
  return FilterCreated{managed_.pid, managed_.filter, managed_.log};
}

// The log is complete. The collector goes, with its connections: meters that still run keep what they record from now on.
void CollectorProcess::finish() {
  is_over_ = true;
  delivered_ = to_json(collector_->report());
  if (managed_.state == ProcessState::running) {
    managed_.state = ProcessState::killed;
    const std::string how = how_and_why(collector_->report().filter_ended, managed_.log);
    managed_.reason = how.empty() ? "normal" : how;
  }
  later(context_, [this] { collector_.reset(); });
  look();
}

void CollectorProcess::note_account(const FilterAccount& account) {
  const Delivery delivery{.problem = account.problem, .lost = account.unwritten};
  if (delivery == managed_.delivery) return;
  managed_.delivery = delivery;
  service_.report(DeliveryChanged{managed_.pid, "", managed_.name, managed_.name, delivery});
}

// As it is now: on the disk it is some seconds old, and as old as the disk is full.
ReplyBody CollectorProcess::delivered_piece(const GetLog& request) {
  if (request.offset == 0 && collector_ != nullptr) delivered_ = to_json(collector_->report());
  const std::size_t bytes_max = request.bytes_max == 0 ? kChunkBytesMax : request.bytes_max;
  LogPiece piece;
  if (request.offset < delivered_.size()) piece.bytes = delivered_.substr(request.offset, bytes_max);
  piece.last = request.offset + piece.bytes.size() >= delivered_.size();
  return piece;
}

void CollectorProcess::look() {
  const bool was_told_to_end = !releasers_.empty() || !enders_.empty();
  if (managed_.state == ProcessState::running && !was_told_to_end && !how_ended_.empty()) {
    managed_.state = ProcessState::killed;
    managed_.reason = how_ended_;
    service_.report(FilterEnded{managed_.pid, managed_.reason});
  }
  if (!is_over_) return;
  for (const auto& id : std::exchange(enders_, {})) service_.reply(id, FilterFinished{managed_.reason});
  if (releasers_.empty()) return;
  for (const auto& id : std::exchange(releasers_, {})) service_.reply(id, Done{});
  service_.retire([this] { context_.stop(); });
}

}  // namespace dpm
