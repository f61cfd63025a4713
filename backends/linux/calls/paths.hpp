// The paths of messages that a program makes, duplicates and closes, as events.
//
// The calls that make and close paths are usually not notified, because they must not be disturbed. The meter infers
// them when a descriptor is used for the first time, is another socket than before, or its process ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/linux/calls/awaited_paths.hpp"
#include "backends/linux/calls/conversation.hpp"
#include "backends/linux/calls/descriptor_table.hpp"
#include "backends/linux/calls/event_recorder.hpp"
#include "backends/linux/calls/kernel_checks.hpp"
#include "backends/linux/calls/processes.hpp"

namespace dpm {

class Paths {
 public:
  Paths(EventRecorder& recorder, Conversations& conversations, KernelChecks& checks, const Processes& processes)
      : recorder_(recorder), conversations_(conversations), checks_(checks), processes_(processes) {}

  // Every path call is notified, so that nothing has to be inferred from the first use.
  void are_told() { are_told_ = true; }
  // Whether the kernel will report what TCP sockets had moved when they are closed. Their operations stay open until
  // then.
  void expect_ends(bool expected) { ends_expected_ = expected; }

  // The process uses the socket by this descriptor. Records the paths made, duplicated and closed before that this
  // shows.
  void uses(const Call& call, Socket& socket);
  // The call goes on with a connection that waits at this listener. Returns the number of its event in the thread.
  std::uint64_t accepts(const Call& call, const Socket& listener);
  // The other end's name, as the kernel told it to this accept of the thread.
  void accepted_from(const MeteredThread& thread, std::uint64_t event, const std::string& peer) {
    awaited_.accepted_from(thread, event, peer);
  }
  // The accepts whose connection has not been used since before `since_ns`.
  std::vector<AwaitedPath> old_accepts(std::int64_t since_ns) const { return awaited_.old_accepts(since_ns); }
  // The process has this socket open. True if one of its accepts got it.
  bool has_connection(std::uint32_t pid, Socket& socket);
  void give_up_accept(const AwaitedPath& accept, bool it_failed);
  // Connections that were made before `since_ns` and then not used: their names stay unknown.
  void give_up_old_connects(std::int64_t since_ns);
  bool has_awaited() const { return !awaited_.empty(); }

  void creates_socket(const Call& call, std::uint32_t kind);
  void connects(const Call& call);  // Call::descriptor
  // connect() has returned, and this is the socket; nullptr while it is not known. A program that did not wait for its connection may
  // call connect() again to learn what became of it, which is not recorded.
  void connected(const Call& call, Socket* socket);
  void duplicates(const Call& call, const Socket& socket, std::int32_t new_descriptor);  // -1: the kernel's choice
  void closes(const Call& call);
  // From now on the descriptor's close is the end of a path.
  void listens(const Call& call, Socket& socket);  // Call::descriptor

  // Nothing more will be known about the thread.
  void leave(const MeteredThread& thread);
  // The process runs another program. Some sockets were closed on the way; the others show themselves when used.
  void executed(std::uint32_t pid);
  // The call's process ends with it.
  void process_ended(const Call& call);
  // What the metered processes have open (Conversations). The processes `not_seen` could not be surveyed; they count as
  // having open what they last used.
  void end_survey(OpenFiles open, const std::vector<std::uint32_t>& not_seen);

 private:
  void record(const Call& call, EventType type, const Socket& socket, std::uint32_t code,
              Evidence evidence = Evidence::inferred);
  void announce(const Call& call, Socket& socket);
  void announce_pair(const Call& call, Socket& socket);
  std::uint64_t await_connection(const Call& call, const Event& event, AwaitedPath path);
  static bool complete(const std::optional<AwaitedPath>& path, const Socket& socket);
  static void end_wait(const AwaitedPath& path);
  void put_descriptor(const Call& call, DescriptorTable& table, std::size_t fd, std::uint64_t socket,
                      Evidence evidence);
  void assume_probable_of_process(std::uint32_t pid, const Socket& socket) const;

  EventRecorder& recorder_;
  Conversations& conversations_;
  KernelChecks& checks_;
  const Processes& processes_;
  std::unordered_map<std::uint32_t, DescriptorTable> tables_;  // by process
  AwaitedPaths awaited_;
  bool are_told_ = false, ends_expected_ = false;
};

}  // namespace dpm
