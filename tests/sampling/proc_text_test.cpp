// Lines of /proc as numbers, and descriptors as kinds.
#include "sampling/states/proc_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <set>
#include <string_view>

#include "sampling/states/descriptor_kind.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

constexpr const char* kStat =
    "7354 (a) S (b) S 7351 7350 23759 34816 7350 4194304 135 0 0 0 1 2 0 0 20 0 3 0 1214879 2990080 407 1 1 1 1 0 0 0 "
    "0 0 6 "
    "0 1 0 17 5 0 0 0 0 0 1 1 1 1 1 1 1 0\n";

TEST_CASE("stat: a name with parentheses and spaces does not move the fields", "[sampling]") {
  const auto line = read_stat(kStat);
  REQUIRE(line);
  CHECK(*line == StatLine{.letter = 'S',
                          .parent = 7351,
                          .group = 7350,
                          .session = 23759,
                          .terminal = 34816,
                          .foreground_group = 7350,
                          .threads = 3,
                          .start_ticks = 1214879,
                          .processor = 5});
}

TEST_CASE("stat: a line without a terminal has the group -1", "[sampling]") {
  std::string text = kStat;
  text.replace(text.find("34816 7350"), 10, "0 -1");
  const auto line = read_stat(text);
  REQUIRE(line);
  CHECK(line->terminal == 0);
  CHECK(line->foreground_group == -1);
}

TEST_CASE("stat: a thread of the kernel has a flag", "[sampling]") {
  std::string text = kStat;
  text.replace(text.find("4194304"), 7, "69238880");
  CHECK(read_stat(text)->in_kernel);
  CHECK_FALSE(read_stat(kStat)->in_kernel);
}

TEST_CASE("stat: each shorter line and each damaged number is refused", "[sampling]") {
  const std::string text = kStat;
  const auto last = text.find(" 17 5 ") + 4;
  for (std::size_t length = 0; length < last; ++length) {
    INFO(length);
    CHECK_FALSE(read_stat(text.substr(0, length)));
  }
  std::string damaged = text;
  damaged.replace(damaged.find("23759"), 5, "2x759");
  CHECK_FALSE(read_stat(damaged));
}

TEST_CASE("schedstat: three numbers", "[sampling]") {
  CHECK(read_schedstat("1158597 320688 1\n") == CpuCounters{1158597, 320688, 1});
  CHECK_FALSE(read_schedstat("1158597 320688"));
  CHECK_FALSE(read_schedstat(""));
}

TEST_CASE("syscall: running, a call, outside of a call", "[sampling]") {
  CHECK(read_syscall("running\n")->number == SystemCall::kUnknown);
  CHECK(read_syscall("-1 0x7ffc 0x7f\n")->number == SystemCall::kNotInACall);
  const auto call = read_syscall("0 0x3 0x7f61 0x20000 0x0 0x1 0xffffffffffffffff 0x7ffd 0x7f61\n");
  REQUIRE(call);
  CHECK(call->number == 0);
  CHECK(call->arguments[0] == 3);
  CHECK(call->arguments[5] == ~std::uint64_t{0});
  CHECK_FALSE(read_syscall("0 0x3"));
  CHECK_FALSE(read_syscall("-7 0x3 0x4"));
  CHECK_FALSE(read_syscall(""));
}

TEST_CASE("calls: a lock of fcntl, one polled descriptor and a small set need a look into memory", "[sampling]") {
#ifdef __x86_64__
  using Kind = RestOfCall::Kind;
  CHECK(rest_of(*read_syscall("7 0x100 0x1 0xffffffff 0x0 0x0 0x0")).kind == Kind::poll_descriptor);
  CHECK(rest_of(*read_syscall("7 0x100 0x2 0xffffffff 0x0 0x0 0x0")).kind == Kind::nothing);
  CHECK(rest_of(*read_syscall("270 0x1 0x100 0x0 0x0 0x0 0x0")).kind == Kind::select_sets);
  CHECK(rest_of(*read_syscall("270 0x400 0x100 0x0 0x0 0x0 0x0")).kind == Kind::nothing);
  CHECK(rest_of(*read_syscall("72 0x3 0x7 0x100 0x0 0x0 0x0")).kind == Kind::lock_type);
  CHECK(rest_of(*read_syscall("72 0x3 0x1 0x100 0x0 0x0 0x0")).kind == Kind::nothing);
  CHECK(descriptor_of(*read_syscall("0 0x9 0x1 0x1 0x0 0x0 0x0")) == 9);
  CHECK_FALSE(descriptor_of(*read_syscall("230 0x9 0x1 0x1 0x0 0x0 0x0")));
#endif
}

TEST_CASE("descriptors: links, protocols and types of files have kinds", "[sampling]") {
  using enum DescriptorKind;
  CHECK(kind_of_link("pipe:[12]") == pipe);
  CHECK(kind_of_link("socket:[12]") == other_socket);
  CHECK(kind_of_link("anon_inode:[eventfd]") == eventfd);
  CHECK(kind_of_link("anon_inode:[eventpoll]") == epoll);
  CHECK(kind_of_link("anon_inode:inotify") == notifier);
  CHECK(kind_of_link("anon_inode:[timerfd]") == timerfd);
  CHECK(kind_of_link("anon_inode:[signalfd]") == signalfd);
  CHECK(kind_of_link("/dev/pts/3") == file);
  CHECK(kind_of_link("net:[4026531840]") == unknown);
  for (const char* name : {"TCP", "TCPv6", "UDP", "UDPv6", "MPTCP", "RAW", "PING"})
    CHECK(kind_of_protocol(name) == inet_socket);
  for (const char* name : {"UNIX", "UNIX-STREAM"}) CHECK(kind_of_protocol(name) == unix_socket);
  for (const char* name : {"NETLINK", "PACKET", "AF_VSOCK"}) CHECK(kind_of_protocol(name) == other_socket);
  CHECK(kind_of_type(S_IFCHR, 136) == terminal);
  CHECK(kind_of_type(S_IFCHR, 5) == terminal);
  CHECK(kind_of_type(S_IFCHR, 1) == device);
  CHECK(kind_of_type(S_IFIFO, 0) == pipe);
  CHECK(kind_of_type(S_IFDIR, 0) == directory);
  CHECK(kind_of_type(S_IFBLK, 8) == file);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(io_uring); ++i)
    names.insert(name_of(static_cast<DescriptorKind>(i)));
  CHECK(names.size() == static_cast<std::size_t>(io_uring) + 1);
}

}  // namespace
}  // namespace dpm::sampling
