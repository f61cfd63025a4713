// What dpm sample says when it has found nothing.
#include "answers/sampling/chosen_processes.hpp"
#include "tests/support/catch.hpp"

namespace dpm::cli {
namespace {

using sampling::CountArray;
using sampling::Selection;

CountArray samples_without_threads() {
  CountArray counts({.source = std::string(sampling::kProcSource), .interval_ns = 123'000'000});
  counts.add({});
  return counts;
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("sample: an empty result says why, and what to try", "[sampling]") {
  const Selection session{.kind = Selection::Kind::session, .text = "session 7"};
  const Selection terminals{.kind = Selection::Kind::terminals, .text = "terminals"};
  CHECK(says(why_nothing_was_found(CountArray({.interval_ns = 123'000'000}), session), "after 0.123 s (-i takes"));
  CHECK(says(why_nothing_was_found(samples_without_threads(), session), "no process of session 7 was there ('ps -eo"));
  CHECK(says(why_nothing_was_found(samples_without_threads(), terminals), "('ps -eo tty"));
  CountArray refused = samples_without_threads();
  refused.account().unreadable = 3;
  CHECK(says(why_nothing_was_found(refused, session), "as their user or as root"));
  CountArray full = samples_without_threads();
  full.add({.virtual_processes = 1, .threads = {{.state = sampling::State::sleep}}});
  CHECK(why_nothing_was_found(full, session).empty());
}

}  // namespace
}  // namespace dpm::cli
