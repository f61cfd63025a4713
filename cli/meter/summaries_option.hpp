// --machine-summaries: at which interval the meter says what its machine does (MeterOptions::summary_interval).
#pragma once

#include <optional>
#include <string>

#include "cli/options.hpp"
#include "model/result.hpp"
#include "model/time.hpp"

namespace dpm::cli {

// From 100 ms to a day, as duration_from() reads it.
Result<Duration> summary_interval_from(const std::string& text);

class SummariesOption {
 public:
  static constexpr Duration kUsual{10'000'000'000};

  void describe(Options& options);
  // After the command line has been parsed; none: no summaries are wanted.
  std::optional<Duration> interval() const;

 private:
  std::optional<Option> option_;
  std::string text_;
};

}  // namespace dpm::cli
