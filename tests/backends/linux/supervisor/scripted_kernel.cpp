#include "tests/backends/linux/supervisor/scripted_kernel.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace dpm {
namespace {

// The numbers of one thread, as the script has them now.
class ScriptedNumbers : public ThreadFiles {
 public:
  ScriptedNumbers(const ScriptedKernel& kernel, std::uint32_t tid) : kernel_(kernel), tid_(tid) {}

  bool cpu_time_ns(std::uint64_t& cpu_ns) override {
    const auto found = kernel_.threads.find(tid_);
    if (found == kernel_.threads.end()) return false;
    cpu_ns = found->second.cpu_ns;
    return true;
  }
  bool transferred(Transferred& bytes) override {
    const auto found = kernel_.threads.find(tid_);
    if (found == kernel_.threads.end()) return false;
    bytes = found->second.transferred;
    return true;
  }
  bool child_handling(ChildHandling& handling) override {
    const auto found = kernel_.threads.find(tid_);
    if (found == kernel_.threads.end()) return false;
    handling = {};
    handling.caught = kernel_.processes.at(found->second.pid).catches_ends;
    return true;
  }
  bool stack_pointer(std::uint64_t&) override { return false; }

 private:
  const ScriptedKernel& kernel_;
  const std::uint32_t tid_;
};

}  // namespace

void ScriptedFile::show() {
  std::uint64_t drained = 0;
  [[maybe_unused]] const ssize_t read = ::read(event.get(), &drained, sizeof drained);
  const std::uint64_t one = 1;
  if (waiting == 0 && datagrams.empty() && units == 0) return;
  [[maybe_unused]] const ssize_t written = ::write(event.get(), &one, sizeof one);
}

void ScriptedFile::bytes_come(std::uint32_t bytes) {
  waiting += bytes;
  show();
}

void ScriptedFile::bytes_are_taken(std::uint32_t bytes) {
  waiting -= bytes;
  received += bytes;
  show();
}

void ScriptedFile::datagram_comes(std::uint32_t bytes, std::uint64_t beginning) {
  datagrams.push_back({bytes, "127.0.0.1:1000", beginning});
  show();
}

void ScriptedFile::datagram_is_taken() {
  datagrams.pop_front();
  show();
}

void ScriptedFile::units_come(std::uint64_t count) {
  units += count;
  show();
}

ScriptedProcess& ScriptedKernel::process(std::uint32_t pid, std::uint32_t parent_pid) {
  ScriptedProcess& made = processes[pid];
  made.parent_pid = parent_pid;
  if (parent_pid != 0) processes[parent_pid].children.push_back(pid);
  thread(pid, pid);
  return made;
}

ScriptedThread& ScriptedKernel::thread(std::uint32_t tid, std::uint32_t pid) {
  threads[tid].pid = pid;
  return threads[tid];
}

ScriptedFile& ScriptedKernel::file(DescriptorIdentity::Kind kind, std::uint64_t id) {
  ScriptedFile& made = *files_.emplace_back(std::make_unique<ScriptedFile>());
  made.identity = {kind, id, kind == DescriptorIdentity::Kind::pipe ? 1u : 0u};
  made.event = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  return made;
}

ScriptedFile& ScriptedKernel::tcp(std::uint64_t cookie, const std::string& local, const std::string& peer) {
  ScriptedFile& made = file(DescriptorIdentity::Kind::socket, cookie);
  made.description.medium = Medium::tcp;
  made.description.connected = true;
  made.description.local_name = local;
  made.description.peer_name = peer;
  return made;
}

ScriptedFile& ScriptedKernel::udp(std::uint64_t cookie, const std::string& local) {
  ScriptedFile& made = file(DescriptorIdentity::Kind::socket, cookie);
  made.description.medium = Medium::udp;
  made.description.local_name = local;
  return made;
}

ScriptedFile& ScriptedKernel::unix_stream(std::uint64_t inode, std::uint64_t peer_inode) {
  ScriptedFile& made = file(DescriptorIdentity::Kind::socket, inode);
  made.description.domain = AF_UNIX;
  made.description.medium = Medium::unix_stream;
  made.description.connected = true;
  made.description.inode = inode;
  made.description.peer_inode = peer_inode;
  return made;
}

