// Copies files to the machines that need them (metering report 3.5.3). If a machine has the same executable or input file
// at the same path, it is used there; otherwise it is copied to the user's cache on that machine.
#pragma once

#include <string>
#include <vector>

#include "control/controller/console.hpp"
#include "control/controller/machines.hpp"

namespace dpm::control {

enum class FileUse { executable, input };

class FileCopies {
 public:
  FileCopies(Machines& machines, Console& console) : machines_(machines), console_(console) {}

  // Returns the path of `word` on the machine, after copying it if necessary, which it reports:
  //   a file here, by its path, or by its bare name in the current folder:   that file, or its copy
  //   another bare name of an executable:                                    found in the machine's PATH
  //   an absolute path that only the machine has:                            that file
  Result<std::string> place(const std::string& machine, const std::string& word, FileUse use) {
    return place(std::vector<std::string>{machine}, word, use).at(0);
  }
  // On different machines, at the same time. The results are in their order.
  std::vector<Result<std::string>> place(const std::vector<std::string>& machines, const std::string& word,
                                         FileUse use);

 private:
  using Places = std::vector<Result<std::string>>;  // an empty path: not known yet
  using Indices = std::vector<std::size_t>;         // of machines

  Places place_own_file(const std::vector<std::string>& machines, const std::string& word, const std::string& path,
                        FileUse use);
  // Gives the machines that have the file this place, and returns the others.
  Indices find(const std::vector<std::string>& machines, const Indices& those, const std::string& path,
               const std::string& sha256, Places& places);
  Result<void> put(const std::vector<std::string>& machines, const Indices& those, const std::string& from,
                   const std::string& to, FileUse use, Places& places);

  Machines& machines_;
  Console& console_;
};

}  // namespace dpm::control
