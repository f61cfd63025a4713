
#include "text/text_table.hpp"

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <sstream>

#include "tests/support/catch.hpp"
#include "text/number_text.hpp"
#include "text/printable.hpp"
#include "text/wrapped.hpp"

namespace dpm::cli {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t characters(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

TEST_CASE("text table: rows beyond the limit are counted, and the option that shows them is named", "[cli]") {
  TextTable table({"process", ">sent"}, {2});
  for (int i = 0; i < 1992; ++i) table.add_row({"p", std::to_string(i)});
  const auto lines = lines_of(table.to_text(80));
  REQUIRE(lines.size() == 4);
  CHECK(lines[3] == "and 1,990 more (--all shows them)");
  TextTable whole({"process", ">sent"}, {2});
  whole.add_row({"p", "1"});
  whole.add_row({"q", "1"});
  CHECK(lines_of(whole.to_text(80)).size() == 3);
}

TEST_CASE("text table: numbers stand to the right, words to the left, and no line ends in blanks", "[cli]") {
  TextTable table({"who", ">many", "where"});
  table.add_row({"a", "7", "red"});
  table.add_row({"bcde", "1234567", ""});
  CHECK(table.to_text(80) ==
        "who      many  where\n"
        "a           7  red\n"
        "bcde  1234567\n");
}

TEST_CASE("text table: the widest words are cut until it fits, numbers never are", "[cli]") {
  TextTable table({"process", ">bytes", "machine"});
  table.add_row({std::string(50, 'p'), "12345678901234567890", std::string(30, 'm')});
  const auto lines = lines_of(table.to_text(60));
  REQUIRE(lines.size() == 2);
  CHECK(characters(lines[1]) == 60);
  CHECK_THAT(lines[1], Catch::Contains("12345678901234567890") && Catch::Contains("p…p") && Catch::Contains("m…m"));
}

TEST_CASE("text table: headings take several lines before a word is cut", "[cli]") {
  TextTable table({"process", ">of them sent far away", ">n"});
  table.add_row({"disk_interface", "12", "3"});
  CHECK(table.to_text(23) ==
        "                  of\n"
        "                them\n"
        "                sent\n"
        "                 far\n"
        "process         away  n\n"
        "disk_interface    12  3\n");
}

TEST_CASE("text table: sentences break at spaces and keep all their words, before any word is cut", "[cli]") {
  TextTable table({"order", "~of", "~because they"});
  table.add_row(
      {"batches", "hub", "answer several requests at once, 353 times: the sizes of batches there are unknown"});
  table.add_row({"any", "reader_1, reader_2 and 7 more", "wait"});
  table.add_row({"none", "", ""});
  CHECK(table.to_text(46) ==
        "order    of                 because they\n"
        "batches  hub                answer several\n"
        "                            requests at once,\n"
        "                            353 times: the\n"
        "                            sizes of batches\n"
        "                            there are unknown\n"
        "any      reader_1,          wait\n"
        "         reader_2 and 7\n"
        "         more\n"
        "none\n");
}

TEST_CASE("text table: in any width, sentences lose no word that is not longer than its column", "[cli]") {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> words;
    std::string sentence;
    for (auto n = 1 + random() % 30; n > 0; --n) {
      words.push_back(std::string(1 + random() % 9, static_cast<char>('a' + random() % 26)));
      sentence += (sentence.empty() ? "" : " ") + words.back();
    }
    TextTable table({">n", "~why"});
    table.add_row({"1", sentence});
    std::vector<std::string> shown;
    const auto lines = lines_of(table.to_text(12 + static_cast<int>(random() % 90)));
    for (std::size_t i = 1; i < lines.size(); ++i) {
      std::istringstream line(lines[i]);
      for (std::string word; line >> word;)
        if (word != "1") shown.push_back(word);
    }
    REQUIRE(shown == words);
  }
}

TEST_CASE("text table: columns that do not fit stand in parts, each with what its rows are about", "[cli]") {
  TextTable table({"name", ">a", ">b", ">c"});
  table.add_row({"x", "1111111", "2222222", "3333333"});
  table.add_row({"y", "4", "5", "6"});
  CHECK(table.to_text(24) ==
        "name        a        b\n"
        "x     1111111  2222222\n"
        "y           4        5\n"
        "\n"
        "name        c\n"
        "x     3333333\n"
        "y           6\n");
}

TEST_CASE("text table: each part has all columns that name its rows", "[cli]") {
  TextTable table({"from", "to", ">a", ">b"}, {}, 2);
  table.add_row({"x", "y", "1111111", "2222222"});
  table.add_row({"x", "z", "3", "4"});
  CHECK(table.to_text(20) ==
        "from  to        a\n"
        "x     y   1111111\n"
        "x     z         3\n"
        "\n"
        "from  to        b\n"
        "x     y   2222222\n"
        "x     z         4\n");
}

TEST_CASE("text table: a table of numbers alone is wider than asked rather than wrong", "[cli]") {
  TextTable table({">a", ">b"});
  table.add_row({"1111111111", "2222222222"});
  CHECK(lines_of(table.to_text(10))[1] == "1111111111  2222222222");
}

TEST_CASE("text table: characters count, not bytes", "[cli]") {
  TextTable table({"name", ">n"});
  table.add_row({"Grüße", "1"});
  table.add_row({"plain", "2"});
  CHECK(table.to_text(80) ==
        "name   n\n"
        "Grüße  1\n"
        "plain  2\n");
  TextTable cut({"name"});
  cut.add_row({"ÄÖÜäöüßÄÖÜäöüß"});
  CHECK(lines_of(cut.to_text(10))[1] == "ÄÖÜäö…äöüß");
}

TEST_CASE("text table: names that differ in their ends alone stay apart", "[cli]") {
  TextTable table({"process", ">n"});
  for (const char* end : {"1", "2", "17"}) table.add_row({"a_service_of_the_gateway-worker-" + std::string(end), "1"});
  for (const int width : {14, 20, 30}) {
    const auto lines = lines_of(table.to_text(width));
    CHECK(std::set<std::string>(lines.begin(), lines.end()).size() == 4);
    for (const auto& line : lines) CHECK(characters(line) <= static_cast<std::size_t>(width));
  }
}

TEST_CASE("text: a line is broken between words, and what is in it stays", "[cli]") {
  const std::string line =
      "  warning: 1 message within the server follows from no request, and came before the trace began";
  for (const std::size_t width : {30u, 45u, 200u}) {
    std::istringstream broken(broken_line(line, width)), words(line);
    std::string all;
    for (std::string part; std::getline(broken, part);) {
      CHECK(characters(part) <= width);
      CHECK(part.starts_with("  "));
      all += part + ' ';
    }
    std::istringstream kept(all);
    CHECK(std::equal(std::istream_iterator<std::string>(kept), {}, std::istream_iterator<std::string>(words), {}));
  }
}

TEST_CASE("text table: any names fit in any width in which their numbers do", "[cli]") {
  std::mt19937 random(7);
  const std::vector<std::string> letters = {"a", "ü", "€", "\x1b", "\n", "\xff", "日", " ", "\xc2\x9b"};
  for (int round = 0; round < 500; ++round) {
    TextTable table({"from", "to", ">count"});
    for (int row = 0; row < 4; ++row) {
      std::string from, to;
      for (auto n = random() % 60; n > 0; --n) from += letters[random() % letters.size()];
      for (auto n = random() % 60; n > 0; --n) to += letters[random() % letters.size()];
      table.add_row({from, to, std::to_string(random())});
    }
    const int width = 35 + static_cast<int>(random() % 80);
    const auto lines = lines_of(table.to_text(width));
    REQUIRE(lines.size() == 5);
    for (const auto& line : lines) {
      REQUIRE(characters(line) <= static_cast<std::size_t>(width));
      REQUIRE(std::none_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
    }
  }
}

TEST_CASE("wrapped: lines break at spaces, a longer word has a line of its own, and a number keeps its %", "[cli]") {
  using Lines = std::vector<std::string>;
  CHECK(wrapped("with 10 % longer delays", 7) == Lines{"with", "10 %", "longer", "delays"});
  CHECK(wrapped("to incomprehensibilities, a word", 8) == Lines{"to", "incomprehensibilities,", "a word"});
  CHECK(wrapped("CPU time of hub *", 11) == Lines{"CPU time of", "hub *"});
  CHECK(wrapped("Grüße an", 8) == Lines{"Grüße an"});
  CHECK(wrapped("  ", 8).empty());
}

TEST_CASE("printable: control characters and broken UTF-8 are shown, everything else is left alone", "[cli]") {
  CHECK(printable("office 日本 Grüße €") == "office 日本 Grüße €");
  CHECK(printable("\x1b[31m\a\x7f") == "\\x1b[31m\\x07\\x7f");
  CHECK(printable("a\nb\tc") == "a\\x0ab\\x09c");
  CHECK(printable_lines("a\nb\tc") == "a\nb\\x09c");
  CHECK(printable("\xc2\x9b"
                  "31m") ==
        "\\xc2\\x9b"
        "31m");
  CHECK(printable("\xff\xe2\x82") == "\\xff\\xe2\\x82");
  CHECK(printable("").empty());
  CHECK(printable("a\u202Etxt.exe\u202C") == "a\\xe2\\x80\\xaetxt.exe\\xe2\\x80\\xac");
  CHECK(printable("\u2066\uFEFF\U000E0041") == "\\xe2\\x81\\xa6\\xef\\xbb\\xbf\\xf3\\xa0\\x81\\x81");
  CHECK(printable("می\u200Cخواهم 👩\u200D💻") == "می\u200Cخواهم 👩\u200D💻");
}

TEST_CASE("numbers: seconds take the unit that suits, percents have no sign of nothing", "[cli]") {
  CHECK(seconds_text(0) == "0 s");
  CHECK(seconds_text(2.5e-8) == "25 ns");
  CHECK(seconds_text(0.0123) == "12.30 ms");
  CHECK(seconds_text(-12.3) == "-12.30 s");
  CHECK(signed_percent(-0.00001, 2) == "0.00 %");
  CHECK(signed_percent(0.003, 2) == "+0.30 %");
  CHECK(signed_percent(-0.012, 2) == "-1.20 %");
}

}  // namespace
}  // namespace dpm::cli
