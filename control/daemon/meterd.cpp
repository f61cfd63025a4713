#include "control/daemon/meterd.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <dpm/monitor/shared_folder.hpp>
#include <utility>

#include "control/agents/program_cgroup.hpp"
#include "control/daemon/kept_files.hpp"
#include "os/kernel/cgroups.hpp"
#include "os/machine.hpp"
#include "os/net/asio.hpp"
#include "os/random.hpp"
#include "os/whole_io.hpp"
#include "trace/delivery_report.hpp"

namespace dpm {
namespace {

using namespace control;

constexpr std::size_t kProcessesMax = 1000;  // what fits into one Welcome

ReplyBody reply_of(Result<ReplyBody> done) { return done ? *std::move(done) : ReplyBody(Refused{done.error().what}); }

ReplyBody reply_of(const Result<void>& done) {
  return done ? ReplyBody(Done{}) : ReplyBody(Refused{done.error().what});
}

// The collector has this file also where the disk has no room for it.
void add_deliveries(LogFiles& log) {
  const auto place = std::lower_bound(log.files.begin(), log.files.end(), kDeliveryName);
  if (log.files != std::vector<std::string>{"."} && (place == log.files.end() || *place != kDeliveryName))
    log.files.insert(place, kDeliveryName);
}

std::string identity_file(const std::string& machine) { return "identity@" + machine; }

// A random number, in a file that stays when the daemon is killed. Other accounts of the machine cannot know it.
std::string number_of(const SocketFolder& folder, const std::string& machine) {
  const UniqueFd file(::openat(folder.fd(), identity_file(machine).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                               S_IRUSR | S_IWUSR));
  if (!file) return "";
  constexpr std::size_t kDigits = 64;
  std::string number = read_to_end(file.get());
  if (number.size() == kDigits) return number;
  const auto drawn = new_secret();
  const bool is_written = drawn && ::ftruncate(file.get(), 0) == 0 && ::lseek(file.get(), 0, SEEK_SET) == 0 &&
                          write_all(file.get(), *drawn);
  return is_written ? *drawn : "";
}

// One daemon listens in each folder of sockets, for each name of a machine. A controller takes two machines of one identity
// for one, so no machine may claim that of another.
std::string daemon_identity(const SocketFolder& folder, const std::string& machine) {
  const std::string number = number_of(folder, machine);
  return number.empty() ? "" : fmt::format("{} {} {}", boot_identity(), number, machine);
}

// The programs of daemons that stand for machines of their own meet their event monitors in folders of their own. Agents and
// programs inherit the choice.
void separate_monitor_folder(const std::string& machine) {
  if (machine.empty()) return;
  char path[monitor::kFolderBytes];
  monitor::put_folder_path(path);
  ::setenv("DPM_MONITOR_FOLDER", fmt::format("{}@{}", path, machine).c_str(), 1);
}

// Of a request about one process; 0 for others.
std::uint32_t pid_of(const RequestBody& request) {
  return std::visit(
      [](const auto& body) -> std::uint32_t {
        if constexpr (requires { body.pid; }) return body.pid;
        return 0;
      },
      request);
}

}  // namespace

std::string meterd_socket(const std::string& machine) { return "meterd@" + machine; }

Result<void> Meterd::run(const Options& options, const std::function<void()>& on_ready) {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGCHLD, SIG_IGN);  // the kernel takes away agents that end
  separate_monitor_folder(options.machine);
  asio::io_context context(1);
  Meterd daemon(context, options);
  if (auto begun = daemon.begin(); !begun) return begun;
  on_ready();
  context.run();
  daemon.folders_.front().remove(meterd_socket(options.machine));
  daemon.folders_.front().remove(identity_file(options.machine));
  return {};
}

