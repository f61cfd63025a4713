#include "cli/meter/meter_connections.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "trace/meter_names.hpp"

namespace dpm::cli {
namespace {

// A filter that takes nothing for so long loses its connection: the program waits for its meter when this is full.
constexpr int kPatience_ms = 1000;

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    pollfd waited{socket, POLLOUT, 0};
    if (errno != EAGAIN || ::poll(&waited, 1, kPatience_ms) <= 0) return false;
  }
  return true;
}

}  // namespace

class MeterConnections::Connection {
 public:
  Connection(UniqueFd to, std::uint32_t pid) : to_(std::move(to)), pid_(pid) {}

  void begin(const TraceInfo& info) {
    tell(TraceGrowth::since({}, info));
    append_meter(bytes_, 0, {info.machines.empty() ? "" : info.machines.front().name, pid_, "", ""});
    send();
  }
  void tell(const TraceGrowth& growth) {
    for (const auto& text : to_names(growth, told_)) append_names(bytes_, text);
  }
  void add(const Event& event) {
    append_event(bytes_, event);
    ++unsent_;
  }
  void send() {
    if (to_ && send_all(to_.get(), bytes_))
      account_.delivered += unsent_;
    else
      lose();
    account_.seen += unsent_;
    unsent_ = 0;
    bytes_.clear();
  }
  // The last message; what did not arrive is added to `lost`.
  void end(std::vector<Loss>& lost) {
    append_meter_end(bytes_, 0, account_);
    append_stream_end(bytes_);
    send();
    for (Loss& loss : account_.losses) lost.push_back(std::move(loss));
  }
  std::uint64_t delivered() const { return account_.delivered; }

 private:
  void lose() {
    to_.reset();
    if (unsent_ == 0) return;
    if (account_.losses.empty())
      account_.losses.push_back(
          {fmt::format("the meter connection of process {} was closed, or took nothing", pid_), 0});
    account_.losses.front().events += unsent_;
  }

  UniqueFd to_;
  std::uint32_t pid_;
  TableSizes told_;
  MeterAccount account_;
  std::string bytes_;
  std::uint64_t unsent_ = 0;
};

MeterConnections::MeterConnections(EventSink& events, GrowthSink& growth, std::function<Result<TraceInfo>()> names)
    : events_(events), growth_(growth), names_(std::move(names)) {}

MeterConnections::~MeterConnections() = default;

Result<void> MeterConnections::connect(std::uint32_t pid, UniqueFd to) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Connection> connection;
  if (to) {
    const auto info = names_();
    if (!info) return info.error();
    if (TableSizes::of(*info) != sizes_)
      return Error{
          "a meter connection needs the names of everything: a trace with --window, or on a full disk, lacks some"};
    connection = std::make_shared<Connection>(std::move(to), pid);
    connection->begin(*info);
  }
  if (const auto before = connections_.find(pid); before != connections_.end()) remove(before);
  connections_[pid] = std::move(connection);
  return {};
}

void MeterConnections::disconnect(std::uint32_t pid) {
  const std::lock_guard lock(mutex_);
  if (const auto found = connections_.find(pid); found != connections_.end()) remove(found);
}

// Each once: processes share them.
std::set<MeterConnections::Connection*> MeterConnections::open() const {
  std::set<Connection*> found;
  for (const auto& [pid, connection] : connections_)
    if (connection) found.insert(connection.get());
  return found;
}

void MeterConnections::remove(Connections::iterator connection) {
  if (connection->second.use_count() == 1) {
    connection->second->end(lost_);
    diverted_ += connection->second->delivered();
  }
  connections_.erase(connection);
}

void MeterConnections::learn(ProcessId process, std::uint32_t pid) {
  pids_[process] = pid;
  ++threads_[pid];
}

void MeterConnections::forget(ProcessId process) {
  const auto found = pids_.find(process);
  if (found == pids_.end()) return;
  const std::uint32_t pid = found->second;
  pids_.erase(found);
  if (--threads_[pid] > 0) return;
  threads_.erase(pid);
  if (const auto last = connections_.find(pid); last != connections_.end()) remove(last);
}

void MeterConnections::on_begin(const TraceInfo& info) {
  {
    const std::lock_guard lock(mutex_);
    sizes_ = TableSizes::of(info);
    for (std::uint32_t i = 0; i < info.processes.size(); ++i) learn(ProcessId{i}, info.processes[i].pid);
  }
  events_.on_begin(info);
}

void MeterConnections::on_growth(const TraceGrowth& growth) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < growth.processes.size(); ++i)
    learn(ProcessId{static_cast<std::uint32_t>(sizes_.processes + i)}, growth.processes[i].pid);
  ended_.insert(ended_.end(), growth.ended.begin(), growth.ended.end());
  growth.add_to(sizes_);
  growth_.on_growth(growth);
  for (Connection* connection : open()) connection->tell(growth);
}

// False: the event belongs to the trace. A child inherits its parent's connection as soon as its creation is seen.
bool MeterConnections::divert(const Event& event) {
  const auto process = pids_.find(event.process);
  const auto found = process == pids_.end() ? connections_.end() : connections_.find(process->second);
  if (found == connections_.end()) return false;
  if (found->second)
    found->second->add(event);
  else
    ++diverted_;
  if (const auto child = pids_.find(event.peer); event.type == EventType::create_process && child != pids_.end())
    connections_.emplace(child->second, found->second);
  return true;
}

void MeterConnections::on_events(std::span<const Event> batch) {
  const std::lock_guard lock(mutex_);
  if (!connections_.empty()) {
    rest_.clear();
    for (const Event& event : batch)
      if (!divert(event)) rest_.push_back(event);
    for (Connection* connection : open()) connection->send();
    batch = rest_;
  }
  for (const ProcessId process : ended_) forget(process);
  ended_.clear();
  if (!batch.empty()) events_.on_events(batch);
}

void MeterConnections::on_end(const LossReport& losses) {
  const std::lock_guard lock(mutex_);
  while (!connections_.empty()) remove(connections_.begin());
  LossReport of_trace = losses;
  of_trace.seen -= diverted_;
  of_trace.losses.insert(of_trace.losses.end(), lost_.begin(), lost_.end());
  events_.on_end(of_trace);
}

}  // namespace dpm::cli
