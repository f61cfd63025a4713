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
  const MeteringMethod& method() const;

 private:
  std::vector<std::unique_ptr<MeteringMethod>> methods_;
  std::string name_;
};

}  // namespace dpm::cli
