// Signals that come while a call waits, and by the thousand: a metered call must be interrupted, restarted, stopped and
// ended exactly as an unmetered one.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>

#include "tests/live/conformance/support/cases.hpp"
#include "tests/live/conformance/support/media.hpp"

namespace dpm {
namespace {

using Room = std::array<char, 1000>;

// What a handler can reach: it has no other way to know anything.
std::atomic<int> handled{0};
std::atomic<int> handler_writes_to{-1};

void count_signal(int) {
  ++handled;
  if (handler_writes_to >= 0 && write(handler_writes_to, "!", 1) != 1) _exit(97);
}

void handle(int signal_number, int flags) {
  struct sigaction action {};
  action.sa_handler = count_signal;
  action.sa_flags = flags;
  must(sigaction(signal_number, &action, nullptr), "sigaction");
}

void alarm_after_ms(int milliseconds, bool again = false) {
  const timeval time{0, milliseconds * 1000};
  const itimerval timer{again ? time : timeval{}, time};
  must(setitimer(ITIMER_REAL, &timer, nullptr), "setitimer");
}

// Another process sends the waiting one a signal.
pid_t signals_later(const Actor& actor) {
  return actor.forks("signaller", [](const Actor&) {
    until_waiting(getppid(), 50);
    return kill(getppid(), SIGALRM);
  });
}

// And then what it waits for.
pid_t disturbs(const Actor& actor, const End& out) {
  return actor.forks("disturber", [&](const Actor& other) {
    until_waiting(getppid(), 50);
    kill(getppid(), SIGALRM);
    until_waiting(getppid(), 50);
    other.sends(out, "write", [&] { return write(out.fd, "hello", 5); });
    return 0;
  });
}

constexpr std::array kWaited = {"tcp4", "unix_stream", "pair_datagram", "udp4", "pipe"};

// A call that is interrupted and then made again looks the same as one that the kernel restarts: one RECEIVECALL or
// two.
template <typename Call>
void asks_and_is_interrupted(const Actor& actor, const End& end, const std::string& name, Call&& call) {
  actor.may_show("RECEIVECALL", 0, end.in);
  actor.result(name, call());
}

// A handler without SA_RESTART ends the wait with EINTR; the next call gets the data.
void interrupted(const Actor& actor) {
  handle(SIGALRM, 0);
  for (const char* name : kWaited) {
    const Ends ends = medium(name).connect(actor);
    const End in{ends.b.fd, "", std::string(name) + ends.b.in}, out{ends.a.fd, std::string(name) + ends.a.out, ""};
    const pid_t disturber = disturbs(actor, out);
    Room room{};
    handled = 0;
    asks_and_is_interrupted(actor, in, "read, interrupted", [&] { return read(in.fd, room.data(), room.size()); });
    actor.result("signals", handled);
    actor.receives(in, "read", [&] { return read(in.fd, room.data(), room.size()); });
    actor.waits_for(disturber, "disturber");
  }
  const Listener listener = tcp_listener();
  const pid_t signaller = signals_later(actor);
  actor.accepts("accept, interrupted", [&] { return accept(listener.fd, nullptr, nullptr); });
  actor.waits_for(signaller, "signaller");
}

// With SA_RESTART the call goes on: its caller asked once.
void restarted(const Actor& actor) {
  handle(SIGALRM, SA_RESTART);
  for (const char* name : kWaited) {
    const Ends ends = medium(name).connect(actor);
    const End in{ends.b.fd, "", std::string(name) + ends.b.in}, out{ends.a.fd, std::string(name) + ends.a.out, ""};
    const pid_t disturber = disturbs(actor, out);
    Room room{};
    handled = 0;
    actor.receives(in, "read, restarted", [&] { return read(in.fd, room.data(), room.size()); });
    actor.result("signals", handled);
    actor.waits_for(disturber, "disturber");
  }
}

// With a time limit there is no restart, whatever the handler says.
void interrupted_with_limit(const Actor& actor) {
  for (const int flags : {0, SA_RESTART}) {
    handle(SIGALRM, flags);
    const Ends ends = medium("tcp4").connect(actor);
    const End in{ends.b.fd, "", "limited" + std::to_string(flags)};
    const timeval limit{5, 0};
    must(setsockopt(in.fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), "SO_RCVTIMEO");
    Room room{};
    const pid_t signaller = signals_later(actor);
    actor.asks(in, "recv with a limit, interrupted", [&] { return recv(in.fd, room.data(), room.size(), 0); });
    actor.waits_for(signaller, "signaller");
  }
}

// MSG_WAITALL that has a part already returns the part.
void interrupted_part(const Actor& actor) {
  handle(SIGALRM, 0);
  const Ends ends = medium("tcp4").connect(actor);
  const pid_t disturber = actor.forks("disturber", [&](const Actor& other) {
    until_waiting(getppid(), 50);
    other.sends(ends.a, "write", [&] { return write(ends.a.fd, "hello", 5); });
    until_waiting(getppid(), 50);
    return kill(getppid(), SIGALRM);
  });
  Room room{};
  actor.receives(ends.b, "recv MSG_WAITALL, interrupted",
                 [&] { return recv(ends.b.fd, room.data(), 100, MSG_WAITALL); });
  actor.waits_for(disturber, "disturber");
}

// A blocked signal stays pending and disturbs nothing.
void blocked(const Actor& actor) {
  handle(SIGALRM, 0);
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  must(sigprocmask(SIG_BLOCK, &alarm_only, nullptr), "sigprocmask");
  const Ends ends = medium("unix_stream").connect(actor);
  const pid_t disturber = disturbs(actor, ends.a);
  Room room{};
  handled = 0;
  actor.receives(ends.b, "read", [&] { return read(ends.b.fd, room.data(), room.size()); });
  actor.result("signals", handled);
  must(sigprocmask(SIG_UNBLOCK, &alarm_only, nullptr), "sigprocmask");
  actor.result("signals when unblocked", handled);
  actor.waits_for(disturber, "disturber");
}

// The handler itself sends a message: it is seen after the call that it interrupts, and before what that receives.
void handler_sends(const Actor& actor) {
  handle(SIGALRM, SA_RESTART);
  const Ends wake = medium("pipe").connect(actor);
  handler_writes_to = wake.a.fd;
  const Ends ends = medium("tcp4").connect(actor);
  const pid_t disturber = disturbs(actor, ends.a);
  Room room{};
  actor.expect("RECEIVECALL", 0, ends.b.in);
  actor.expect("SEND", 1, "wake");
  actor.result("read", read(ends.b.fd, room.data(), room.size()));
  actor.expect("RECEIVE", 5, ends.b.in);
  actor.receives({wake.b.fd, "", "wake"}, "read of the handler's message",
                 [&] { return read(wake.b.fd, room.data(), room.size()); });
  handler_writes_to = -1;
  actor.waits_for(disturber, "disturber");
}

// A thousand signals a second: calls that never fail with EINTR do not start to, and no descriptor is lost.
void storm(const Actor& actor) {
  handle(SIGALRM, 0);
  alarm_after_ms(1, true);
  int errors = 0, interrupted = 0;
  const int lowest = must(dup(0), "dup");
  close(lowest);
  for (int round = 0; round < 300; ++round) {
    std::array<int, 2> fds{};
    errors += pipe(fds.data()) != 0;
    const int copy = dup(fds[0]);
    const int loose = socket(AF_INET, SOCK_STREAM, 0);
    errors += copy < 0 || loose < 0;
    const auto retried = [&](auto call) {
      long n = 0;
      while ((n = call()) < 0 && errno == EINTR) ++interrupted;
      return n;
    };
    const std::string channel = "pipe " + std::to_string(round);
    errors += retried([&] { return write(fds[1], "12345", 5); }) != 5;
    actor.expect("SEND", 5, channel);
    Room room{};
    const int before = interrupted;
    errors += retried([&] { return read(copy, room.data(), room.size()); }) != 5;
    for (int i = before; i < interrupted; ++i) actor.may_show("RECEIVECALL", 0, channel);
    actor.expect("RECEIVECALL", 0, channel);
    actor.expect("RECEIVE", 5, channel);
    for (const int fd : {fds[0], fds[1], copy, loose}) errors += close(fd) != 0;
    if (round % 10 == 0) pause_ms(2);
  }
  const int still_lowest = must(dup(0), "dup");
  alarm_after_ms(0);
  actor.result("errors", errors);
  actor.result("descriptors lost", still_lowest - lowest);
  actor.result("signals came", handled > 20);
}

// Ten thousand signals a second: some come when a call has been looked at and is not let go yet, so that the kernel
// restarts it. No counter of the kernel tells what these calls moved.
void storm_on_messages(const Actor& actor) {
  handle(SIGALRM, SA_RESTART);
  int errors = 0;
  for (const auto& name : {"unix_stream", "pair_datagram"}) {
    const Ends ends = medium(name).connect(actor);
    const std::string channel = name;
    const itimerval timer{{0, 97}, {0, 97}};
    must(setitimer(ITIMER_REAL, &timer, nullptr), "setitimer");
    Room room{};
    for (int round = 0; round < 2000; ++round) {
      errors += send(ends.a.fd, room.data(), 100, 0) != 100;
      actor.expect("SEND", 100, channel);
      errors += recv(ends.b.fd, room.data(), room.size(), 0) != 100;
      actor.expect("RECEIVECALL", 0, channel);
      actor.expect("RECEIVE", 100, channel);
    }
    alarm_after_ms(0);
  }
  actor.result("errors", errors);
  actor.result("signals came", handled > 20);
}

// Reading and writing files is never interrupted without a meter; with one it may be, which programs with such handlers
// must be ready for (docs/limitations.md). No other error, and nothing is lost.
void storm_on_files(const Actor& actor) {
  handle(SIGALRM, 0);
  std::array<char, 32> path{"/tmp/conformance.XXXXXX"};
  const int file = must(mkstemp(path.data()), "mkstemp");
  unlink(path.data());
  alarm_after_ms(1, true);
  int errors = 0;
  Room room{};
  for (int round = 0; round < 500; ++round) {
    const auto retried = [](auto call) {
      long n = 0;
      while ((n = call()) < 0 && errno == EINTR) {
      }
      return n;
    };
    errors += retried([&] { return write(file, room.data(), 100); }) != 100;
    lseek(file, 0, SEEK_SET);
    errors += retried([&] { return read(file, room.data(), 100); }) != 100;
    lseek(file, 0, SEEK_SET);
    if (round % 10 == 0) pause_ms(2);
  }
  alarm_after_ms(0);
  actor.result("errors", errors);
}

void stopped_and_continued(const Actor& actor) {
  const Ends ends = medium("tcp4").connect(actor);
  const pid_t reader = actor.forks("reader", [&](const Actor& reading) {
    Room room{};
    for (int i = 0; i < 2; ++i)
      reading.receives(ends.b, "read", [&] { return read(ends.b.fd, room.data(), room.size()); });
    pause_ms(100);  // so that its going on is told before its end
    return 3;
  });
  // Stopped while it waits; first the data come after it goes on, then while it is stopped.
  for (const bool meanwhile : {false, true}) {
    until_waiting(reader, 50);
    int status = 0;
    actor.result("SIGSTOP", kill(reader, SIGSTOP));
    must(waitpid(reader, &status, WUNTRACED), "waitpid");
    actor.result("stopped", WIFSTOPPED(status));
    if (meanwhile) actor.sends(ends.a, "write", [&] { return write(ends.a.fd, "hello", 5); });
    pause_ms(50);
    actor.result("SIGCONT", kill(reader, SIGCONT));
    must(waitpid(reader, &status, WCONTINUED), "waitpid");
    actor.result("continued", WIFCONTINUED(status));
    if (!meanwhile) actor.sends(ends.a, "write", [&] { return write(ends.a.fd, "hello", 5); });
  }
  actor.waits_for(reader, "reader");
}

void cancelled(const Actor& actor) {
  const Ends ends = medium("unix_stream").connect(actor);
  std::thread reader = actor.threads("reader", [&](const Actor& reading) {
    Room room{};
    reading.expect("RECEIVECALL", 0, ends.b.in);
    const long received = read(ends.b.fd, room.data(), room.size());
    reading.result("read that should be cancelled", received);
  });
  const pthread_t thread = reader.native_handle();
  reader.detach();
  until_waiting(getpid(), 50);
  actor.result("pthread_cancel", pthread_cancel(thread));
  pause_ms(100);
  Room room{};
  // The next reader gets the byte: the cancelled call took nothing.
  actor.sends(ends.a, "write", [&] { return write(ends.a.fd, "x", 1); });
  actor.receives(ends.b, "read", [&] { return read(ends.b.fd, room.data(), room.size()); });
}

void ended_by_signal(const Actor& actor) {
  signal(SIGQUIT, SIG_DFL);  // ignored in what a shell starts in the background
  for (const int signal_number : {SIGALRM, SIGQUIT, SIGTERM, SIGKILL}) {
    const Ends ends = medium("tcp4").connect(actor);
    const pid_t reader = actor.forks("reader", [&](const Actor& reading) {
      if (signal_number == SIGALRM) alarm_after_ms(300);
      Room room{};
      reading.asks({ends.b.fd, "", "to" + std::to_string(signal_number)}, "read",
                   [&] { return read(ends.b.fd, room.data(), room.size()); });
      return 0;
    });
    until_waiting(reader, 50);
    if (signal_number != SIGALRM) actor.result("kill", kill(reader, signal_number));
    actor.waits_for(reader, "reader");
  }
}

constexpr std::array kCases = {
    Case{"interrupted", interrupted},
    Case{"restarted", restarted},
    Case{"interrupted_with_limit", interrupted_with_limit},
    Case{"interrupted_part", interrupted_part},
    Case{"blocked", blocked},
    Case{"handler_sends", handler_sends},
    Case{"storm", storm},
    Case{"storm_on_files", storm_on_files},
    Case{"storm_on_messages", storm_on_messages},
    Case{"stopped_and_continued", stopped_and_continued},
    Case{"cancelled", cancelled},
    Case{"ended_by_signal", ended_by_signal},
};

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) { return dpm::play_case(dpm::kCases, argc, argv); }
