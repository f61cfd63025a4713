#include "backends/linux/remote/client/machine_connection.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <map>
#include <mutex>
#include <thread>

#include "backends/linux/remote/protocol/control_codec.hpp"
#include "os/own_program.hpp"
#include "os/unique_fd.hpp"

namespace dpm {
namespace {

using namespace std::chrono_literals;

// Of what the launcher says on its standard error.
constexpr std::size_t kSaidBytesMax = 2000;

struct Process {
  pid_t pid = 0;
  UniqueFd channel;  // its standard input and output
  UniqueFd errors;
};

Result<Process> start(const std::vector<std::string>& command) {
  const std::string doing = "start '" + command.front() + "'";
  int ends[2], errors[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return Error::from_errno(doing);
  Process process{0, UniqueFd(ends[0]), {}};
  const UniqueFd its_channel(ends[1]);
  if (::pipe2(errors, O_CLOEXEC | O_NONBLOCK) != 0) return Error::from_errno(doing);
  process.errors.reset(errors[0]);
  const UniqueFd its_errors(errors[1]);
  ::fcntl(its_errors.get(), F_SETFL, 0);
  ::fcntl(process.channel.get(), F_SETFL, O_NONBLOCK);

  // In a session of its own: an interrupt at the controller's terminal is not meant for it.
  auto pid = start_in_session(command, {its_channel.get(), its_channel.get(), its_errors.get()});
  if (!pid) return pid.error();
  process.pid = *pid;
  return process;
}

// The last of its lines, for an error message.
std::string last_words(const std::string& said) {
  std::string text;
  for (const char c : said) text += c == '\n' || c == '\r' ? ' ' : c;
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// The launcher has lost its other end: it ends by itself, but not necessarily soon.
void end_process(pid_t pid) {
  for (const int signal : {0, SIGTERM, SIGKILL}) {
    if (signal != 0) ::kill(pid, signal);
    for (int i = 0; i < 100; ++i) {
      const pid_t ended = ::waitpid(pid, nullptr, signal == SIGKILL ? 0 : WNOHANG);
      if (ended == pid || (ended < 0 && errno != EINTR)) return;
      std::this_thread::sleep_for(10ms);
    }
  }
}

}  // namespace

class MachineConnection::Work {
 public:
  Work(std::string machine, Process process, Handlers handlers)
      : machine_(std::move(machine)),
        process_(std::move(process)),
        handlers_(std::move(handlers)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    DPM_CHECK(wake_);
    thread_ = std::thread([this] { run(); });
  }

  ~Work() {
    {
      const std::lock_guard lock(mutex_);
      is_unwanted_ = true;
    }
    wake();
    thread_.join();
    end_process(process_.pid);
  }

  Result<void> greet(const std::string& controller, Duration patience) {
    auto reply = ask(control::Hello{control::kControlVersion, controller});
    if (reply.wait_for(std::chrono::nanoseconds(patience.ns)) != std::future_status::ready)
      return Error{"reach " + machine_ + ": no answer within " + std::to_string(std::lround(patience.seconds())) +
                   " s"};
    auto answer = reply.get();
    if (!answer) return answer.error();
    if (const auto* refused = std::get_if<control::Refused>(&*answer)) return Error{machine_ + ": " + refused->why};
    const auto* welcome = std::get_if<control::Welcome>(&*answer);
    if (welcome == nullptr) return Error{"reach " + machine_ + ": what answers there is no meterdaemon"};
    if (welcome->version != control::kControlVersion)
      return Error{machine_ + " has control version " + std::to_string(welcome->version) + ", this dpm version " +
                   std::to_string(control::kControlVersion) + ": use the same dpm on both machines"};
    welcome_ = *welcome;
    return {};
  }

  std::future<Answer> ask(control::RequestBody request) {
    std::promise<Answer> promise;
    auto answer = promise.get_future();
    const std::lock_guard lock(mutex_);
    control::Request numbered{next_number_, std::move(request)};
    if (!ended_.empty()) {
      promise.set_value(Error{ended_});
    } else if (auto done = append_message(outgoing_, numbered); !done) {
      promise.set_value(done.error());
    } else {
      waiting_.emplace(next_number_++, std::move(promise));
      wake();
    }
    return answer;
  }

  const std::string& machine() const { return machine_; }
  const control::Welcome& welcome() const { return welcome_; }

 private:
  void wake() {
    const std::uint64_t one = 1;
    if (::write(wake_.get(), &one, sizeof one) < 0) return;  // it is awake
  }

  void run() {
    std::string why;
    while (why.empty()) {
      const bool is_writing = has_outgoing();
      pollfd polled[] = {{process_.channel.get(), static_cast<short>(is_writing ? POLLIN | POLLOUT : POLLIN), 0},
                         {wake_.get(), POLLIN, 0},
                         {process_.errors.get(), POLLIN, 0}};
      if (::poll(polled, 3, -1) < 0) continue;
      if (polled[1].revents != 0 && is_unwanted()) break;
      if (polled[2].revents != 0) hear();
      if ((polled[0].revents & POLLOUT) != 0) write_some();
      if ((polled[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) why = read_some();
    }
    end(why);
  }

  bool has_outgoing() {
    const std::lock_guard lock(mutex_);
    return !outgoing_.empty();
  }
  bool is_unwanted() {
    std::uint64_t count = 0;
    if (::read(wake_.get(), &count, sizeof count) < 0) return false;
    const std::lock_guard lock(mutex_);
    return is_unwanted_;
  }

  void hear() {
    char part[1024];
    const ssize_t length = ::read(process_.errors.get(), part, sizeof part);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (length <= 0) return process_.errors.reset();
    said_.append(part, static_cast<std::size_t>(length));
    if (said_.size() > kSaidBytesMax) said_.erase(0, said_.size() - kSaidBytesMax);
  }

  void write_some() {
    const std::lock_guard lock(mutex_);
    const ssize_t sent = ::send(process_.channel.get(), outgoing_.data(), outgoing_.size(), MSG_NOSIGNAL);
    if (sent > 0) outgoing_.erase(0, static_cast<std::size_t>(sent));
    // That the other end is gone is seen where it is read.
  }

  // Why it has ended, or nothing.
  std::string read_some() {
    char part[64 * 1024];
    const ssize_t length = ::recv(process_.channel.get(), part, sizeof part, 0);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return "";
    if (length <= 0) return reason_of_end();
    frames_.feed({part, static_cast<std::size_t>(length)});
    for (;;) {
      auto frame = frames_.next();
      if (!frame) return "the connection to " + machine_ + " is of no use any more: " + frame.error().what;
      if (!*frame) return "";
      auto message = control::decode_message(**frame);
      if (!message) return "the connection to " + machine_ + " is of no use any more: " + message.error().what;
      if (std::string wrong = take(*std::move(message)); !wrong.empty()) return wrong;
    }
  }

  std::string reason_of_end() {
    // Its last words may come after its end of the channel has closed.
    pollfd errors{process_.errors.get(), POLLIN, 0};
    while (process_.errors && ::poll(&errors, 1, 1000) > 0) {
      hear();
      errors.fd = process_.errors.get();
    }
    const std::string said = last_words(said_);
    return "the connection to " + machine_ + " has ended" + (said.empty() ? "" : ": " + said);
  }

  std::string take(control::ControlMessage message) {
    if (auto* report = std::get_if<control::Report>(&message)) {
      handlers_.on_report(std::move(report->body));
      return "";
    }
    auto* reply = std::get_if<control::Reply>(&message);
    if (reply == nullptr) return machine_ + " asks instead of answering: is there a meterdaemon?";
    // What could not be read has no number.
    const auto* refused = std::get_if<control::Refused>(&reply->body);
    if (refused != nullptr && reply->number == 0) return machine_ + " does not understand us: " + refused->why;
    std::promise<Answer> promise;
    {
      const std::lock_guard lock(mutex_);
      const auto asked = waiting_.find(reply->number);
      if (asked == waiting_.end()) return machine_ + " answers what nobody has asked";
      promise = std::move(asked->second);
      waiting_.erase(asked);
    }
    if (const auto* welcome = std::get_if<control::Welcome>(&reply->body))
      is_greeted_ = welcome->version == control::kControlVersion;
    promise.set_value(std::move(reply->body));
    return "";
  }

  void end(const std::string& why) {
    std::map<std::uint64_t, std::promise<Answer>> unanswered;
    process_.channel.reset();
    {
      const std::lock_guard lock(mutex_);
      ended_ = why.empty() ? "the connection to " + machine_ + " was closed" : why;
      unanswered.swap(waiting_);
    }
    for (auto& [number, promise] : unanswered) promise.set_value(Error{ended_});
    // Who could not be greeted has no end that anybody wants to hear of.
    if (!why.empty() && is_greeted_ && handlers_.on_end) handlers_.on_end(why);
  }

  std::string machine_;
  Process process_;
  Handlers handlers_;
  control::Welcome welcome_;
  UniqueFd wake_;
  FrameReader frames_;
  std::string said_;  // by the launcher, the last of it
  bool is_greeted_ = false;

  std::mutex mutex_;  // of what follows
  std::string outgoing_;
  std::map<std::uint64_t, std::promise<Answer>> waiting_;
  std::uint64_t next_number_ = 1;
  std::string ended_;
  bool is_unwanted_ = false;

  std::thread thread_;
};

Result<std::unique_ptr<MachineConnection>> MachineConnection::open(const std::vector<std::string>& command,
                                                                   const std::string& machine,
                                                                   const std::string& controller, Handlers handlers,
                                                                   Duration patience) {
  auto process = start(command);
  if (!process) return process.error();
  auto work = std::make_unique<Work>(machine, *std::move(process), std::move(handlers));
  if (auto greeted = work->greet(controller, patience); !greeted) return greeted.error();
  return std::unique_ptr<MachineConnection>(new MachineConnection(std::move(work)));
}

MachineConnection::MachineConnection(std::unique_ptr<Work> work) : work_(std::move(work)) {}
MachineConnection::~MachineConnection() = default;

const std::string& MachineConnection::machine() const { return work_->machine(); }
const control::Welcome& MachineConnection::welcome() const { return work_->welcome(); }
std::future<MachineConnection::Answer> MachineConnection::ask(control::RequestBody request) {
  return work_->ask(std::move(request));
}

}  // namespace dpm
