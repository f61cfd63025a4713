// --source: the method that meters the program. "auto" takes the first of the methods that can be used here. $DPM_SOURCE is
// used where the option is not given. Offered only when there are several methods.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/metering_method.hpp"
#include "model/result.hpp"

namespace dpm::cli {

class SourceOption {
 public:
  SourceOption();

  // With --ring, which sets Options::ring_bytes.
  void describe(CLI::App& app, MeteringMethod::Options& options);

  // What the metering needs from its method.
  struct Wishes {
    bool callers = false;           // MeterOptions::callers
    std::uint32_t running_pid = 0;  // acquires this process; 0: starts one
  };
  struct Choice {
    std::vector<const MeteringMethod*> methods;  // the first; the others only if it fails before anything has begun
    std::string reason;                          // as MeteredFacts::source
  };
  // Fails if the method that was asked for cannot be used here, with what would help.
  Result<Choice> choose(const Wishes& wishes) const;

  // Begins with the first of the methods that can; `choice` says which afterwards.
  using Begin = std::function<Result<std::unique_ptr<MeteredRun>>(const MeteringMethod&)>;
  static Result<std::unique_ptr<MeteredRun>> begin(Choice& choice, const Begin& begin);

 private:
  Result<Choice> choose_named(const Wishes& wishes) const;
  Choice choose_first(const Wishes& wishes) const;

  std::vector<std::unique_ptr<MeteringMethod>>
      methods_;  // in the order in which "auto" tries them; the last is for all
  std::string name_;
};

}  // namespace dpm::cli
