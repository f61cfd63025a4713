#include "answers/results/prediction_results.hpp"

#include <fmt/format.h>

#include <sstream>

#include "tests/support/catch.hpp"
#include "text/characters.hpp"

namespace dpm::cli {
namespace {

using Catch::Contains;

// 25 rows, in the order of find_gains(): most elapsed time saved first, those that reorder last.
Prediction with_gains(bool largest_reorders) {
  Prediction prediction;
  prediction.placement = "unequal";
  prediction.sensitivity.emplace();
  auto& gains = prediction.sensitivity->gains.gains;
  for (int i = 0; i < 22; ++i)
    gains.push_back({Gain::Of::process, fmt::format("small_{}", i), "", 1, -.00002 * (22 - i), 0, i == 21});
  gains.push_back({Gain::Of::process, "saves", "", 1, -.005, 0, largest_reorders});
  gains.push_back({Gain::Of::process, "tokens", "", 1, -.003, 0, largest_reorders});
  gains.push_back({Gain::Of::process, "lengthens", "", 1, .07, 0, largest_reorders});
  return prediction;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string shown(const Prediction& prediction, int width) { return prediction_text({prediction}, {}, {}, {}, width); }

TEST_CASE("sensitivity: the rows that change the elapsed time most come first, and what is left out is smaller",
          "[cli]") {
  const std::string text = shown(with_gains(true), 80);
  const auto at = [&](const std::string& what) { return text.find(what); };
  CHECK(at("lengthens *") < at("saves *"));
  CHECK(at("saves *") < at("tokens *"));
  CHECK(at("tokens *") < at("small_0 "));
  CHECK_THAT(text, Contains("small_16 ") && !Contains("small_17 ") && Contains("\nand 5 smaller ones\n"));
}

TEST_CASE("sensitivity: the star is explained if a row that is shown has one", "[cli]") {
  CHECK_THAT(shown(with_gains(true), 100), Contains("\n* more than the time saved"));
  CHECK_THAT(shown(with_gains(false), 100), !Contains("*"));
}

TEST_CASE("sensitivity: rows that were not tried do not count as smaller ones", "[cli]") {
  Prediction prediction = with_gains(true);
  prediction.sensitivity->gains.left_out = 30;
  CHECK_THAT(shown(prediction, 100), Contains("\nand 5 smaller ones\n") &&
                                         Contains("\nnot tried: 30 with less CPU time or delays than others of"));
}

TEST_CASE("sensitivity: its sentences fit the terminal", "[cli]") {
  for (const int width : {40, 60, 80, 100})
    for (const auto& line : lines_of(shown(with_gains(true), width)))
      CHECK(character_count(line) <= static_cast<std::size_t>(width));
}

// The first column of the table of predictions that have these names.
std::vector<std::string> names_shown(const std::vector<std::string>& names, const std::vector<std::string>& files) {
  std::vector<Prediction> predictions(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) predictions[i].placement = names[i];
  std::vector<std::string> shown;
  for (const auto& line : lines_of(prediction_text(predictions, files, {}, {}, 200)))
    shown.push_back(line.substr(0, line.find("  ")));
  shown.erase(shown.begin());
  return shown;
}

TEST_CASE("predictions: files in one folder are told apart by their own names", "[cli]") {
  using Names = std::vector<std::string>;
  const auto of_files = [](const Names& files) { return names_shown(files, files); };
  CHECK(of_files({"shop/out/one-box.json", "shop/out/one-door.json"}) == Names{"one-box.json", "one-door.json"});
  CHECK(of_files({"shop/a/x.json", "shop/b/x.json"}) == Names{"a/x.json", "b/x.json"});
  CHECK(of_files({"a/x.json", "b/x.json"}) == Names{"a/x.json", "b/x.json"});
  CHECK(of_files({"/a/x.json", "/a/x/y.json"}) == Names{"x.json", "x/y.json"});
  CHECK(of_files({"shop/out/one-box.json"}) == Names{"one-box.json"});
  CHECK(of_files({"a/x.json", "a/x.json"}) == Names{"x.json", "x.json"});
}

TEST_CASE("predictions: a name is not a path", "[cli]") {
  using Names = std::vector<std::string>;
  CHECK(names_shown({"24/7"}, {"shop/out/always.json"}) == Names{"24/7"});
  CHECK(names_shown({""}, {}) == Names{"as traced"});
  CHECK(names_shown({"out/24/5.json", "out/24/7"}, {"out/24/5.json", "out/always.json"}) ==
        Names{"5.json", "out/24/7"});
}

}  // namespace
}  // namespace dpm::cli
