// What processes print, line by line.
#include "control/controller/output_lines.hpp"

#include "tests/support/catch.hpp"

namespace dpm::control {
namespace {

using Lines = std::vector<std::string>;

TEST_CASE("output comes line by line, however it is cut", "[controller]") {
  const std::string text = "one\ntwo\n\nfour\r\nfi";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    OutputLines output;
    Lines lines;
    for (std::size_t at = 0; at < text.size(); at += piece)
      for (auto& line : output.add(text.substr(at, piece))) lines.push_back(line);
    CHECK(lines == Lines{"one", "two", "", "four"});
    CHECK(output.has_pending());
    CHECK(output.flush() == Lines{"fi"});
    CHECK(output.flush().empty());
    CHECK(output.add("ve\n") == Lines{"ve"});
  }
}

TEST_CASE("a line that never ends is cut, and nothing of it is lost", "[controller]") {
  OutputLines output;
  std::string seen;
  const std::string text(3 * OutputLines::kLineBytesMax + 5, 'x');
  for (const auto& line : output.add(text)) {
    CHECK(line.size() == OutputLines::kLineBytesMax);
    seen += line;
  }
  for (const auto& line : output.flush()) seen += line;
  CHECK(seen == text);
}

}  // namespace
}  // namespace dpm::control
