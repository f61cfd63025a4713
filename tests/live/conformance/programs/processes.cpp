// How processes and threads come to be, change their program and end: every way, with messages on both sides of it.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/live/conformance/support/cases.hpp"
#include "tests/live/conformance/support/media.hpp"

namespace dpm {
namespace {

using Room = std::array<char, 1000>;

const char* kEcho = "/bin/echo";

// What a program started by `start` writes to its standard output comes back through a pipe.
template <typename Start>
void output_of(const Actor& actor, const std::string& way, Start start) {
  const Ends ends = medium("pipe").connect(actor);
  const End in{ends.b.fd, "", way};
  const pid_t child = start(ends.a.fd);
  close(ends.a.fd);
  Room room{};
  actor.receives(in, way + ": read", [&] { return read(in.fd, room.data(), room.size()); });
  actor.asks(in, way + ": read at the end", [&] { return read(in.fd, room.data(), room.size()); });
  actor.expect_of(child, "BEGIN", gettid(), "-");
  actor.expect_of(child, "EXEC", 0, "-");
  actor.expect_of(child, "SEND", 6, way);
  actor.waits_for(child, way);
  close(in.fd);
}

void programs(const Actor& actor) {
  std::array<char*, 3> words = {const_cast<char*>("echo"), const_cast<char*>("hello"), nullptr};
  output_of(actor, "fork", [&](int out) {
    const pid_t child = must(fork(), "fork");
    if (child == 0) {
      dup2(out, STDOUT_FILENO);
      execv(kEcho, words.data());
      _exit(127);
    }
    return child;
  });
  output_of(actor, "vfork", [&](int out) {
    // The child may do nothing but exec: it runs on our stack.
    const int saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 50);
    dup2(out, STDOUT_FILENO);
    const pid_t child = must(vfork(), "vfork");
    if (child == 0) {
      execv(kEcho, words.data());
      _exit(127);
    }
    dup2(saved, STDOUT_FILENO);
    close(saved);
    return child;
  });
  output_of(actor, "posix_spawn", [&](int out) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    pid_t child = 0;
    if (posix_spawn(&child, kEcho, &actions, nullptr, words.data(), environ) != 0) must(-1, "posix_spawn");
    posix_spawn_file_actions_destroy(&actions);
    return child;
  });
}

void failed_programs(const Actor& actor) {
  actor.result("system of a missing program", system("/nonexistent/program 2>/dev/null"));
  actor.result("system", system("exit 9"));
  std::array<char*, 2> words = {const_cast<char*>("none"), nullptr};
  actor.result("execv", execv("/nonexistent/program", words.data()));
  const Ends ends = medium("unix_stream").connect(actor);
  actor.sends(ends.a, "write after it", [&] { return write(ends.a.fd, "hello", 5); });
}

int cloned(void* argument) {
  const auto& [actor, end] = *static_cast<std::pair<Actor, End>*>(argument);
  actor.sends(end, "write", [&, fd = end.fd] { return write(fd, "hello", 5); });
  return 4;
}

// clone() with its own stack: without sharing, and sharing memory and descriptors as no library call does.
void clones(const Actor& actor) {
  static std::array<char, 1 << 16> stack;
  for (const int flags : {0, CLONE_FILES | CLONE_FS, CLONE_VM | CLONE_FILES | CLONE_VFORK}) {
    const Ends ends = medium("pipe").connect(actor);
    const std::string channel = "clone" + std::to_string(flags);
    std::pair<Actor, End> what{actor.as("clone"), {ends.a.fd, channel, ""}};
    const pid_t child = must(clone(cloned, stack.data() + stack.size(), flags | SIGCHLD, &what), "clone");
    Room room{};
    actor.receives({ends.b.fd, "", channel}, "read", [&] { return read(ends.b.fd, room.data(), room.size()); });
    actor.waits_for(child, "clone");
  }
}

void many_children(const Actor& actor) {
  const Ends ends = medium("pipe").connect(actor);
  std::vector<pid_t> children;
  for (int i = 0; i < 40; ++i) {
    children.push_back(actor.forks("child", [&](const Actor& child) {
      child.expect("SEND", write(ends.a.fd, "0123456789", 10), ends.a.out);
      return 0;
    }));
  }
  for (const pid_t child : children) actor.waits_for(child, "child");
  Room room{};
  actor.receives(ends.b, "read of all", [&] { return read(ends.b.fd, room.data(), room.size()); });
}

void many_threads(const Actor& actor) {
  const Ends ends = medium("pair_datagram").connect(actor);
  for (int round = 0; round < 4; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.push_back(actor.threads("thread", [&](const Actor& thread) {
        thread.sends(ends.a, "send", [&] { return send(ends.a.fd, "0123456789", 10, 0); });
      }));
    }
    for (auto& thread : threads) thread.join();
    Room room{};
    for (int i = 0; i < 8; ++i)
      actor.receives(ends.b, "recv", [&] { return recv(ends.b.fd, room.data(), room.size(), 0); });
  }
}

// The first thread ends; the process goes on.
void first_thread_ends(const Actor& actor) {
  const pid_t child = actor.forks("child", [&](const Actor& process) -> int {
    static const Ends ends = medium("unix_stream").connect(process);
    process
        .threads("second",
                 [](const Actor& second) {
                   pause_ms(50);
                   Room room{};
                   second.sends(ends.a, "write", [&] { return write(ends.a.fd, "hello", 5); });
                   second.receives(ends.b, "read", [&] { return read(ends.b.fd, room.data(), room.size()); });
                   _exit(6);
                 })
        .detach();
    pthread_exit(nullptr);
  });
  actor.waits_for(child, "child");
}