Meterd::Meterd(asio::io_context& context, const Options& options)
    : context_(context),
      options_(options),
      idle_timer_(context),
      controllers_(context, options.hello_patience,
                   {[this](const std::string& controller, RequestId id) { on_hello(controller, id); },
                    [this](const std::string& controller, RequestId id, RequestBody request) {
                      perform(controller, id, std::move(request));
                    },
                    [this](const std::string& controller) {
                      processes_.set_connected(controller, false);
                      events_.end(controller);
                    },
                    [this](const std::string& controller) {
                      processes_.set_reading(controller, true);
                      events_.set_reading(controller, true);
                    },
                    [this] { note_activity(); }}),
      processes_(context, options.keep,
                 {[this](const std::string& controller) { return controllers_.is_connected(controller); },
                  [this](const std::string& controller, ReportBody body) {
                    return controllers_.report(controller, std::move(body));
                  },
                  [this] { note_activity(); }, [this](const ManagedProcess& facts) { records_->write(facts); },
                  [this](std::uint32_t pid) { records_->remove(pid); }}),
      agents_(context, {options.machine, options.uses_cgroups, options.source},
              {[this](UniqueFd socket) { return processes_.connect(std::move(socket)); },
               [this](ManagedProcess facts, std::unique_ptr<AgentLink> link, const std::string& listener) {
                 processes_.add(std::move(facts), std::move(link), listener);
               },
               [this] {
                 take_unattended();
                 for (const auto& [controller, id] : std::exchange(waiting_hellos_, {})) welcome(controller, id);
               }}),
      events_(context, {options.machine, options.uses_cgroups, options.source},
              [this](const std::string& controller, ReportBody body) {
                return controllers_.report(controller, std::move(body));
              }) {}

Result<void> Meterd::begin() {
  auto folders = SocketFolder::all_own();
  if (!folders) return folders.error();
  folders_ = *std::move(folders);
  records_.emplace(folders_, options_.machine);
  const UniqueFd lock = folders_.front().lock();  // of two that begin at the same time one finds the other
  const std::string name = meterd_socket(options_.machine);
  for (const auto& folder : folders_) {
    if (const UniqueFd other = folder.connect(name, SOCK_STREAM); other)
      return Error{fmt::format("a meterdaemon runs already: process {}", peer_of(other.get()).pid)};
  }
  auto socket = folders_.front().listen(name, SOCK_STREAM);
  if (!socket) return socket.error();
  listener_.emplace(context_, *std::move(socket), [this](UniqueFd peer) { controllers_.accept(std::move(peer)); });
  identity_ = daemon_identity(folders_.front(), options_.machine);
  agents_.find(folders_);
  if (!agents_.is_finding()) take_unattended();
  processes_.forget_abandoned();
  note_activity();
  return {};
}

// What an earlier daemon managed, and whose agent does not answer any more.
void Meterd::take_unattended() {
  if (const auto cgroup = find_delegated_cgroup(); cgroup) remove_old_cgroups(*cgroup);
  for (auto& [facts, goes_on] : records_->read()) processes_.add_unattended(std::move(facts), goes_on);
}

void Meterd::note_activity() {
  idle_timer_.start(options_.idle, [this] {
    if (controllers_.empty() && processes_.size() == 0 && agents_.size() == 0) return context_.stop();
    note_activity();
  });
}

// The answer names all processes, so it waits for the agents of an earlier daemon.
void Meterd::on_hello(const std::string& controller, RequestId id) {
  if (!agents_.is_finding()) return welcome(controller, id);
  waiting_hellos_.emplace_back(controller, id);
}

void Meterd::welcome(const std::string& controller, RequestId id) {
  if (!controllers_.is_connected(id)) return;
  Welcome welcome;
  welcome.host = identity_;
  welcome.machine = options_.machine.empty() ? machine_name() : options_.machine;
  welcome.addresses = machine_addresses();
  welcome.user = ::geteuid();
  welcome.managed = processes_.describe();
  controllers_.reply(id, std::move(welcome));
  processes_.set_connected(controller, true);
}

