// A kernel that answers from a script: threads, open files and announcements are what a test says they are, and what
// the supervisor answers is kept for the test to look at.
//
// Unanswered notifications are in a list that is walked from the oldest, as in the kernel (seccomp.c: find_notification).
//
// A borrowed descriptor is a duplicate of an eventfd of the file's own, which is readable while something waits in the
// file: the supervisor watches it as it watches a real one.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backends/linux/supervisor/call_answers.hpp"
#include "backends/linux/supervisor/file_view.hpp"
#include "backends/linux/supervisor/kernel_news.hpp"
#include "backends/linux/supervisor/process_view.hpp"

namespace dpm {

struct ScriptedFile {
  DescriptorIdentity identity;
  SocketDescription description;
  bool non_blocking = false;
  std::uint64_t sent = 0, received = 0;  // offsets of a TCP stream
  std::uint32_t waiting = 0;             // bytes, or connections of a listener
  std::deque<WaitingDatagram> datagrams;
  std::uint64_t units = 0;          // of an eventfd
  std::uint64_t room = UINT64_MAX;  // to send into a UNIX stream
  std::uint64_t not_received = 0;   // bytes that were sent from a UNIX socket and wait at its peer
  std::uint64_t receive_timeout_ns = 0;
  std::uint64_t send_timeout_ns = 0;
  std::int64_t last_data_ns = 0;  // when it came into a TCP stream
  UniqueFd event;                 // readable while something waits

  // What comes, and what the program takes.
  void bytes_come(std::uint32_t bytes);
  void bytes_are_taken(std::uint32_t bytes);
  void datagram_comes(std::uint32_t bytes, std::uint64_t beginning);
  void datagram_is_taken();
  void units_come(std::uint64_t count);

 private:
  void show();
};

struct ScriptedThread {
  std::uint32_t pid = 0;
  std::uint64_t cpu_ns = 0;
  ThreadFiles::Transferred transferred;
  CallState state = CallState::running;
  bool is_ending = false;  // it is dead, and has its number still
};

struct ScriptedProcess {
  std::uint32_t parent_pid = 0;
  std::string program = "/usr/bin/server";
  std::string cgroup;
  std::vector<std::uint32_t> children;
  bool is_exiting = false;
  bool is_dead = false;            // its parent has not reaped it
  std::uint64_t ended_cpu_ns = 0;  // of its threads that are gone
  bool catches_ends = false;       // SIGCHLD
  std::uint64_t image = 0;         // another for each program that it executes
  bool has_executed = false;
  std::uint64_t reaped_faults = 0;
  std::map<std::int32_t, ScriptedFile*> files;
};

class ScriptedKernel : public CallAnswers, public FileView, public ProcessView, public KernelNews {
 public:
  // ---- the script
  ScriptedProcess& process(std::uint32_t pid, std::uint32_t parent_pid = 0);
  ScriptedThread& thread(std::uint32_t tid, std::uint32_t pid);
  ScriptedFile& file(DescriptorIdentity::Kind kind, std::uint64_t id);
  ScriptedFile& tcp(std::uint64_t cookie, const std::string& local, const std::string& peer);
  ScriptedFile& udp(std::uint64_t cookie, const std::string& local);
  ScriptedFile& unix_stream(std::uint64_t inode, std::uint64_t peer_inode);
  void announce(ProcessChange::Kind kind, std::uint32_t tid, std::uint32_t pid, std::uint32_t parent = 0);
  void notify(std::uint64_t id);
  void take_away(std::uint64_t id);  // by a signal

  std::map<std::uint32_t, ScriptedThread> threads;
  std::map<std::uint32_t, ScriptedProcess> processes;
  std::map<std::uint64_t, std::vector<std::byte>> memory;  // of every process, by address
  std::int64_t now_ns = 1'000'000'000;
  bool may_trace = true;
  std::uint64_t borrowed = 0;              // descriptors, so far
  bool announces = true;                   // forks, execs and ends
  std::optional<std::uint32_t> exit_code;  // of the thread that is gone

  // ---- what was answered: 0 is "let go", otherwise an errno
  std::map<std::uint64_t, int> answers;
  std::set<std::uint64_t> taken_away;
  std::vector<std::uint64_t> unanswered;  // the oldest first
  std::set<std::uint32_t> counted;        // threads for which a counter was asked

  // CallAnswers
  bool let_go(std::uint64_t id) override { return answer(id, 0); }
  bool fail(std::uint64_t id, int error_number) override { return answer(id, error_number); }
  bool waits(std::uint64_t id) const override;