void ScriptedKernel::announce(ProcessChange::Kind kind, std::uint32_t tid, std::uint32_t pid, std::uint32_t parent) {
  ProcessChange change;
  change.kind = kind;
  change.tid = tid;
  change.pid = pid;
  change.parent_tid = change.parent_pid = parent;
  change.boot_time_ns = static_cast<std::uint64_t>(now_ns);
  news_.push_back(change);
}

// The list is walked for the next that has not been handed over yet.
void ScriptedKernel::notify(std::uint64_t id) {
  if (!taken_away.contains(id) && std::find(unanswered.begin(), unanswered.end(), id) == unanswered.end())
    unanswered.push_back(id);
}

void ScriptedKernel::take_away(std::uint64_t id) {
  taken_away.insert(id);
  std::erase(unanswered, id);
}

bool ScriptedKernel::waits(std::uint64_t id) const {
  return std::find(unanswered.begin(), unanswered.end(), id) != unanswered.end();
}

bool ScriptedKernel::answer(std::uint64_t id, int error_number) {
  if (!waits(id)) return false;
  std::erase(unanswered, id);
  answers[id] = error_number;
  return true;
}

UniqueFd ScriptedKernel::borrow(int thread_fd, std::int32_t number) {
  ++borrowed;
  const auto thread = threads.find(tid_of_.at(thread_fd));
  if (thread == threads.end()) {
    errno = ESRCH;
    return {};
  }
  const auto& open = processes.at(thread->second.pid).files;
  const auto found = open.find(number);
  if (found == open.end()) {
    errno = EBADF;
    return {};
  }
  UniqueFd fd(::fcntl(found->second->event.get(), F_DUPFD_CLOEXEC, 0));
  file_of_[fd.get()] = found->second;
  return fd;
}

bool ScriptedKernel::is_readable(int fd) {
  const ScriptedFile& file = at(fd);
  return file.waiting > 0 || !file.datagrams.empty() || file.units > 0;
}

std::optional<std::uint64_t> ScriptedKernel::bytes_waiting_at(std::uint64_t inode) {
  for (const auto& [pid, process] : processes)
    for (const auto& [number, file] : process.files)
      if (file->description.inode == inode) return file->waiting;
  return std::nullopt;
}

SendRoom ScriptedKernel::room_to_send(int fd, std::uint64_t bytes) {
  if (at(fd).room == 0) return SendRoom::none;
  return at(fd).room < bytes ? SendRoom::part : SendRoom::all;
}

std::uint64_t ScriptedKernel::bytes_of_one_receive(int, std::uint64_t room, std::uint64_t waiting) {
  return std::min(room, waiting);
}

std::optional<ReceiveState> ScriptedKernel::tcp_receive_state(int fd, std::uint64_t, bool) {
  return ReceiveState{.offset = at(fd).received, .waiting = at(fd).waiting};
}

DatagramQueue ScriptedKernel::look_at_datagrams(int fd) {
  const auto& datagrams = at(fd).datagrams;
  return {.quiet = datagrams.empty(), .next = datagrams.empty() ? std::nullopt : std::optional(datagrams.front())};
}

std::vector<WaitingDatagram> ScriptedKernel::datagrams_behind(int fd, const WaitingDatagram&, std::size_t most) {
  const auto& datagrams = at(fd).datagrams;
  const auto count = static_cast<std::ptrdiff_t>(std::min(most, datagrams.size() - 1));
  return {datagrams.begin() + 1, datagrams.begin() + 1 + count};
}

CpuCounter ScriptedKernel::count_cpu(std::uint32_t tid, CpuCounter::Scope, std::uint64_t) {
  counted.insert(tid);
  return {};
}

std::optional<EventCounter> ScriptedKernel::read_event_counter(int fd) {
  return EventCounter{.id = at(fd).identity.id, .count = at(fd).units};
}

std::optional<SendState> ScriptedKernel::tcp_send_state(int fd, bool, std::uint64_t) {
  return SendState{.offset = at(fd).sent};
}

