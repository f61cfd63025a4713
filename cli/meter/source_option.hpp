// --source: the method that meters the program (backends/linux/sources/source_choice.hpp). $DPM_SOURCE is used where the option
// is not given. Offered only when there are several methods.
#pragma once

#include <string>

#include "backends/linux/sources/source_choice.hpp"
#include "cli/options.hpp"

namespace dpm::cli {

class SourceOption {
 public:
  using Choice = SourceChooser::Choice;
  using Wishes = SourceChooser::Wishes;
  using Begin = SourceChooser::Begin;

  SourceOption();

  // With --ring and --hand-overs, which set Options::ring_bytes and hand_overs.
  void describe(Options& options, MeteringMethod::Options& method);
  // Without.
  void describe(Options& options);

  const std::string& name() const { return name_; }
  Result<Choice> choose(const Wishes& wishes) const { return chooser_.choose(name_, wishes); }
  static Result<std::unique_ptr<MeteredRun>> begin(Choice& choice, const Begin& begin) {
    return SourceChooser::begin(choice, begin);
  }

 private:
  SourceChooser chooser_;
  std::string name_ = SourceChooser::kAuto;
};

}  // namespace dpm::cli
