// The names that machines have for themselves. A meter's key is for its machine's own name, so a machine must not be able
// to take the name of another one.
#pragma once

#include <map>
#include <string>

#include "model/result.hpp"

namespace dpm::control {

class OwnNames {
 public:
  // `known` is the user's name for the machine, which the launcher leads to; `own` is what the machine says.
  void learn(const std::string& known, const std::string& own) { own_[known] = own; }

  // Of a machine that was never reached: the user's name. An error if another machine has the name: if the user gave it to
  // that one, or if both say it and the user gave it to neither.
  Result<std::string> of(const std::string& known) const;

 private:
  std::map<std::string, std::string> own_;  // by the user's names
};

}  // namespace dpm::control
