#include "formats/strace/strace_line.hpp"

#include "formats/strace/strace_descriptor.hpp"
#include "tests/support/catch.hpp"

namespace dpm {

TEST_CASE("strace: a call, its arguments and its result", "[import]") {
  const auto line = parse_strace_line(
      R"(8026  1795690005.344418 read(8<TCP:[127.0.0.1:7733->127.0.0.1:40854]>, "*3\r\n\")(\", 3", 16384) = 27)");
  REQUIRE(line.has_value());
  CHECK(line->kind == StraceLineKind::call);
  CHECK(line->tid == 8026);
  CHECK(line->time_ns == 1795690005344418000);
  CHECK(line->call == "read");
  const auto outcome = parse_outcome(line->text);
  REQUIRE(outcome.has_value());
  CHECK(outcome->result == 27);
  CHECK_FALSE(outcome->duration_ns.has_value());
  CHECK(argument(outcome->arguments, 2) == "16384");
  CHECK(argument(outcome->arguments, 3).empty());
  const auto descriptor = parse_descriptor(argument(outcome->arguments, 0));
  REQUIRE(descriptor.has_value());
  CHECK(descriptor->number == 8);
  CHECK(descriptor->medium == ChannelMedium::tcp);
  CHECK(descriptor->local == "127.0.0.1:7733");
  CHECK(descriptor->remote == "127.0.0.1:40854");
}

TEST_CASE("strace: the forms of a line's beginning", "[import]") {
  CHECK(parse_strace_line("1795690005.5 close(3) = 0")->tid == 0);
  CHECK(parse_strace_line("[pid  8026] 1795690005.5 close(3) = 0")->tid == 8026);
  CHECK(parse_strace_line("7 10:00:01.25 close(3) = 0")->time_ns == (10 * 3600 + 1) * 1'000'000'000LL + 250'000'000);
  CHECK_FALSE(parse_strace_line("close(3) = 0").has_value());
  CHECK_FALSE(parse_strace_line("7 close(3) = 0").has_value());
  CHECK_FALSE(parse_strace_line("7 99999999999:1.5 close(3) = 0").has_value());
  CHECK_FALSE(parse_strace_line("").has_value());
}

TEST_CASE("strace: a call that another line interrupts", "[import]") {
  const auto begun = parse_strace_line("7 1.5 recvfrom(3<pipe:[12]>,  <unfinished ...>");
  REQUIRE(begun.has_value());
  CHECK(begun->kind == StraceLineKind::unfinished);
  CHECK(begun->text == "3<pipe:[12]>,  ");
  const auto resumed = parse_strace_line(R"(7 1.6 <... recvfrom resumed>"+OK", 16384, 0, NULL, NULL) = 5 <0.000090>)");
  REQUIRE(resumed.has_value());
  CHECK(resumed->kind == StraceLineKind::resumed);
  CHECK(resumed->call == "recvfrom");
  const auto outcome = parse_outcome(std::string(begun->text) + std::string(resumed->text));
  REQUIRE(outcome.has_value());
  CHECK(outcome->result == 5);
  CHECK(outcome->duration_ns == 90'000);
}

TEST_CASE("strace: the ends of processes", "[import]") {
  CHECK(parse_strace_line("7 1.5 +++ exited with 3 +++")->code == 3);
  CHECK(parse_strace_line("7 1.5 +++ killed by SIGKILL +++")->code == 128 + 9);
  CHECK(parse_strace_line("7 1.5 --- SIGCHLD {si_signo=SIGCHLD} ---")->kind == StraceLineKind::other);
}

TEST_CASE("strace: what a call returned", "[import]") {
  CHECK(parse_outcome("3) = -1 EAGAIN (Resource temporarily unavailable)")->result == -1);
  CHECK(parse_outcome("6<TCP:[0.0.0.0:80]>, {sa_family=AF_INET}, [16]) = 8<TCP:[a:1->b:2]>")->result_note ==
        "<TCP:[a:1->b:2]>");
  CHECK_FALSE(parse_outcome("0)   = ?").has_value());
  CHECK_FALSE(parse_outcome("NULL, 4096, PROT_READ) = 0x7f00").has_value());
  CHECK_FALSE(parse_outcome("3, \"no end").has_value());
}

TEST_CASE("strace: descriptors of every sort", "[import]") {
  CHECK(parse_descriptor("3</etc/passwd>")->medium == ChannelMedium::unknown);
  CHECK(parse_descriptor("3<pipe:[151738]>")->remote == "151738");
  CHECK(parse_descriptor("3<UNIX-STREAM:[12->13, @\"/run/x, y]\"]>")->remote == "13");
  CHECK(parse_descriptor("3<TCPv6:[[::1]:80->[::1]:4000]>")->local == "[::1]:80");
  CHECK(parse_descriptor("3<TCP:[151741]>")->remote.empty());
  CHECK_FALSE(parse_descriptor("3").has_value());
  CHECK_FALSE(parse_descriptor("AT_FDCWD").has_value());
}

}  // namespace dpm
