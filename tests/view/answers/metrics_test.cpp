#include "view/answers/metrics.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace dpm::view;

TEST_CASE("metrics: a family is its help, its type and its samples", "[answers]") {
  const MetricFamily family{"dpm_messages_total",
                            "Messages.",
                            MetricFamily::Type::counter,
                            {{{{"from", "a"}, {"to", "b"}}, 3}, {{{"from", "c"}}, 0.5}}};
  const MetricFamily plain{"dpm_p", "P.", MetricFamily::Type::gauge, {{{}, 1.25}}};
  const MetricFamily families[] = {family, plain};
  CHECK(prometheus_text(families) ==
        "# HELP dpm_messages_total Messages.\n# TYPE dpm_messages_total counter\n"
        "dpm_messages_total{from=\"a\",to=\"b\"} 3\ndpm_messages_total{from=\"c\"} 0.5\n"
        "# HELP dpm_p P.\n# TYPE dpm_p gauge\ndpm_p 1.25\n");
}

TEST_CASE("metrics: the parts of a histogram are behind its name", "[answers]") {
  const MetricFamily family{
      "w",
      "h",
      MetricFamily::Type::histogram,
      {{{{"le", "0.5"}}, 2, "_bucket"}, {{{"le", "+Inf"}}, 3, "_bucket"}, {{}, 1.5, "_sum"}, {{}, 3, "_count"}}};
  CHECK(prometheus_text({&family, 1}) ==
        "# HELP w h\n# TYPE w histogram\nw_bucket{le=\"0.5\"} 2\nw_bucket{le=\"+Inf\"} 3\nw_sum 1.5\nw_count 3\n");
}

TEST_CASE("metrics: hostile values stay inside their quotation marks", "[answers]") {
  const MetricFamily family{
      "m", "a\\b\nc\"", MetricFamily::Type::gauge, {{{{"n", "a\"} 1\n\\é"}, {"o", "\xff\xc3"}}, 1}}};
  CHECK(prometheus_text({&family, 1}) ==
        "# HELP m a\\\\b\\nc\"\n# TYPE m gauge\nm{n=\"a\\\"} 1\\n\\\\é\",o=\"??\"} 1\n");
}

TEST_CASE("metrics: values that are not finite have the names that Prometheus gives them", "[answers]") {
  const MetricFamily family{
      "m", "h", MetricFamily::Type::gauge, {{{}, NAN}, {{}, INFINITY}, {{}, -INFINITY}, {{}, 1e300}}};
  CHECK(prometheus_text({&family, 1}) == "# HELP m h\n# TYPE m gauge\nm NaN\nm +Inf\nm -Inf\nm 1e+300\n");
}
