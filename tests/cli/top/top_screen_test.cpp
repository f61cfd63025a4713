// Screens of dpm top: of every size, with hostile names, by every key; and rates against differences by hand.
#include "cli/top/top_screen.hpp"

#include <algorithm>

#include "cli/top/columns.hpp"
#include "cli/top/curve_text.hpp"
#include "tests/support/catch.hpp"
#include "text/characters.hpp"

using namespace dpm;
using namespace dpm::cli;
using view::Key;

namespace {

ProcessRates process(std::uint32_t number, const std::string& name, double cpu, double sent) {
  ProcessRates row;
  row.process = {number};
  row.name = name;
  row.machine = "red";
  row.rates = {.cpu = cpu, .sent = sent, .sent_bytes = sent * 10, .received = sent / 2, .received_bytes = 5};
  return row;
}

TopNumbers numbers_of(std::size_t processes) {
  TopNumbers numbers;
  numbers.elapsed_s = 12.5;
  numbers.period_s = 1;
  numbers.P = 1.25;
  numbers.ledger = {.seen = 100, .kept = 90, .filtered = 10, .lost = 0, .losses = {}, .warnings = {}};
  for (std::size_t i = 0; i < processes; ++i)
    numbers.processes.push_back(process(static_cast<std::uint32_t>(i), "worker_" + std::to_string(i),
                                        static_cast<double>(i) / static_cast<double>(processes),
                                        100. * static_cast<double>(processes - i)));
  numbers.all.sent = 50. * static_cast<double>(processes * (processes + 1));
  for (std::uint32_t i = 0; i + 1 < processes; ++i) numbers.pairs.push_back({{i}, {i + 1}, 12.5, 100});
  return numbers;
}

struct Shown {
  TopScreen screen{"out", true};
  TopHistory history;

  explicit Shown(const TopNumbers& numbers) { show(numbers); }
  void show(const TopNumbers& numbers) {
    history.add(numbers);
    screen.show(numbers, history);
  }
  Shown& press(const std::string& keys) {
    for (const char key : keys) CHECK(screen.press({Key::Kind::character, key}));
    return *this;
  }
  Shown& press(Key::Kind kind) {
    CHECK(screen.press({kind, 0}));
    return *this;
  }
  std::string text(view::ScreenSize size = {80, 24}) const {
    std::string all;
    for (const auto& line : screen.lines(size)) all += line.text + "\n";
    return all;
  }
  bool has(const std::string& text) const { return this->text().find(text) != std::string::npos; }
  // The names of the rows of the table, from the first on.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    const auto lines = screen.lines({80, 24});
    for (std::size_t i = 4; i + 1 < lines.size() && !lines[i].text.empty(); ++i)
      names.push_back(lines[i].text.substr(0, lines[i].text.find(' ')));
    return names;
  }
};

}  // namespace

TEST_CASE("top: a screen has its rows and columns, whatever is shown", "[top]") {
  for (const std::size_t processes : {0u, 1u, 7u, 1000u}) {
    Shown shown(numbers_of(processes));
    for (const std::string keys : {"", "2", "3", "h"}) {
      shown.press(keys);
      for (const view::ScreenSize size : {view::ScreenSize{80, 24}, {40, 10}, {200, 60}, {17, 6}, {1, 6}}) {
        const auto lines = shown.screen.lines(size);
        CHECK(lines.size() == static_cast<std::size_t>(size.rows));
        for (const auto& line : lines) CHECK(character_count(line.text) <= static_cast<std::size_t>(size.columns));
      }
    }
  }
}

TEST_CASE("top: names from a trace cannot control the terminal", "[top]") {
  TopNumbers numbers = numbers_of(2);
  numbers.processes[0].name = "\x1b[2J\nevil";
  numbers.processes[1].name = std::string(4096, 'x') + "\x9b\xff";
  Shown shown(numbers);
  for (const std::string keys : {"1", "2", "3"}) {
    const std::string text = shown.press(keys).text();
    CHECK(text.find("\\x1b[2J") != std::string::npos);
    CHECK(std::count(text.begin(), text.end(), '\n') == 24);
    CHECK(std::none_of(text.begin(), text.end(),
                       [](char c) { return c != '\n' && static_cast<unsigned char>(c) < ' '; }));
  }
}

