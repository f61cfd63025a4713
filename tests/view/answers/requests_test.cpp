// The table of requests: its types, what follows from it in other files, and how values are compared with it.
#include "view/answers/requests.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/view/answers/requests_script.hpp"

using namespace dpm;
using namespace dpm::view;

namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The same text, or with DPM_BLESS the file is written.
void check_file(const std::filesystem::path& path, const std::string& wanted) {
  if (std::getenv("DPM_BLESS") != nullptr) {
    std::ofstream(path, std::ios::binary) << wanted;
    return;
  }
  INFO(path << " does not follow from view/answers/request_table.hpp; DPM_BLESS=1 on this test writes it");
  CHECK(read(path) == wanted);
}

std::string why_not(std::string_view type, const Json& value) {
  return misfit(Field{"x", type}, type, value, "x").value_or("");
}

// The names in a type that are not of JSON or of an array.
void check_known(std::string_view type) {
  static const std::set<std::string_view> kSingle = {"unknown", "null",      "string", "boolean", "true", "false",
                                                     "number",  "ProcessId", "f64",    "f32",     "u32",  "u8"};
  INFO("the type " << type);
  for (std::string_view one : alternatives_of(type)) {
    if (one.ends_with("[]")) {
      check_known(one.starts_with('(') ? one.substr(1, one.size() - 4) : one.substr(0, one.size() - 2));
    } else if (one.starts_with("Record<string, ")) {
      check_known(one.substr(15, one.size() - 16));
    } else {
      CHECK((one.starts_with('\'') || kSingle.contains(one) || find_structure(one) != nullptr));
    }
  }
}

}  // namespace

TEST_CASE("requests: each type in the table is known, and each structure is used", "[answers]") {
  std::string all_types;
  for (const Structure& structure : kStructures)
    for (const Field& field : structure.fields) {
      check_known(field.type);
      all_types += " " + std::string(field.type) + " ";
    }
  for (const Request& request : kRequests) {
    check_known(request.answer);
    all_types += " " + std::string(request.answer) + " ";
    for (const Field& parameter : request.parameters) {
      check_known(parameter.type);
      all_types += " " + std::string(parameter.type) + " ";
      CHECK_FALSE(parameter.says.empty());
    }
  }
  for (const Structure& structure : kStructures)
    if (structure.name != "Computing" && structure.name != "Stamped")
      CHECK(all_types.find(structure.name) != std::string::npos);
}

TEST_CASE("requests: the types of the page's script follow from the table", "[answers]") {
  check_file(source_root() / "view/page/source/requests.ts", test::requests_script());
}

TEST_CASE("requests: the list in docs/live-page.md follows from the table", "[answers]") {
  const auto path = source_root() / "docs/live-page.md";
  const std::string text = read(path), first = "<!-- requests -->\n", last = "<!-- /requests -->";
  const auto begin = text.find(first), end = text.find(last);
  REQUIRE((begin != std::string::npos && end != std::string::npos));
  check_file(path,
             text.substr(0, begin) + first + test::request_rows() + "\n" + test::parameter_rows() + text.substr(end));
}

TEST_CASE("requests: a value has its type or there is a sentence", "[answers]") {
  CHECK(why_not("number | null", nullptr).empty());
  CHECK(why_not("number | null", 1.5).empty());
  CHECK(why_not("number | null", "a") == "'x' must be a number");
  CHECK(why_not("(number | null)[]", {1, nullptr}).empty());
  CHECK(why_not("(number | null)[]", {1, true}) == "'x[1]' must be a number");
  CHECK(why_not("Record<string, number>", {{"a", 1}}).empty());
  CHECK(why_not("Record<string, number>", {{"a", "b"}}) == "'x.a' must be a number");
  CHECK(why_not("'a' | 'b' | 'c'", "b").empty());
  CHECK(why_not("'a' | 'b' | 'c'", 5) == R"('x' must be "a", "b" or "c")");
  CHECK(why_not("Loss", {{"reason", "r"}, {"events", 1}}).empty());
  CHECK(why_not("Loss", {{"reason", "r"}}) == "'x.events' is missing");
  CHECK(why_not("Loss", {{"reason", "r"}, {"events", 1}, {"event", 1}}) ==
        "there is no 'x.event' here (did you mean 'events'?)");
  CHECK(why_not("MeasuredQueue | UnmeasuredQueue", {{"process", "p"}, {"measured", false}, {"received", 0}}).empty());
  CHECK(why_not("true", true).empty());
  CHECK(why_not("true", false) == "'x' must be true");
  CHECK(why_not("ProcessId", 4294967294u).empty());
  CHECK(why_not("ProcessId", -1) == "there is no process -1");
  CHECK(why_not("unknown", {1, "a"}).empty());
}

TEST_CASE("requests: parameters are checked, and numbers that are missing stand in", "[answers]") {
  const auto read_of = [](const char* name, const Json& params) { return read_parameters({name, params}); };
  CHECK(read_of("overview", {{"to_s", 3}, {"threads", nullptr}}).value() ==
        Json{{"to_s", 3}, {"from_s", 0.}, {"width", 512.}});
  CHECK(read_of("describe", nullptr).value() == Json::object());
  CHECK(read_of("series", Json::object()).error().what ==
        R"('of' is missing: [{"what": "messages", "from": 0, "to": 1}])");
  CHECK(read_of("series", {{"of", {{{"what", "nothing"}}}}}).error().what.starts_with("'of[0].what' must be \"cpu\""));
  CHECK(read_of("describe", {{"from_s", 0}}).error().what == "there is no 'from_s' here");
}
