// Lists of the event types that are kept by hand, because C, Python and description files cannot include the model's. The next
// type must get into each of them.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>

#include "model/event_type.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_tree.hpp"

namespace dpm {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(source_root() / path);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

// What the pattern finds in the file: a name and a number, which a list without numbers counts from 0.
std::map<std::string, unsigned> entries_of(const std::string& text, const std::regex& pattern) {
  std::map<std::string, unsigned> entries;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    const std::string number = at->size() > 2 ? (*at)[2].str() : std::to_string(entries.size());
    entries[(*at)[1]] = static_cast<unsigned>(std::stoul(number));
  }
  return entries;
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const auto from = text.find(begin);
  REQUIRE(from != std::string::npos);
  return text.substr(from, text.find(end, from) - from);
}

struct List {
  const char* what;
  std::map<std::string, unsigned> entries;
  unsigned first;  // the number of the first type
};

std::vector<List> hand_kept_lists() {
  return {{"DPM_M_* of libdpm/setmeter.h",
           entries_of(text_of("libdpm/setmeter.h"), std::regex("DPM_M_(?!IMMEDIATE)([A-Z]+) = 1 << ([0-9]+)")), 0},
          {"kFlagNames of libdpm/setmeter.cpp",
           entries_of(between(text_of("libdpm/setmeter.cpp"), "kFlagNames[] =", "};"), std::regex("\"([a-z]+)\"")), 0},
          {"MeterFlags of libdpm/python/dpm_monitor.py",
           entries_of(between(text_of("libdpm/python/dpm_monitor.py"), "class MeterFlags", "\n\n\n"),
                      std::regex("\n    (?!IMMEDIATE)([A-Z]+) = 1 << ([0-9]+)")),
           0},
          {"filter/descriptions/dpm.desc",
           entries_of(text_of("filter/descriptions/dpm.desc"), std::regex("\n([A-Z]+) ([0-9]+),")), 1}};
}

}  // namespace

TEST_CASE("event types: every list that is kept by hand has each type, under a name of it, at its place", "[model]") {
  for (const List& list : hand_kept_lists()) {
    INFO(list.what);
    CHECK(list.entries.size() == kEventTypes.size());
    for (const auto& [name, number] : list.entries) {
      INFO(name);
      const auto type = event_type_from_name(name);
      REQUIRE(type.has_value());
      CHECK(number == static_cast<unsigned>(*type) - 1 + list.first);
    }
  }
}

TEST_CASE("event types: 'all' of libdpm is all of them, in C and in Python", "[model]") {
  const std::string all = "ALL = (1 << " + std::to_string(kEventTypes.size()) + ") - 1";
  CHECK(text_of("libdpm/setmeter.h").find("DPM_M_" + all) != std::string::npos);
  CHECK(text_of("libdpm/python/dpm_monitor.py").find("    " + all) != std::string::npos);
}

TEST_CASE("event types: their numbers are dense, so that tables by number have no holes", "[model]") {
  for (std::size_t i = 0; i < kEventTypes.size(); ++i) CHECK(static_cast<std::size_t>(kEventTypes[i]) == i + 1);
}

}  // namespace dpm
