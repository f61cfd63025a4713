#include "cli/output_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "os/user_paths.hpp"

namespace dpm::cli {

Result<OutputFolder> OutputFolder::create(const std::string& path) {
  if (auto done = make_parent_folders(path); !done) return done.error();
  if (::mkdir(path.c_str(), 0700) == 0) return OutputFolder(path, true);
  if (errno == EEXIST)
    return Error{fmt::format("{} exists already: give -o a new directory, nothing is overwritten", path)};
  return Error::from_errno("make the output directory " + path);
}

Result<OutputFolder> OutputFolder::scratch() {
  std::error_code failed;
  const auto folder = std::filesystem::temp_directory_path(failed);
  if (failed) return Error{"make a scratch directory: " + failed.message()};
  std::string pattern = (folder / "dpm-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return Error::from_errno("make a scratch directory " + pattern);
  return OutputFolder(pattern, false);
}

std::string OutputFolder::default_name(const std::string& program, std::uint32_t pid) {
  std::string name = program.substr(program.rfind('/') + 1);
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_' && c != '.'; }, '_');
  return fmt::format("dpm-{}-{}", name, pid);
}

std::string OutputFolder::absolute_path() const {
  std::error_code failed;
  const auto path = std::filesystem::absolute(path_, failed);
  return failed ? path_ : path.lexically_normal().string();
}

void OutputFolder::remove() const {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace dpm::cli