// What runs after exec: sends over descriptor 3 after it has received over descriptor 4.
void after_exec(const Actor& actor, const std::string& way) {
  const End in{4, "", "before>after " + way}, out{3, "after>before " + way, ""};
  Room room{};
  actor.receives(in, "read", [&] { return read(in.fd, room.data(), room.size()); });
  actor.sends(out, "write", [&] { return write(out.fd, room.data(), 17); });
}

int becomes_another_program(const Actor& process, const Ends& there, const Ends& back, const std::string& way) {
  const int in = must(fcntl(there.b.fd, F_DUPFD_CLOEXEC, 60), "fcntl");
  const int out = must(fcntl(back.a.fd, F_DUPFD_CLOEXEC, 60), "fcntl");
  process.sends({out, "after>before " + way, ""}, "write", [&] { return write(out, "hello", 5); });
  dup2(out, 3);
  dup2(in, 4);
  const auto go_on = [&] {
    execl("/proc/self/exe", "processes", "after_exec", way.c_str(), nullptr);
    _exit(127);
  };
  if (way == "first") go_on();
  std::thread(go_on).join();
  return 1;
}

// A process that goes on as another program, from its first thread or from another one, keeps its connections.
void exec_keeps_connections(const Actor& actor) {
  for (const std::string way : {"first", "other"}) {
    const Ends there = medium("pipe").connect(actor), back = medium("pipe").connect(actor);
    const pid_t child =
        actor.forks("child", [&](const Actor& process) { return becomes_another_program(process, there, back, way); });
    Room room{};
    const End in{back.b.fd, "", "after>before " + way}, out{there.a.fd, "before>after " + way, ""};
    actor.receives(in, "read", [&] { return read(in.fd, room.data(), room.size()); });
    pause_ms(50);
    actor.sends(out, "write", [&] { return write(out.fd, "hello again", 11); });
    actor.receives(in, "read", [&] { return read(in.fd, room.data(), room.size()); });
    actor.waits_for(child, "child");
    for (const int fd : {there.a.fd, there.b.fd, back.a.fd, back.b.fd}) close(fd);
  }
}

[[noreturn]] void becomes_true(bool by_another_thread) {
  const auto go_on = [] { execl("/bin/true", "true", nullptr); };
  if (by_another_thread) std::thread(go_on).join();
  go_on();
  _exit(127);
}

// What was sent or received last before an exec, whichever thread performs that and however late a meter hears of it.
void messages_before_exec(const Actor& actor) {
  for (int round = 0; round < 24; ++round) {
    const bool by_another_thread = round % 2 == 0, answers = round % 4 < 2;
    const Ends there = medium("pipe").connect(actor), back = medium("pipe").connect(actor);
    const std::string asking = "asking " + std::to_string(round), answer = "answer " + std::to_string(round);
    actor.sends({there.a.fd, asking, ""}, "write", [&] { return write(there.a.fd, "hello again", 11); });
    Room room{};
    const pid_t child = actor.forks("child", [&](const Actor& process) -> int {
      process.receives({there.b.fd, "", asking}, "read", [&] { return read(there.b.fd, room.data(), room.size()); });
      if (answers) process.sends({back.a.fd, answer, ""}, "write", [&] { return write(back.a.fd, "hello", 5); });
      becomes_true(by_another_thread);
    });
    if (answers)
      actor.receives({back.b.fd, "", answer}, "read", [&] { return read(back.b.fd, room.data(), room.size()); });
    actor.waits_for(child, "child");
    for (const int fd : {there.a.fd, there.b.fd, back.a.fd, back.b.fd}) close(fd);
  }
}

// A daemon: two forks and a session of its own; it goes on after the processes that started it have ended.
void daemon(const Actor& actor) {
  const Ends ends = medium("pair_stream").connect(actor);
  const pid_t first = actor.forks("first", [&](const Actor& between) {
    setsid();
    between.forks("daemon", [&](const Actor& process) {
      pause_ms(200);
      Room room{};
      for (int i = 0; i < 3; ++i) {
        process.sends(ends.a, "write", [&] { return write(ends.a.fd, "hello", 5); });
        process.receives(ends.b, "read", [&] { return read(ends.b.fd, room.data(), room.size()); });
        pause_ms(50);
      }
      return 8;
    });
    return 0;
  });
  actor.waits_for(first, "first");
}

void exits_with_42(const Actor&) { _exit(42); }
void ends_by_sigterm(const Actor&) { raise(SIGTERM); }
void aborts(const Actor&) { abort(); }

constexpr std::array kCases = {
    Case{"programs", programs},
    Case{"failed_programs", failed_programs},
    Case{"clones", clones},
    Case{"many_children", many_children},
    Case{"many_threads", many_threads},
    Case{"first_thread_ends", first_thread_ends},
    Case{"exec_keeps_connections", exec_keeps_connections},
    Case{"messages_before_exec", messages_before_exec},
    Case{"daemon", daemon},
    Case{"exits_with_42", exits_with_42},
    Case{"ends_by_sigterm", ends_by_sigterm},
    Case{"aborts", aborts},
};

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "after_exec") {
    const dpm::Account account;
    dpm::after_exec(dpm::Actor("after", account), argv[2]);
    return 5;
  }
  return dpm::play_case(dpm::kCases, argc, argv);
}