TEST_CASE("top: rows are sorted by any column, filtered, turned and frozen", "[top]") {
  Shown shown(numbers_of(3));
  CHECK(shown.names() == std::vector<std::string>{"worker_2", "worker_1", "worker_0"});             // by CPU
  CHECK(shown.press("s").names() == std::vector<std::string>{"worker_0", "worker_1", "worker_2"});  // by messages sent
  CHECK(shown.press("r").names() == std::vector<std::string>{"worker_2", "worker_1", "worker_0"});
  CHECK(shown.press("/r_1").press(Key::Kind::enter).names() == std::vector<std::string>{"worker_1"});
  CHECK(shown.press("/q").has("name contains: q_"));
  CHECK(shown.press(Key::Kind::escape).names().size() == 3);
  shown.press("f").show(numbers_of(1));
  CHECK(shown.has("FROZEN"));
  CHECK(shown.names().size() == 3);
  shown.press(" ").show(numbers_of(1));
  CHECK(shown.names().size() == 1);
  shown.press(Key::Kind::page_down).press(Key::Kind::end).press(Key::Kind::down);
  CHECK(shown.names().size() == 1);
  CHECK_FALSE(shown.screen.press({Key::Kind::character, 'q'}));
  CHECK_FALSE(shown.screen.press({Key::Kind::interrupt, 0}));
}

TEST_CASE("top: all of a thousand rows can be reached", "[top]") {
  Shown shown(numbers_of(1000));
  std::vector<std::string> seen;
  for (int page = 0; page < 70; ++page, shown.press(Key::Kind::page_down))
    for (const auto& name : shown.names())
      if (std::find(seen.begin(), seen.end(), name) == seen.end()) seen.push_back(name);
  CHECK(seen.size() == 1000);
}

TEST_CASE("top: matrix and history show rates of the rows in view", "[top]") {
  Shown shown(numbers_of(3));
  shown.show(numbers_of(3));
  CHECK(shown.press("2").has("12.5"));
  // Each worker sends to the next one, and none to the first.
  CHECK_FALSE(shown.has("…"));  // there is room for whole names
  TopNumbers one = numbers_of(40);
  one.pairs = {{{39}, {3}, 77, 1}};
  Shown apart(one);
  CHECK(apart.press("2").has("77"));
  CHECK(shown.press("3").has("all"));
  CHECK(shown.has("600"));  // messages sent a second by all three
}

TEST_CASE("top: a process that is gone has no history", "[top]") {
  TopHistory history;
  TopNumbers numbers = numbers_of(2);
  history.add(numbers);
  numbers.processes[0].doing = Doing::ended;
  history.add(numbers);  // it did something in this period
  CHECK(history.of({0}).size() == 2);
  numbers.processes[0].rates = {};
  history.add(numbers);
  CHECK(history.of({0}).empty());
  CHECK(history.of({1}).size() == 3);
  CHECK(history.all().size() == 3);
}

TEST_CASE("top: a curve goes from zero to its greatest value", "[top]") {
  CHECK(curve_text({0, 1, 4, 8}, 10, true) == " ▁▄█");
  CHECK(curve_text({0, 1, 4, 8}, 10, false) == " .-#");
  CHECK(curve_text({9, 0, 2}, 2, false) == " #");
  CHECK(curve_text({0, 0}, 5, true) == "  ");
}

TEST_CASE("top: numbers are at most six characters", "[top]") {
  CHECK(short_number(0) == "0");
  CHECK(short_number(12.34) == "12.3");
  CHECK(short_number(9999) == "9999");
  CHECK(short_number(12345) == "12.3k");
  CHECK(short_number(4.56e9) == "4560M");
  double value = 1e-3;
  for (int i = 0; i < 35; ++i, value *= 3.7) CHECK(short_number(value).size() <= 6);
}
