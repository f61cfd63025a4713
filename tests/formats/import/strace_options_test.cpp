// One run of a small program, written as strace writes it under every combination of options: all logs say the same.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "tests/formats/import/imported_text.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

enum class Descriptors { plain, y, yy };
enum class Times { none, relative, seconds, day, epoch };
enum class Prefix { number, terminal, command };
enum class Extra {
  none,
  instruction,
  number,
  context,
  duration,
  carriage_return,
  indented,
  quoted,
  head,
  stack,
  hexadecimal,
  short_strings,
  raw
};

struct Options {
  Descriptors descriptors = Descriptors::yy;
  Times times = Times::epoch;
  Prefix prefix = Prefix::number;
  Extra extra = Extra::none;
};

// What a descriptor leads to, as -y and -yy print it.
struct Place {
  int number;
  std::string y, yy;
};

// A parent serves its child over TCP, and both talk through a pipe and a pair of UNIX sockets.
class Log {
 public:
  explicit Log(const Options& options) : options_(options) {
    if (options_.extra == Extra::head)
      for (int line = 0; line < 300; ++line)
        text_ += fmt::format("$ something else, line {} (it is long) = no\n", line);
  }

  std::string take() { return std::move(text_); }

  void call(int pid, const std::string& name, const std::string& arguments, const std::string& result) {
    line(pid, fmt::format("{}({}) = {}{}", name, arguments, result, duration()));
    stack();
  }
  void unfinished(int pid, const std::string& name, const std::string& arguments) {
    line(pid, fmt::format("{}({} <unfinished ...>", name, arguments));
    began_us_ = now_us_;
  }
  void resumed(int pid, const std::string& name, const std::string& rest, const std::string& result) {
    now_us_ += kStep_us;
    const std::string took =
        options_.extra == Extra::duration ? fmt::format(" <0.{:06}>", now_us_ - began_us_) : std::string();
    now_us_ -= kStep_us;
    line(pid, fmt::format("<... {} resumed>{}) = {}{}", name, rest, result, took));
    stack();
  }
  void ends(int pid) {
    line(pid, "exit_group(0) = ?");
    line(pid, "+++ exited with 0 +++");
    running_ -= 1;
  }
  void begins() { running_ += 1; }

  std::string at(const Place& place) const {
    switch (options_.descriptors) {
      case Descriptors::plain:
        return std::to_string(place.number);
      case Descriptors::y:
        return fmt::format("{}<{}>{}", place.number, place.y, context());
      case Descriptors::yy:
        return fmt::format("{}<{}>{}", place.number, place.yy, context());
    }
    return "";
  }
  std::string text(const std::string& plain) const {
    if (options_.extra == Extra::short_strings) return "\"\"...";
    return quoted(plain);
  }
  std::string quoted(const std::string& plain) const {
    if (options_.extra != Extra::hexadecimal) return '"' + plain + '"';
    std::string escaped;
    for (const char c : plain) escaped += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    return '"' + escaped + '"';
  }
  // A constant by its name, or with -X raw by its value.
  std::string constant(const std::string& name, const std::string& value) const {
    return options_.extra == Extra::raw ? value : name;
  }
  std::string context() const { return options_.extra == Extra::context ? " [system_u:object_r:x_t:s0]" : ""; }

 private:
  static constexpr std::int64_t kStep_us = 100;

  std::string duration() const { return options_.extra == Extra::duration ? " <0.000002>" : ""; }
  void stack() {
    if (options_.extra == Extra::stack)
      text_ += " > /usr/lib/libc.so.6(read+0x10) [0x10e1]\n > /usr/bin/app(main+0x5) [0x2]\n";
  }

