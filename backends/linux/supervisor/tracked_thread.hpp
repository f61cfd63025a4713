// What the supervisor keeps of each thread: among others, handles that save opening files while a call waits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/linux/calls/meter.hpp"
#include "backends/linux/calls/metered_call.hpp"
#include "backends/linux/supervisor/wait_request.hpp"
#include "os/kernel/cpu_counter.hpp"
#include "os/kernel/descriptor.hpp"
#include "os/kernel/program_image.hpp"
#include "os/kernel/tracee.hpp"

namespace dpm {

// The beginning of a queue when it was inspected. Of a stream, `bytes` is all that waits: it shrinks when some is taken.
// The units of an eventfd are a stream, too.
struct QueueFront {
  std::uint64_t bytes = 0;
  std::uint64_t beginning = 0;
  bool stream = false;
  bool with_others = false;  // of a taker: it takes the data behind it, too
};
// `now` may begin with the data that `then` began with.
inline bool is_same_data(const QueueFront& then, const QueueFront& now) {
  if (then.with_others) return true;
  if (then.stream) return now.bytes >= then.bytes;
  return now.bytes == then.bytes && now.beginning == then.beginning;
}

// What the arguments of a receive, an accept or a transfer allow.
struct ReceiveTerms {
  bool may_wait = true;
  bool takes_all = false;  // MSG_WAITALL: recorded when the first data are there, because it takes data piece by piece
  bool may_be_answered = false;
};

// A receive, accept or transfer that asks for what waits in a socket or pipe.
struct ReceiveRequest {
  Notification notification;
  const MeteredCall* shape = nullptr;  // never nullptr in a request that was made
  DescriptorIdentity identity;
  Call call;
  ReceiveTerms terms;
  std::uint64_t asked = 0;
};

// The watch of a held call's file (HoldTable).
struct HoldTicket {
  std::uint32_t place = 0;
  std::uint32_t generation = 0;
};

// A request that the supervisor holds, or whose call waits in the kernel with its file watched (HeldCalls).
struct Hold : ReceiveRequest {
  std::uint64_t number = 0;  // in the order in which calls were held
  std::size_t slot = 0;
  HoldTicket ticket;
  std::int64_t deadline_ns = 0;  // 0: none
  bool waits_in_kernel = false;
  std::optional<LocalTime> may_have_come;  // data for it, when it waited in the kernel and was looked at last
};

// A call that waits for a child: held, or let go because it must not be held.
struct ChildWait {
  Notification notification;
  WaitRequest request;
  Call call;
  std::int64_t since_ns = 0;
  bool held = false;
  std::size_t slot = 0;         // if it is held
  std::uint32_t own_group = 0;  // of the waiting process
  std::uint64_t faults_before =
      0;                           // ChildState::reaped_faults of it, if the call does not wait or nothing is announced
  std::uint32_t likely_child = 0;  // that had ended when the call went on; another may have been taken instead
  std::int64_t look_at_ns = 0;     // when to look at its children again, though nothing was announced,
  std::int64_t look_pause_ns = 0;  // and how long after that again: twice as long each time
};

struct TrackedThread;

// A process's relations to others. They outlast an exec.
struct Kinship {
  ProcessId first;                      // the metered thread that stands for the process
  std::uint32_t parent_pid = 0;         // whose fork made it; 0: not known
  std::vector<std::uint32_t> children;  // that run, or whose end it has not taken note of, the oldest first
  std::vector<TrackedThread*> threads;  // that run
  std::uint64_t ended_cpu_ns = 0;       // CPU time of its threads that have ended, as far as it is known,
  CpuCounter counter;                   // of all its threads, as far as it was opened while there was one
  std::int64_t unknown_ns = 0;          // and how long they ran, at most, after it was read last
  bool cpu_is_unknown = false;
  std::uint64_t reaped_cpu_ns = 0;  // as the kernel adds it up: of its children that are gone, and of theirs
  bool first_has_ended = false;
  bool traces = false;             // children of it were seen to stop for a tracer: it waits for more than ends
  bool keeps_no_ends = false;      // ends of its children cannot be held: they are counted (CpuCounter)
  bool handling_is_known = false;  // `keeps_no_ends` has been looked at since the program began
};

// What is known of a process as a whole, such as its code, as far as program counters have been seen there.
struct TrackedProcess {
  struct Range {
    std::uint64_t start = 0, end = 0;

    bool holds(std::uint64_t pc) const { return pc >= start && pc < end; }
  };

