// Programs that restrict themselves, and programs that gain privileges: what a meter's own filter must live with.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <string>

#include "tests/live/conformance/support/cases.hpp"
#include "tests/live/conformance/support/media.hpp"

namespace dpm {
namespace {

using Room = std::array<char, 100>;

// Installs a filter that answers one call with `action` and allows all others; returns what seccomp() returns.
long install(long call, unsigned action, unsigned flags) {
  std::array<sock_filter, 4> program = {{
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, static_cast<unsigned>(call)},
      {BPF_RET | BPF_K, 0, 0, action},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  }};
  const sock_fprog filter{program.size(), program.data()};
  must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl");
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
}

void exchange(const Actor& actor, const std::string& channel) {
  const Ends ends = medium("unix_stream").connect(actor);
  Room room{};
  actor.sends({ends.a.fd, channel, ""}, "write", [&] { return write(ends.a.fd, room.data(), 17); });
  actor.receives({ends.b.fd, "", channel}, "recv", [&] { return recv(ends.b.fd, room.data(), room.size(), 0); });
}

void own_filter_allows(const Actor& actor) {
  exchange(actor, "before");
  actor.result("seccomp", install(SYS_getppid, SECCOMP_RET_ALLOW, 0));
  exchange(actor, "after");
}

// The program's own "no" comes before the meter.
void own_filter_refuses(const Actor& actor) {
  const Ends ends = medium("unix_stream").connect(actor);
  Room room{};
  actor.result("seccomp", install(SYS_sendto, SECCOMP_RET_ERRNO | EACCES, 0));
  actor.result("send", send(ends.a.fd, room.data(), 17, 0));
  actor.sends(ends.a, "write", [&] { return write(ends.a.fd, room.data(), 19); });
  actor.receives(ends.b, "recv", [&] { return recv(ends.b.fd, room.data(), room.size(), 0); });
}

void own_filter_kills(const Actor& actor) {
  const pid_t child = actor.forks("child", [&](const Actor& process) {
    process.result("seccomp", install(SYS_getppid, SECCOMP_RET_KILL_PROCESS, 0));
    exchange(process, "child");
    syscall(SYS_getppid);
    return 0;
  });
  actor.waits_for(child, "child");
}

// The kernel lets a process have one listener: the second to come is refused.
void own_listener(const Actor& actor) {
  const long listener = install(SYS_getppid, SECCOMP_RET_ALLOW, SECCOMP_FILTER_FLAG_NEW_LISTENER);
  actor.result("seccomp with a listener", listener < 0 ? listener : 0);
  exchange(actor, "after");
}

// Run as a setuid program: do its privileges reach it?
void privileges(const Actor& actor) {
  actor.result("the effective user is root", geteuid() == 0);
  exchange(actor, "channel");
}

// The meter takes none of the descriptor numbers that a program would get.
void descriptor_numbers(const Actor& actor) {
  for (int i = 0; i < 5; ++i) actor.result("dup", dup(STDIN_FILENO));
  exchange(actor, "channel");
}

constexpr std::array kCases = {
    Case{"own_filter_allows", own_filter_allows},
    Case{"own_filter_refuses", own_filter_refuses},
    Case{"own_filter_kills", own_filter_kills},
    Case{"own_listener", own_listener},
    Case{"privileges", privileges},
    Case{"descriptor_numbers", descriptor_numbers},
};

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) { return dpm::play_case(dpm::kCases, argc, argv); }