  void line(int pid, const std::string& content) {
    now_us_ += kStep_us;
    std::string out;
    switch (options_.prefix) {
      case Prefix::number:
        out = fmt::format("{} ", pid);
        break;
      case Prefix::command:
        out = fmt::format("{}<app> ", pid);
        break;
      case Prefix::terminal:
        if (running_ > 1) out = fmt::format("[pid {:5}] ", pid);
        break;
    }
    if (options_.extra == Extra::context) out += "[unconfined_t] ";
    const std::int64_t second = 86'390 + now_us_ / 1'000'000, part = now_us_ % 1'000'000;
    const std::string day = fmt::format("{:02}:{:02}:{:02}", second / 3600 % 24, second / 60 % 60, second % 60);
    switch (options_.times) {
      case Times::none:
        break;
      case Times::relative:
        out += fmt::format("{:6}.{:06} ", 0, kStep_us);
        break;
      case Times::seconds:
        out += day + ' ';
        break;
      case Times::day:
        out += fmt::format("{}.{:06} ", day, part);
        break;
      case Times::epoch:
        out += fmt::format("{}.{:06} ", 1'700'000'000 + second, part);
        break;
    }
    if (options_.extra == Extra::number) out += "[ 221] ";
    if (options_.extra == Extra::instruction)
      out += content.starts_with('+') ? "[????????????????] " : "[00007f51a2b3c4d5] ";
    out += content;
    if (options_.extra == Extra::indented) out = "    " + out;
    if (options_.extra == Extra::quoted) out = "> " + out;
    text_ += out + (options_.extra == Extra::carriage_return ? "\r\n" : "\n");
  }

  Options options_;
  std::string text_;
  std::int64_t now_us_ = 0, began_us_ = 0;
  int running_ = 1;
};

std::string log_with(const Options& options) {
  const Place listening{3, "socket:[900]", "TCP:[127.0.0.1:8080]"}, unbound{3, "socket:[900]", "TCP:[900]"};
  const Place reading{4, "pipe:[77]", "pipe:[77]"}, writing{5, "pipe:[77]", "pipe:[77]"};
  const Place one{6, "socket:[501]", "UNIX-STREAM:[501->502]"}, other{7, "socket:[502]", "UNIX-STREAM:[502->501]"};
  const Place served{8, "socket:[903]", "TCP:[127.0.0.1:8080->127.0.0.1:5000]"};
  const Place asking{8, "socket:[902]", "TCP:[127.0.0.1:5000->127.0.0.1:8080]"},
      new_socket{8, "socket:[902]", "TCP:[902]"};
  const Place copy{11, "pipe:[77]", "pipe:[77]"};
  Log log(options);
  const std::string inet = log.constant("AF_INET", "0x2");
  const auto address = [&](int port) {
    return fmt::format("{{sa_family={}, sin_port=htons({}), sin_addr=inet_addr({})}}", inet, port,
                       log.quoted("127.0.0.1"));
  };
  const auto at = [&](const Place& place) { return log.at(place); };
  log.call(100, "execve", log.quoted("/usr/bin/app") + log.context() + ", [\"app\"], 0x7ffe /* 9 vars */", "0");
  log.call(100, "socket", fmt::format("{}, {}, 0", inet, log.constant("SOCK_STREAM|SOCK_CLOEXEC", "0x80001")),
           at(unbound));
  log.call(100, "bind", at(unbound) + ", " + address(8080) + ", 16", "0");
  log.call(100, "listen", at(listening) + ", 5", "0");
  log.call(100, "pipe2", fmt::format("[{}, {}], 0", at(reading), at(writing)), "0");
  log.call(100, "socketpair",
           fmt::format("{}, {}, 0, [{}, {}]", log.constant("AF_UNIX", "0x1"), log.constant("SOCK_STREAM", "0x1"),
                       at(one), at(other)),
           "0");
  log.call(100, "clone",
           "child_stack=NULL, flags=" + log.constant("CLONE_CHILD_SETTID|SIGCHLD", "0x1000011") + ", child_tidptr=0x7f",
           options.prefix == Prefix::command ? "101<app>" : "101");
  log.begins();
  log.call(101, "close", at(other), "0");
  log.call(101, "socket", fmt::format("{}, {}, 0", inet, log.constant("SOCK_STREAM", "0x1")), at(new_socket));
  log.unfinished(100, "accept", at(listening) + ", ");
  log.call(101, "connect", at(new_socket) + ", " + address(8080) + ", 16", "0");
  log.resumed(100, "accept", address(5000) + ", [16]", at(served));
  log.unfinished(100, "read", at(served) + ", ");
  log.call(101, "write", fmt::format("{}, {}, 14", at(asking), log.text("GET / msg_len=9")), "14");
  log.resumed(100, "read", log.text("GET / msg_len=9") + ", 4096", "14");
  log.call(100, "sendmsg",
           fmt::format("{}, {{msg_name=NULL, msg_namelen=0, msg_iov=[{{iov_base={}, iov_len=6}}], msg_iovlen=1, "
                       "msg_controllen=0, msg_flags=0}}, 0",
                       at(served), log.text("answer")),
           "6");
  log.call(101, "recvfrom", fmt::format("{}, {}, 64, MSG_PEEK, NULL, NULL", at(asking), log.text("answer")), "6");
  log.call(101, "recvfrom", fmt::format("{}, {}, 64, 0, NULL, NULL", at(asking), log.text("answer")), "6");
  log.call(101, "dup2", at(writing) + ", 11", at(copy));
  log.call(101, "close", at(writing), "0");
  log.call(101, "write", fmt::format("{}, {}, 10", at(copy), log.text("0123456789")), "10");
  log.call(100, "read", fmt::format("{}, {}, 64", at(reading), log.text("0123456789")), "10");
  log.call(100, "write", fmt::format("{}, {}, 3", at(other), log.text("ask")), "3");
  log.call(101, "read", fmt::format("{}, {}, 64", at(one), log.text("ask")), "3");
  log.ends(101);
  log.call(100, "wait4", "-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL",
           options.prefix == Prefix::command ? "101<app>" : "101");
  log.ends(100);
  return log.take();
}

const std::string kExpected =
    "app EXEC\n"
    "app CREATEPROCESS app#2\n"
    "app ACCEPT\n"
    "app RECEIVECALL\n"
    "app#2 SEND 14 bytes\n"
    "app RECEIVE 14 bytes\n"
    "app SEND 6 bytes\n"
    "app#2 RECEIVECALL\n"
    "app#2 RECEIVECALL\n"
    "app#2 RECEIVE 6 bytes\n"
    "app#2 SEND 10 bytes\n"
    "app RECEIVECALL\n"
    "app RECEIVE 10 bytes\n"
    "app SEND 3 bytes\n"
    "app#2 RECEIVECALL\n"
    "app#2 RECEIVE 3 bytes\n"
    "app#2 DESTROYPROCESS app#2 0\n"
    "app WAIT app#2\n"
    "app DESTROYPROCESS app 0\n";

TEST_CASE("strace: every combination of options tells the same run", "[import]") {
  char folder[] = "/tmp/dpm-strace-options-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  for (const auto descriptors : {Descriptors::plain, Descriptors::y, Descriptors::yy})
    for (const auto times : {Times::none, Times::relative, Times::seconds, Times::day, Times::epoch})
      for (const auto prefix : {Prefix::number, Prefix::terminal, Prefix::command})
        for (int extra = 0; extra <= static_cast<int>(Extra::raw); ++extra) {
          const Options options{descriptors, times, prefix, static_cast<Extra>(extra)};
          const std::string path = file_of(folder, "log", log_with(options));
          CAPTURE(static_cast<int>(descriptors), static_cast<int>(times), static_cast<int>(prefix), extra);
          const ImportedRecording imported = import_recording_at(path);
          CHECK(imported.refused == "");
          CHECK(imported.format == "strace");
          CHECK(imported.events.text(false) == kExpected);
          // Both ends of each message are on one channel.
          for (const Event& sent : imported.events.events()) {
            if (sent.type != EventType::send) continue;
            const auto& all = imported.events.events();
            CHECK(std::count_if(all.begin(), all.end(), [&](const Event& event) {
                    return event.type == EventType::receive && event.channel == sent.channel &&
                           event.sequence == sent.sequence;
                  }) == 1);
          }
        }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dpm
