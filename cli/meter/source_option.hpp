// --source: the method that meters the program. Offered only when there are several methods.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "model/metering_method.hpp"

namespace dpm::cli {

class SourceOption {
 public:
  SourceOption();

  void describe(CLI::App& app);
  // Why the method that was asked for cannot be used here; empty: it can.
  std::string obstacle() const;
  const MeteringMethod& method() const;
  // As MeteredFacts::source.
  std::string choice() const;

 private:
  std::vector<std::unique_ptr<MeteringMethod>> methods_;  // the first is what "auto" chooses
  std::string name_;
};

}  // namespace dpm::cli
