// How much of what processes print is shown, and that the rest is counted.
#include "control/controller/process_output.hpp"

#include <algorithm>
#include <random>

#include "control/controller/backlog.hpp"
#include "control/controller/user_files.hpp"
#include "tests/support/catch.hpp"

namespace dpm::control {
namespace {

using Clock = ProcessOutput::Clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kAnyRoom = Backlog::kBytesMax;
constexpr auto kBegin = Clock::time_point(seconds(1000));

// Adds up what is shown and what is not.
struct Sum {
  void add(const ProcessOutput::Shown& shown) {
    for (const auto& line : shown.lines) bytes += line.size() + 1;
    lines += shown.lines.size();
    cut_bytes += shown.cut_bytes;
    cut_lines += shown.cut_lines;
  }
  std::uint64_t bytes = 0, lines = 0, cut_bytes = 0, cut_lines = 0;
};

std::string lines_of(std::size_t bytes) {
  std::string text;
  for (unsigned i = 0; text.size() < bytes; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST_CASE("output: what a program prints at once is shown", "[controller]") {
  ProcessOutput output;
  const std::string text = lines_of(ProcessOutput::kBurstBytes / 2);
  Sum sum;
  for (std::size_t at = 0; at < text.size(); at += 1000)
    sum.add(output.add(text.substr(at, 1000), 3, kAnyRoom, kBegin));
  CHECK(sum.bytes == text.size());
  CHECK(sum.cut_bytes == 0);
}

TEST_CASE("output: a process that prints without end is cut, and every byte is shown or counted", "[controller]") {
  std::mt19937 random(1);
  ProcessOutput output;
  Sum sum;
  std::uint64_t printed = 0, printed_lines = 0;
  auto now = kBegin;
  constexpr int kMinutes = 10;
  while (now < kBegin + std::chrono::minutes(kMinutes)) {
    std::string piece;
    for (std::size_t size = random() % 20000; piece.size() < size;) piece += random() % 7 == 0 ? '\n' : 'x';
    printed += piece.size();
    printed_lines += static_cast<std::uint64_t>(std::count(piece.begin(), piece.end(), '\n'));
    sum.add(output.add(piece, 5, kAnyRoom, now));
    now += milliseconds(random() % 10);
  }
  sum.add(output.add("\n", 5, kAnyRoom, now + seconds(100)));
  sum.add(output.flush());
  CHECK(sum.bytes + sum.cut_bytes == printed + 1);
  CHECK(sum.lines + sum.cut_lines == printed_lines + 1);
  const auto room =
      static_cast<std::uint64_t>(ProcessOutput::kBurstBytes + 60 * kMinutes * ProcessOutput::kBytesPerSecond);
  CHECK(sum.bytes < room);
  CHECK(sum.bytes > room / 4);  // the marks take a part
}

TEST_CASE("output: lines are shown again a moment after a cut, from the beginning of a line", "[controller]") {
  ProcessOutput output;
  const std::string much = lines_of(2 * ProcessOutput::kBurstBytes);
  const auto shown = output.add(much, 0, kAnyRoom, kBegin);
  CHECK_FALSE(shown.lines.empty());
  CHECK(shown.cut_bytes == 0);  // is shown later
  CHECK(output.has_pending());
  CHECK(output.add("cut too\nand the first half ", 0, kAnyRoom, kBegin + milliseconds(500)).lines.empty());
  const auto later = output.add("of a line\nshown\n", 0, kAnyRoom, kBegin + seconds(2));
  CHECK(later.lines == std::vector<std::string>{"shown"});
  CHECK(later.cut_bytes > 0);
  CHECK(later.cut_lines > 1);
  CHECK_FALSE(output.has_pending());
}

TEST_CASE("output: the count is shown when the process has fallen silent", "[controller]") {
  ProcessOutput output;
  (void)output.add(lines_of(2 * ProcessOutput::kBurstBytes), 0, kAnyRoom, kBegin);
  CHECK_FALSE(output.is_late(kBegin + milliseconds(100)));
  REQUIRE(output.is_late(kBegin + ProcessOutput::kShownAfter));
  const auto shown = output.flush();
  CHECK(shown.cut_bytes > 0);
  CHECK_FALSE(output.is_late(kBegin + seconds(10)));
}

TEST_CASE("output: nothing is shown while the backlog has no room, and everything in a file", "[controller]") {
  ProcessOutput output;
  CHECK(output.add("one\n", 0, 0, kBegin).lines.empty());
  const auto shown = output.add_all("two\n", kBegin + milliseconds(1));
  CHECK(shown.cut_lines == 1);
  CHECK(shown.lines == std::vector<std::string>{"two"});
  const std::string much = lines_of(4 * ProcessOutput::kBurstBytes);
  const auto all = output.add_all(much, kBegin + milliseconds(2));
  CHECK(all.cut_bytes == 0);
  CHECK(static_cast<std::ptrdiff_t>(all.lines.size()) == std::count(much.begin(), much.end(), '\n'));
}

TEST_CASE("getlog: a part of the disk stays free", "[controller]") {
  CHECK(bytes_left_free(100'000'000) == 5'000'000);
  CHECK(bytes_left_free(std::uint64_t{1} << 40) == std::uint64_t{1} << 30);
  CHECK(bytes_left_free(0) == 0);
}

TEST_CASE("backlog: lines come in order, in parts, with their marks", "[controller]") {
  Backlog backlog;
  CHECK(backlog.take(100).empty());
  backlog.add("A: ", {"one", "", "three"});
  backlog.add("", {"  DONE: of a reason\nin two lines"});
  CHECK(backlog.take(1) == Lines{"A: one"});
  CHECK(backlog.take(8) == Lines{"A: ", "A: three"});
  CHECK_FALSE(backlog.empty());
  CHECK(backlog.take(1000) == Lines{"  DONE: of a reason^Jin two lines"});
  CHECK(backlog.empty());
  CHECK(backlog.room() == Backlog::kBytesMax);
}

TEST_CASE("backlog: is full at its bound", "[controller]") {
  Backlog backlog;
  const std::string line(1000, 'x');
  while (!backlog.is_full()) backlog.add("mark ", {line});
  CHECK(backlog.room() == 0);
  while (!backlog.take(4096).empty()) {
  }
  CHECK(backlog.room() == Backlog::kBytesMax);
}

}  // namespace
}  // namespace dpm::control
