// A thread or process of a conformance program, and what it says about itself: which events it should be seen to
// perform, and what its calls returned.
//
// Both go as lines into one file that is mapped into memory (account.hpp), so that saying something about a call is not
// a call itself: no meter is notified, no counter of the kernel grows, and nothing is lost when the process is killed.
//
// A line of the expectation is "expect TID KIND BYTES CHANNEL", the channel being a name that the program makes up; a
// line of the results is "result ROLE: CALL = VALUE". Lines of different roles come in any order.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <functional>
#include <string>
#include <thread>

#include "tests/live/conformance/support/account.hpp"

namespace dpm {

// One end of a channel in each direction.
struct End {
  int fd = -1;
  std::string out;  // the channel that is sent over
  std::string in;   // the channel that is received from
};

class Actor {
 public:
  Actor(std::string role, const Account& account) : role_(std::move(role)), account_(&account) {}
  Actor as(const std::string& role) const;

  // ---- what should be seen
  void expect(const char* kind, long bytes, const std::string& channel) const;
  void expect_of(pid_t thread, const char* kind, long bytes, const std::string& channel) const;
  // What only this source ("notify" or "ebpf") sees: docs/metering.md has the reasons.
  void expect_by(const char* source, const char* kind, long bytes, const std::string& channel) const;
  // What a meter may or may not see: docs/limitations.md says why.
  void may_show(const char* kind, long bytes, const std::string& channel) const;

  // ---- what calls returned: prints the value, or the error's name if it is negative
  long result(const std::string& call, long value) const;
  void says(const std::string& text) const;

  // ---- calls, with both
  // A call that sends: what it returned has been sent.
  template <typename Call>
  long sends(const End& end, const std::string& name, Call&& call) const {
    const long sent = call();
    if (sent > 0 || (sent == 0 && name.starts_with("empty"))) expect("SEND", sent, end.out);
    return result(name, sent);
  }
  // A call that receives: it asks, and if it returns something, that has been received.
  template <typename Call>
  long receives(const End& end, const std::string& name, Call&& call) const {
    expect("RECEIVECALL", 0, end.in);
    const long received = call();
    if (received > 0 || (received == 0 && name.starts_with("empty"))) expect("RECEIVE", received, end.in);
    return result(name, received);
  }
  // A call that asks, and gets nothing.
  template <typename Call>
  long asks(const End& end, const std::string& name, Call&& call) const {
    expect("RECEIVECALL", 0, end.in);
    return result(name, call());
  }
  // accept(): returns the new descriptor.
  template <typename Call>
  int accepts(const std::string& name, Call&& call) const {
    const int fd = static_cast<int>(call());
    if (fd >= 0) expect("ACCEPT", 0, "-");
    result(name, fd < 0 ? fd : 0);
    return fd;
  }

  // ---- other actors
  // Each begins with a line "BEGIN PARENT". A child process exits with what `play` returns.
  pid_t forks(const std::string& role, const std::function<int(const Actor&)>& play) const;
  std::thread threads(const std::string& role, const std::function<void(const Actor&)>& play) const;
  // Waits for a child, prints how it ended, and expects its end ("END", with the status of wait(2)).
  int waits_for(pid_t child, const std::string& role) const;

 private:
  std::string role_;
  const Account* account_;
};

// Sleeps, without a notified call; signals do not shorten it.
void pause_ms(int milliseconds);

// Returns when every thread of that process (but ours) has gone to sleep, and so much later: in the tests that use it,
// all wait for a message then, however busy the machine is.
void until_waiting(pid_t process, int then_ms);

class Stopwatch {
 public:
  Stopwatch();
  // As long as it says, and not seconds longer: a call that returned at the wrong time.
  bool shows(long milliseconds) const;

 private:
  long started_ms_;
};

// Ends the program with a message when its own preparation fails: then there is nothing to compare.
int must(int value, const char* what);

}  // namespace dpm
