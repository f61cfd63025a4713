#include "backends/linux/probes/program_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace dpm {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream from(text);
  for (std::string part; std::getline(from, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

std::string real_file(const std::string& path) {
  std::error_code wrong;
  const fs::path real = fs::canonical(path, wrong);
  return !wrong && fs::is_regular_file(real, wrong) ? real.string() : "";
}

std::string first_real(const std::string& name, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders)
    if (std::string real = real_file(folder + "/" + name); !real.empty()) return real;
  return "";
}

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string file_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string find_program_file(const std::string& name, const std::vector<std::string>& command) {
  for (const std::string& word : command)
    if (word.find('/') != std::string::npos && file_part(word) == name && ::access(word.c_str(), X_OK) == 0)
      return real_file(word);
  return first_real(name, parts_of(environment("PATH"), ':'));
}

std::string find_library_file(const std::string& name, const std::string& program_folder,
                              const std::string& library_path) {
  std::vector<std::string> folders = parts_of(library_path, ':');
  for (std::string& folder : folders)
    for (const std::string_view origin : {"$ORIGIN", "${ORIGIN}"})
      if (const std::size_t at = folder.find(origin); at != std::string::npos)
        folder.replace(at, origin.size(), program_folder);
  for (const std::string& folder : parts_of(environment("LD_LIBRARY_PATH"), ':')) folders.push_back(folder);
  for (const char* folder : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib",
                             "/usr/lib", "/usr/local/lib"})
    folders.emplace_back(folder);
  return first_real(name, folders);
}

std::vector<std::string> mapped_files(std::uint32_t pid) {
  std::vector<std::string> files;
  const std::string folder = "/proc/" + std::to_string(pid);
  if (std::string program = real_file(folder + "/exe"); !program.empty()) files.push_back(std::move(program));
  std::ifstream maps(folder + "/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t path = line.find('/');
    if (path == std::string::npos || line.find(" r-xp ") == std::string::npos) continue;
    const std::string file = line.substr(path);
    if (std::ranges::find(files, file) == files.end()) files.push_back(file);
  }
  return files;
}

}  // namespace dpm
