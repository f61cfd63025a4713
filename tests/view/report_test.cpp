#include "view/report.hpp"

#include "tests/support/catch.hpp"
#include "tests/view/golden.hpp"
#include "tests/view/sample_report.hpp"

using namespace dpm;

TEST_CASE("view: a report with every figure is as it was blessed", "[view]") {
  testing::check_golden("report.html", view::render_report(testing::sample_report()));
}
