// Numbers for Prometheus, in its text format 0.0.4. No I/O.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dpm::view {

struct MetricSample {
  std::vector<std::pair<std::string, std::string>> labels;  // name and value; any bytes are values
  double value = 0;
  std::string part;  // of a histogram: "_bucket", "_sum" or "_count"
};

struct MetricFamily {
  enum class Type { counter, gauge, histogram };
  std::string name;  // letters, digits and '_', not a digit first; a counter's ends in "_total"
  std::string help;
  Type type = Type::gauge;
  std::vector<MetricSample> samples;
};

std::string prometheus_text(std::span<const MetricFamily> families);

}  // namespace dpm::view
