#include "cli/validate/results_folder.hpp"

#include <cstdlib>
#include <filesystem>

#include "trace/files.hpp"

namespace dpm::cli {

namespace fs = std::filesystem;

Result<ResultsFolder> ResultsFolder::create(const std::string& path) {
  if (!path.empty()) {
    if (auto made = make_private_folder(path); !made) return made.error();
    return ResultsFolder(fs::absolute(path).string(), false);
  }
  std::error_code wrong;
  std::string name = (fs::temp_directory_path(wrong) / "dpm-validate-XXXXXX").string();
  if (wrong || mkdtemp(name.data()) == nullptr) return Error::from_errno("make a temporary folder " + name);
  return ResultsFolder(std::move(name), true);
}

ResultsFolder::ResultsFolder(ResultsFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")), is_temporary_(other.is_temporary_) {}

ResultsFolder::~ResultsFolder() {
  std::error_code ignored;
  if (is_temporary_ && !path_.empty()) fs::remove_all(path_, ignored);
}

Result<std::string> ResultsFolder::part(const std::string& name) const {
  const std::string folder = path_ + "/" + name;
  if (auto made = make_private_folder(folder); !made) return made.error();
  return folder;
}

}  // namespace dpm::cli