  Kinship kinship;
  std::string program;
  // Where execs are not announced: the image in force, the name, and whether it has executed since its fork, when they
  // were last looked at.
  std::optional<ProgramImage> image;
  std::string command_name;
  bool has_executed = false;
  std::size_t number_depth = 0;  // in how many process namespaces it has a number; 0: not looked at
  std::vector<Range> known;
  bool several_threads = false;
  bool is_interrupted = false;  // signals have taken calls of it away
  bool unnamed = false;         // neither its name nor its program could be read
  // Its program had ended before it could be looked at: what the process is called, and when that program began.
  std::string unseen;
  LocalTime unseen_since;
  std::int64_t search_at_ns = 0;             // when its descriptor table may be read next
  int looks = 0;                             // how often its map was read
  std::int64_t survey_at_ns = 0;             // when to look for ways past the meter next
  std::int64_t survey_pause_ns = 5'000'000;  // and how long after that again: twice as long each time
};

// A call that a signal took away when it had been looked at and before it was let go: it was not carried out. In most
// cases the kernel restarts it.
struct UnmadeCall {
  Notification notification;
  LocalTime at;
  bool stays_recorded = false;  // its SEND or RECEIVE was finished already
};

// A call that was let go, and what was seen of its socket or eventfd then (RestartedCalls).
struct LetGoCall {
  Notification notification;
  DescriptorIdentity identity;
  ChannelId channel;
  bool sending = false;
  std::uint64_t operations = 0;  // recorded of its flow, with this one
  std::uint64_t level = 0;       // how much waits there
  QueueFront front;              // of a receive from a socket
};

// A receive that was let go to take bytes of a stream, which began at `offset`.
struct AskedCall {
  Notification notification;
  ChannelId channel;
  std::uint64_t offset = 0;
};

struct TrackedThread {
  MeteredThread* metered = nullptr;
  std::shared_ptr<TrackedProcess> process;
  TrackedProcess::Range last_code;  // that its last program counter lay in
  std::uint64_t no_sockets = 0;     // the descriptors, of the first 64, that were none when last used
  UniqueFd thread_fd;
  std::unique_ptr<ThreadFiles> files;
  bool counters_read = false;  // during its present call
  bool asks_again = false;     // its present call was interrupted by a signal before
  int seen_running = 0;        // how many times in a row, when its present call was looked at
  std::uint64_t cpu_seen_running_ns = 0;
  std::optional<std::uint64_t> taking;  // the socket or pipe that its last call was let go to take something from
  // Where its last accept lets the kernel write the other end's name, which name stood there before, and the accept's event.
  struct AcceptedName {
    std::uint64_t address = 0;
    std::string before;
    std::uint64_t event = MeteredThread::kNoEvent;
  };
  AcceptedName accepted;
  // Its last call sent on a stream that was not connected.
  struct FastOpen {
    Call call;
    std::uint64_t asked = 0;
  };
  std::optional<FastOpen> fast_open;
  // Its last read of an eventfd, whose length is not known yet.
  struct TookUnits {
    std::int32_t descriptor = -1;
    std::uint64_t id = 0;
  };
  std::optional<TookUnits> took_units;
  // Its last call moves bytes of a file into a pipe, from `place` on: that which stands at `address`, or the file's own.
  struct ReadFile {
    std::int32_t descriptor = -1;
    std::uint64_t address = 0;
    std::int64_t place = 0;
    std::uint64_t call_number = 0;
  };
  std::optional<ReadFile> read_file;
  std::optional<Hold> hold;
  std::optional<Hold> interrupted;  // the last one that a signal took away
  LocalTime interrupted_at;         // when that was noticed
  std::optional<UnmadeCall> unmade;
  // If signals take its process's calls away: its last call that no counter counts, and its last receive of bytes.
  std::optional<LetGoCall> let_go;
  std::optional<AskedCall> asked;
  std::optional<ChildWait> wait;
  std::optional<ChildWait> interrupted_wait;  // the last one that a signal took away
  CpuCounter counter;                         // its own, if its last CPU time may not be readable otherwise
  std::uint64_t cpu_ns = 0;                   // its CPU time when last read
  LocalTime cpu_read_at{INT64_MIN};

  bool was_socket(std::int32_t descriptor) const { return (no_sockets & bit_of(descriptor)) == 0; }
  void note_socket(std::int32_t descriptor, bool is_socket) {
    no_sockets = is_socket ? no_sockets & ~bit_of(descriptor) : no_sockets | bit_of(descriptor);
  }

 private:
  static std::uint64_t bit_of(std::int32_t descriptor) {
    return descriptor >= 0 && descriptor < 64 ? std::uint64_t{1} << descriptor : 0;
  }
};

}  // namespace dpm