  // FileView
  UniqueFd borrow(int thread_fd, std::int32_t number) override;
  bool may_open_no_more() override { return false; }
  DescriptorIdentity identify(int fd, bool) override { return at(fd).identity; }
  SocketDescription describe_socket(int fd) override { return at(fd).description; }
  bool is_non_blocking(int fd) override { return at(fd).non_blocking; }
  std::uint64_t send_timeout_ns(int fd) override { return at(fd).send_timeout_ns; }
  bool keeps_packets(int) override { return false; }
  bool is_writable_end(int) override { return true; }
  std::uint32_t segment_bytes(int) override { return 0; }
  bool merges_datagrams(int) override { return false; }
  bool is_readable(int fd) override;
  bool comes_no_more(int) override { return false; }
  std::uint32_t bytes_waiting(int fd) override { return at(fd).waiting; }
  std::uint64_t bytes_of_one_receive(int, std::uint64_t room, std::uint64_t waiting) override;
  std::optional<ReceiveState> tcp_receive_state(int fd, std::uint64_t, bool) override;
  std::optional<std::uint64_t> tcp_urgent_offset(int) override { return std::nullopt; }
  std::uint64_t tcp_quiet_ns(int fd) override { return static_cast<std::uint64_t>(now_ns - at(fd).last_data_ns); }
  DatagramQueue look_at_datagrams(int fd) override;
  std::vector<WaitingDatagram> datagrams_behind(int fd, const WaitingDatagram&, std::size_t most) override;
  std::optional<DatagramMemory> datagram_memory(int) override { return std::nullopt; }
  std::uint32_t connections_waiting(int fd) override { return at(fd).waiting; }
  std::uint64_t receive_timeout_ns(int fd) override { return at(fd).receive_timeout_ns; }
  std::optional<EventCounter> read_event_counter(int fd) override;
  std::optional<SendState> tcp_send_state(int fd, bool, std::uint64_t) override;
  bool cannot_send(int) override { return false; }
  std::uint64_t memory_not_received(int fd) override { return at(fd).not_received; }
  std::optional<std::uint64_t> bytes_waiting_at(std::uint64_t inode) override;
  SendRoom room_to_send(int fd, std::uint64_t bytes) override;
  bool fails_for_room_only(int) override { return true; }
  bool refuses_datagram(int, const SocketDescription&, std::uint64_t) override { return false; }
  std::uint64_t bytes_left_in_file(int, std::optional<std::int64_t>) override { return UINT64_MAX; }
  std::optional<std::int64_t> place_in_file(int) override { return std::nullopt; }
  bool can_move(int, int) override { return true; }

  // ProcessView
  std::int64_t steady_ns() const override { return now_ns; }
  std::uint16_t runnable_tasks(std::int64_t) override { return 1; }
  UniqueFd open_thread(std::uint32_t tid, std::uint32_t pid) override;
  bool has_ended(int thread_fd) override { return !threads.contains(tid_of_.at(thread_fd)); }
  std::optional<std::uint32_t> exit_code_of(int) override { return exit_code; }
  std::unique_ptr<ThreadFiles> files_of(std::uint32_t pid, std::uint32_t tid) override;
  std::optional<ThreadStatus> read_status(std::uint32_t tid) override;
  std::optional<bool> is_ending(std::uint32_t, std::uint32_t tid) override {
    return !threads.contains(tid) || threads.at(tid).is_ending;
  }
  CallState call_state(std::uint32_t, std::uint32_t tid, std::int32_t) override { return threads.at(tid).state; }
  std::size_t read_memory(std::uint32_t, std::uint64_t address, std::span<std::byte> into) override;
  bool enter_strict_mode(std::uint32_t, std::uint32_t) override { return may_trace; }
  CpuCounter count_cpu(std::uint32_t tid, CpuCounter::Scope, std::uint64_t) override;
  std::string read_command_name(std::uint32_t pid, std::uint32_t) override;
  std::string read_program_path(std::uint32_t pid) override { return processes.at(pid).program; }
  std::string read_cgroup_label(std::uint32_t pid) override { return processes.at(pid).cgroup; }
  std::optional<ProgramImage> read_program_image(std::uint32_t pid, std::uint32_t) override;
  std::uint64_t read_beginning_ns(std::uint32_t, std::uint32_t) override { return 0; }
  std::vector<std::uint32_t> read_thread_ids(std::uint32_t pid) override;
  bool process_cpu_time_ns(std::uint32_t pid, std::uint64_t& cpu_ns) override;
  std::optional<CodeRegion> code_region(std::uint32_t, std::uint64_t) override { return std::nullopt; }
  ProgramKind program_kind(std::uint32_t) override { return ProgramKind::native; }
  bool has_low_ring(std::uint32_t) override { return false; }
  std::vector<int> read_descriptor_numbers(std::uint32_t pid) override;
  bool has_no_descriptor_left(std::uint32_t, std::size_t) override { return false; }
  std::optional<ChildState> read_child(std::uint32_t pid) override;
  std::optional<std::vector<std::uint32_t>> read_children(std::uint32_t pid, std::uint32_t, std::size_t) override;
  std::vector<std::uint32_t> read_children_of_thread(std::uint32_t pid, std::uint32_t tid) override;
  std::vector<std::uint32_t> read_inner_numbers(std::uint32_t pid, InnerNumbers) override { return {pid}; }
  std::uint32_t process_of(int) override { return 0; }

  // KernelNews
  bool tells_of_processes() const override { return announces; }
  bool drain(const std::function<void(const ProcessChange&)>& take) override;
  void await(int) override {}
  void watch_end(int, std::uint32_t) override {}
  bool tells_of_sockets() const override { return false; }
  SocketNews drain_closed_sockets(const std::function<void(const ClosedSocket&)>&, std::int64_t) override { return {}; }
  bool await_closed_socket(int) override { return false; }

 private:
  bool answer(std::uint64_t id, int error_number);
  ScriptedFile& at(int fd) { return *file_of_.at(fd); }

  std::vector<std::unique_ptr<ScriptedFile>> files_;
  std::map<int, ScriptedFile*> file_of_;  // by borrowed descriptor; a later one of that number replaces it
  std::map<int, std::uint32_t> tid_of_;   // by the descriptor that stands for the thread
  std::deque<ProcessChange> news_;
};

}  // namespace dpm
