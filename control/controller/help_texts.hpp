// What `help` says: the texts of command_forms.hpp, and in place of some of them those of a file that the user has written
// (S3 appendix A.2.1). The file is as `help` prints it: a line that begins with a command, and indented lines about it.
//
//     setflags JOB FLAG...
//         our flags are: send receive fork
#pragma once

#include <map>
#include <string>

#include "control/controller/command_forms.hpp"
#include "model/result.hpp"

namespace dpm::control {

class HelpTexts {
 public:
  static Result<HelpTexts> read(const std::string& path);

  std::string menu() const;
  std::string of(const CommandForm& form) const;

 private:
  std::map<Verb, std::string> own_;
};

}  // namespace dpm::control