UniqueFd ScriptedKernel::open_thread(std::uint32_t tid, std::uint32_t) {
  UniqueFd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  tid_of_[fd.get()] = tid;
  return fd;
}

std::unique_ptr<ThreadFiles> ScriptedKernel::files_of(std::uint32_t, std::uint32_t tid) {
  return std::make_unique<ScriptedNumbers>(*this, tid);
}

std::optional<ThreadStatus> ScriptedKernel::read_status(std::uint32_t tid) {
  const auto found = threads.find(tid);
  const auto dead = processes.find(tid);
  const bool is_dead = dead != processes.end() && dead->second.is_dead;
  if (found == threads.end() && !is_dead) return std::nullopt;
  ThreadStatus status;
  status.tid = tid;
  status.pid = is_dead ? tid : found->second.pid;
  status.parent_pid = processes.at(status.pid).parent_pid;
  return status;
}

std::size_t ScriptedKernel::read_memory(std::uint32_t, std::uint64_t address, std::span<std::byte> into) {
  const auto found = memory.find(address);
  if (found == memory.end()) return 0;
  const std::size_t bytes = std::min(into.size(), found->second.size());
  std::copy_n(found->second.begin(), bytes, into.begin());
  return bytes;
}

std::optional<ProgramImage> ScriptedKernel::read_program_image(std::uint32_t pid, std::uint32_t) {
  const auto found = processes.find(pid);
  if (found == processes.end() || found->second.is_dead) return std::nullopt;
  ProgramImage image{.random_at = 1};
  image.random[0] = static_cast<std::byte>(found->second.image);
  return image;
}

std::vector<std::uint32_t> ScriptedKernel::read_children_of_thread(std::uint32_t pid, std::uint32_t tid) {
  return pid == tid ? processes.at(pid).children : std::vector<std::uint32_t>();
}

std::vector<int> ScriptedKernel::read_descriptor_numbers(std::uint32_t pid) {
  std::vector<int> numbers;
  for (const auto& [number, file] : processes.at(pid).files) numbers.push_back(number);
  return numbers;
}

std::string ScriptedKernel::read_command_name(std::uint32_t pid, std::uint32_t) {
  constexpr std::size_t kNameMax = 15;
  const std::string& program = processes.at(pid).program;
  return program.substr(program.rfind('/') + 1).substr(0, kNameMax);
}

std::vector<std::uint32_t> ScriptedKernel::read_thread_ids(std::uint32_t pid) {
  std::vector<std::uint32_t> ids;
  for (const auto& [tid, thread] : threads)
    if (thread.pid == pid) ids.push_back(tid);
  return ids;
}

bool ScriptedKernel::process_cpu_time_ns(std::uint32_t pid, std::uint64_t& cpu_ns) {
  cpu_ns = 0;
  for (const auto& [tid, thread] : threads)
    if (thread.pid == pid) cpu_ns += thread.cpu_ns;
  const auto process = processes.find(pid);
  if (process == processes.end()) return false;
  cpu_ns += process->second.ended_cpu_ns;
  return true;
}

std::optional<ChildState> ScriptedKernel::read_child(std::uint32_t pid) {
  const auto found = processes.find(pid);
  if (found == processes.end()) return std::nullopt;
  ChildState state;
  state.pid = pid;
  state.parent_pid = found->second.parent_pid;
  state.state = found->second.is_dead ? 'Z' : 'S';
  state.threads = 1;
  state.is_exiting = found->second.is_exiting || found->second.is_dead;
  state.name = read_command_name(pid, pid);
  state.has_executed = found->second.has_executed;
  state.reaped_faults = found->second.reaped_faults;
  state.exit_signal = SIGCHLD;
  return state;
}

std::optional<std::vector<std::uint32_t>> ScriptedKernel::read_children(std::uint32_t pid, std::uint32_t, std::size_t) {
  return processes.at(pid).children;
}

bool ScriptedKernel::drain(const std::function<void(const ProcessChange&)>& take) {
  while (!news_.empty()) {
    const ProcessChange change = news_.front();
    news_.pop_front();
    take(change);
  }
  return true;
}

}  // namespace dpm