void Meterd::perform(const std::string& controller, RequestId id, RequestBody request) {
  const AgentLink::Answer answer = [this, id](ReplyBody body) { controllers_.reply(id, std::move(body)); };
  if (std::holds_alternative<CreateProcess>(request) || std::holds_alternative<AcquireProcess>(request) ||
      std::holds_alternative<CreateFilter>(request))
    return create(controller, std::move(request), answer);
  if (const auto* log = std::get_if<GetLog>(&request)) return get_log(id, *log);
  if (const auto* look = std::get_if<LookAtLog>(&request)) {
    const auto log = find_log(look->log);
    return answer(log ? reply_of(look_at_log(log->path)) : Refused{log.error().what});
  }
  if (const auto* wanted = std::get_if<Adopt>(&request)) return processes_.adopt(controller, wanted->pid, answer);
  if (const auto* file = std::get_if<FindFile>(&request))
    return find_file(id, std::make_shared<FileSearch>(file->path));
  if (const auto* piece = std::get_if<PutFile>(&request)) return answer(reply_of(controllers_.uploads(id).put(*piece)));
  if (std::holds_alternative<ListManaged>(request)) return answer(ManagedList{processes_.describe()});
  if (std::holds_alternative<ListKept>(request)) return answer(list_kept_files(processes_.describe()));
  if (const auto* remove = std::get_if<RemoveKept>(&request))
    return answer(reply_of(remove_kept_file(*remove, processes_.describe())));
  if (EventMonitorLink::is_for(request)) return events_.perform(controller, std::move(request), answer);
  const std::uint32_t pid = pid_of(request);
  processes_.pass_on(controller, pid, std::move(request), answer);
}

void Meterd::create(const std::string& controller, RequestBody request, const AgentLink::Answer& answer) {
  if (processes_.size() + agents_.size() < kProcessesMax) return agents_.create(controller, std::move(request), answer);
  answer(Refused{
      fmt::format("this machine's daemon already manages {} processes and filters: remove some", processes_.size())});
}

// ---- files, in steps: nothing else may wait for them

void Meterd::find_file(RequestId id, const std::shared_ptr<FileSearch>& search) {
  if (auto found = search->step()) return controllers_.reply(id, std::move(*found));
  if (controllers_.is_connected(id)) later(context_, [this, id, search] { find_file(id, search); });
}

// A filter may be forgotten, or have been lost with its host: its log stays.
Result<Meterd::Log> Meterd::find_log(const std::string& name) const {
  if (const ManagedProcess* filter = processes_.find_filter_of(name))
    return Log{filter->log, filter->state == ProcessState::killed ? 0 : filter->pid, filter->pid};
  auto path = kept_log(name);
  if (!path) return path.error();
  return Log{*std::move(path)};
}

void Meterd::get_log(RequestId id, const GetLog& request) {
  const auto log = find_log(request.log);
  if (!log) return controllers_.reply(id, Refused{log.error().what});
  if (request.file.empty()) return list_log(id, *log, std::make_shared<LogSettling>(log->filter));
  if (request.file == kDeliveryName && log->collector != 0) return get_deliveries(id, *log, request);
  controllers_.reply(id, reply_of(read_log(log->path, request)));
}

// The collector knows more than it could write: the disk may be full.
void Meterd::get_deliveries(RequestId id, const Log& log, const GetLog& request) {
  const auto read_file = [this, id, path = log.path, request] {
    controllers_.reply(id, reply_of(read_log(path, request)));
  };
  const bool is_asked = processes_.ask_agent(log.collector, request, [this, id, read_file](ReplyBody body) {
    if (!std::holds_alternative<LogPiece>(body)) return read_file();
    controllers_.reply(id, std::move(body));
  });
  if (!is_asked) read_file();
}

// When the filter has read what was sent to it, and has had the time to write it.
void Meterd::list_log(RequestId id, const Log& log, const std::shared_ptr<LogSettling>& settling) {
  if (settling->is_over()) {
    auto files = list_log_files(log.path);
    if (files && log.collector != 0) add_deliveries(std::get<LogFiles>(*files));
    return controllers_.reply(id, reply_of(std::move(files)));
  }
  if (controllers_.is_connected(id))
    after(context_, LogSettling::kStep, [this, id, log, settling] { list_log(id, log, settling); });
}

}  // namespace dpm
