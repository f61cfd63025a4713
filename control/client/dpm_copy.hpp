// Copies this program to a machine that lacks it, before the daemon is started there: one file, found again by its hash.
//
// The machine needs a shell, coreutils, and the shared libraries that this program is linked to. Before the copy gets its
// name, it is started once: if that fails, for want of a library or on another kind of processor, it is removed, and what the
// machine said is the reason of the end of the connection.
#pragma once

#include <string>
#include <vector>

namespace dpm {

struct DpmCopy {
  std::string file;    // here
  std::string sha256;  // of the file, hexadecimal
};

// `reach`: the command that runs the words after it on the machine. `joins_words`: these words are a line for a shell there, as
// with ssh. Returns a command that copies where necessary, and becomes `reach` COPY meterd --attach.
std::vector<std::string> copying_command(const DpmCopy& copy, const std::vector<std::string>& reach, bool joins_words,
                                         const std::vector<std::string>& options = {});

}  // namespace dpm
