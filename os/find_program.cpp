#include "os/find_program.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace dpm {
namespace {

FoundProgram refused(int exit_status, const std::string& problem) {
  FoundProgram found;
  found.exit_status = exit_status;
  found.problem = problem;
  return found;
}

bool gains_privileges(const std::string& path, const struct stat& file) {
  if ((file.st_mode & S_ISUID) != 0 && file.st_uid != ::geteuid()) return true;
  if ((file.st_mode & S_ISGID) != 0 && (file.st_mode & S_IXGRP) != 0 && file.st_gid != ::getegid()) return true;
  return ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

// The program in a script's first line. The kernel's own message would be about the script.
std::string interpreter_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char begin[256] = "";
  file.read(begin, sizeof begin - 1);
  if (begin[0] != '#' || begin[1] != '!') return "";
  const std::string line(begin + 2, std::strcspn(begin + 2, "\n"));
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return line.substr(first, line.find_first_of(" \t\r", first) - first);
}

// `path` has a slash.
FoundProgram look_at(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0)
    return refused(errno == ENOENT || errno == ENOTDIR ? kNotFound : kNotExecutable,
                   "'" + path + "': " + std::strerror(errno));
  if (S_ISDIR(file.st_mode)) return refused(kNotExecutable, "'" + path + "' is a directory, not a program");
  if (!S_ISREG(file.st_mode)) return refused(kNotExecutable, "'" + path + "' is not a program");
  if (::access(path.c_str(), X_OK) != 0)
    return refused(kNotExecutable, "'" + path + "' is not executable (" + std::strerror(errno) + ")");
  const std::string interpreter = interpreter_of(path);
  if (!interpreter.empty() && ::access(interpreter.c_str(), X_OK) != 0)
    return refused(kNotExecutable, "'" + path + "' names '" + interpreter + "' to run it: " + std::strerror(errno));
  FoundProgram found;
  found.path = path;
  found.gains_privileges = interpreter.empty() && gains_privileges(path, file);  // scripts never do
  return found;
}

}  // namespace

FoundProgram find_program(const std::string& name) {
  if (name.empty()) return refused(kNotFound, "the command's name is empty");
  if (name.find('/') != std::string::npos) return look_at(name);
  const char* path = std::getenv("PATH");
  std::string folders = path != nullptr ? path : "/bin:/usr/bin";
  FoundProgram not_executable;
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string folder = end == begin ? "." : folders.substr(begin, end - begin);
    FoundProgram found = look_at(folder + "/" + name);
    if (found) return found;
    // As execvp does: skip a file that cannot be executed, but remember it.
    if (found.exit_status == kNotExecutable && not_executable.problem.empty()) not_executable = found;
    begin = end + 1;
  }
  if (!not_executable.problem.empty()) return not_executable;
  return refused(kNotFound, "'" + name + "': no such program in PATH");
}

}  // namespace dpm
