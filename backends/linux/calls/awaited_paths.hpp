// ACCEPTs and CONNECTs whose connection has not been seen yet.
//
// An accept is recorded when it goes on with a connection that waits for it. Which one it got shows later:
//
//     the name of the other end, which the kernel wrote for the program     accepted_from()
//     the process's first use of an accepted connection                     take_accept(), own process first
//     its descriptor table, when the connection has not been used           the same, asked by the supervisor
//     none of these: it was closed at once, or handed to another process    give_up()
//
// An accept that was given up is an ACCEPT without a channel. If another process then uses the connection for the first
// time, no second ACCEPT is recorded: was_given_up().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/linux/calls/metered_thread.hpp"

namespace dpm {

struct AwaitedPath {
  MeteredThread* thread = nullptr;
  std::uint64_t event = 0;
  bool accepts = false;
  std::int32_t descriptor = -1;  // the listener's, or that of the socket that connects
  std::int64_t since_ns = 0;
  std::string listener;  // its name
  std::string peer;      // the other end's, once it is known
};

class AwaitedPaths {
 public:
  void add(AwaitedPath path) { paths_.push_back(std::move(path)); }
  bool empty() const { return paths_.empty(); }

  // This accept of the thread got a connection from `peer`. Which one may have shown before: another thread can use a connection while
  // the one that accepted it has not yet come out of its call.
  void accepted_from(const MeteredThread& thread, std::uint64_t event, const std::string& peer);
  // The accept that got this connection, in this order: one whose peer is known to be `peer`; the oldest of the process
  // `pid` that may have got it; if `of_any_process`, the oldest of another process.
  std::optional<AwaitedPath> take_accept(const std::string& local, const std::string& peer, std::uint32_t pid,
                                         bool of_any_process);
  std::optional<AwaitedPath> take_connect(std::uint32_t pid, std::int32_t descriptor);
  // All accepts and connects of a thread that ends.
  std::vector<AwaitedPath> give_up_all_of(const MeteredThread& thread);
  // Connects that have waited since before `since_ns`.
  std::vector<AwaitedPath> take_old_connects(std::int64_t since_ns);

  std::vector<AwaitedPath> old_accepts(std::int64_t since_ns) const;
  // The accept's connection was not found in any process.
  std::optional<AwaitedPath> give_up(const MeteredThread& thread, std::uint64_t event);
  // Whether the connection may belong to an accept that was given up. That accept is then forgotten.
  bool was_given_up(const std::string& local);

 private:
  template <typename Wanted>
  std::vector<AwaitedPath> take_if(Wanted&& wanted);
  void remember(const AwaitedPath& path);
  std::vector<AwaitedPath>::iterator accept_of(const MeteredThread& thread, std::uint64_t event);
  std::optional<AwaitedPath> take_at(std::vector<AwaitedPath>::iterator at);

  std::vector<AwaitedPath> paths_;     // the oldest first
  std::vector<std::string> given_up_;  // the listeners
};

}  // namespace dpm
