// Files where they are needed (metering report 3.5.3): an executable or an input file of the user's is used where it
// lies if the machine has the same at the same place, and is copied into the user's cache there if not.
#pragma once

#include <string>

#include "backends/linux/remote/controller/machines.hpp"
#include "backends/linux/remote/controller/screen.hpp"

namespace dpm::control {

enum class FileUse { executable, input };

class FileCopies {
 public:
  FileCopies(Machines& machines, Screen& screen) : machines_(machines), screen_(screen) {}

  // Where `word` is found on the machine, which has it afterwards:
  //   a file here, by its path, or by its bare name in the current folder:   that file, copied if need be
  //   an executable's bare name otherwise:                                   what the machine's PATH has
  //   an absolute path that only the machine has:                            that
  // Says what it copies.
  Result<std::string> place(const std::string& machine, const std::string& word, FileUse use);

 private:
  Result<bool> has(const std::string& machine, const std::string& path, const std::string& sha256);
  Result<void> put(const std::string& machine, const std::string& from, const std::string& to, FileUse use);

  Machines& machines_;
  Screen& screen_;
};

}  // namespace dpm::control
