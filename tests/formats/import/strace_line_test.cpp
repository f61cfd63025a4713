#include "formats/strace/strace_line.hpp"

#include "formats/strace/strace_text.hpp"
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
  CHECK(outcome->arguments[0] == "8<TCP:[127.0.0.1:7733->127.0.0.1:40854]>");
  CHECK(outcome->arguments[2] == "16384");
  CHECK(outcome->arguments[3].empty());
}

TEST_CASE("strace: the forms of a line's beginning", "[import]") {
  const std::tuple<std::string_view, std::uint32_t, StraceTimeKind, std::int64_t> forms[] = {
      {"1795690005.5 close(3) = 0", 0, StraceTimeKind::epoch, 1795690005500000000},
      {"1795690005 close(3) = 0", 0, StraceTimeKind::epoch, 1795690005000000000},
      {"[pid  8026] 1795690005.5 close(3) = 0", 8026, StraceTimeKind::epoch, 1795690005500000000},
      {"7 10:00:01.25 close(3) = 0", 7, StraceTimeKind::day, (10 * 3600 + 1) * 1'000'000'000LL + 250'000'000},
      {"7<my app> 10:00:01 close(3) = 0", 7, StraceTimeKind::seconds, (10 * 3600 + 1) * 1'000'000'000LL},
      {"7      0.000012 close(3) = 0", 7, StraceTimeKind::relative, 12'000},
      {"     0.000012 close(3) = 0", 0, StraceTimeKind::relative, 12'000},
      {"7 10:00:01 (+     0.000012) close(3) = 0", 7, StraceTimeKind::seconds, (10 * 3600 + 1) * 1'000'000'000LL},
      {"7 [x_t] 10:00:01 [ 3] [00007f51a2b3c4d5] close(3) = 0", 7, StraceTimeKind::seconds,
       (10 * 3600 + 1) * 1'000'000'000LL},
      {"close(3) = 0", 0, StraceTimeKind::none, 0},
      {"7 close(3)                                = 0\r", 7, StraceTimeKind::none, 0},
      {">  \t7 close(3) = ?", 7, StraceTimeKind::none, 0}};
  for (const auto& [text, tid, kind, time_ns] : forms) {
    CAPTURE(std::string(text));
    const auto line = parse_strace_line(text);
    REQUIRE(line.has_value());
    CHECK(line->tid == tid);
    CHECK(line->time == kind);
    CHECK(line->time_ns == time_ns);
    CHECK(line->call == "close");
  }
  for (const char* foreign :
       {"", "printf(x);", "a line of text", "7 99999999999:1.5 close(3)", "1.5 read me (please)"}) {
    CAPTURE(foreign);
    CHECK_FALSE(parse_strace_line(foreign).has_value());
  }
}

TEST_CASE("strace: a call that another line interrupts", "[import]") {
  const auto begun = parse_strace_line("7 1.5 recvfrom(3<pipe:[12]>,  <unfinished ...>\r");
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
  CHECK(parse_strace_line("7 1.5 +++ killed by SIGKILL (core dumped) +++")->code == 128 + 9);
  CHECK(parse_strace_line("7 1.5 +++ superseded by execve in pid 9 +++")->code == 9);
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

TEST_CASE("strace: fields are not looked for in what was sent", "[import]") {
  CHECK(number_behind(R"([{iov_base="msg_len=9\"msg_len=8", iov_len=11}], msg_len=11)", "msg_len=") == 11);
  CHECK_FALSE(number_behind(R"("si_pid=7")", "si_pid=").has_value());
  CHECK(has_flag("MSG_PEEK|MSG_DONTWAIT", "MSG_PEEK", 2));
  CHECK_FALSE(has_flag("MSG_PEEKING", "MSG_PEEK", 2));
  CHECK(has_flag("0x42", "MSG_PEEK", 2));
  CHECK_FALSE(has_flag("0x40", "MSG_PEEK", 2));
}

TEST_CASE("strace: strings and addresses", "[import]") {
  CHECK(first_string(R"(x"\x2f\x61\"\320\237\7b\n")") == "/a\"\xd0\x9f\ab\n");
  const std::pair<std::string_view, std::string_view> addresses[] = {
      {R"({sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("10.0.0.1")})", "10.0.0.1:80"},
      {R"({sa_family=AF_INET6, sin6_port=htons(80), inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0})",
       "[::1]:80"},
      {R"({sa_family=AF_INET6, sin6_port=htons(80), inet_pton(AF_INET6, "::ffff:10.0.0.1", &sin6_addr)})",
       "10.0.0.1:80"},
      {R"({sa_family=AF_UNIX, sun_path="/run/x"})", "/run/x"},
      {R"({sa_family=AF_UNIX, sun_path=@"x"})", "@x"},
      {R"({sa_family=AF_FILE, path="/dev/log"})", "/dev/log"},
      {"{sa_family=AF_NETLINK, nl_pid=0, nl_groups=00000000}", ""},
      {"NULL", ""}};
  for (const auto& [text, address] : addresses) CHECK(socket_address(text) == address);
}

}  // namespace dpm
