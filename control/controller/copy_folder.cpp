#include "control/controller/copy_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace dpm::control {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "dpm-watch-";

Result<fs::path> folder_or_temporary(const fs::path& scratch) {
  if (!scratch.empty()) return scratch;
  std::error_code failed;
  auto folder = fs::temp_directory_path(failed);
  if (failed) return Error{"find the folder for temporary files: " + failed.message()};
  return folder;
}

UniqueFd open_folder(const fs::path& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool lock(const UniqueFd& folder, int how) {
  int locked = 0;
  while ((locked = ::flock(folder.get(), how)) != 0 && errno == EINTR) {
  }
  return locked == 0;
}

// Nothing: another controller removed it before it was locked.
Result<std::optional<UniqueFd>> hold(const fs::path& path) {
  UniqueFd folder = open_folder(path);
  if (!folder && errno == ENOENT) return std::optional<UniqueFd>();
  if (!folder) return Error::from_errno("open the folder " + path.string());
  lock(folder, LOCK_EX);  // without locks the copy is made all the same
  struct stat status {};
  if (::fstat(folder.get(), &status) != 0) return Error::from_errno("look at the folder " + path.string());
  if (status.st_nlink == 0) return std::optional<UniqueFd>();
  return std::optional<UniqueFd>(std::move(folder));
}

bool is_abandoned(const UniqueFd& folder) {
  struct stat status {};
  return ::fstat(folder.get(), &status) == 0 && status.st_uid == ::geteuid() && lock(folder, LOCK_EX | LOCK_NB);
}

}  // namespace

Result<CopyFolder> CopyFolder::make(const fs::path& scratch, const std::string& filter) {
  const auto folder = folder_or_temporary(scratch);
  if (!folder) return folder.error();
  std::string name = std::string(kPrefix) + filter + "-XXXXXX";
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '-'; }, '_');
  for (;;) {
    std::string path = *folder / name;
    if (::mkdtemp(path.data()) == nullptr) return Error::from_errno("make the folder " + path);
    auto held = hold(path);
    if (!held) return held.error();
    if (!*held) continue;
    CopyFolder copy(path, *std::move(*held));
    std::error_code failed;
    fs::create_directory(copy.trace(), failed);
    if (failed) return Error{fmt::format("make the folder {}: {}", copy.trace().string(), failed.message())};
    return copy;
  }
}

CopyFolder::~CopyFolder() {
  std::error_code ignored;
  if (lock_) fs::remove_all(path_, ignored);
}

std::size_t remove_abandoned_copies(const fs::path& scratch) {
  const auto folder = folder_or_temporary(scratch);
  if (!folder) return 0;
  std::size_t removed = 0;
  std::error_code ended;
  for (fs::directory_iterator entry(*folder, ended), end; !ended && entry != end; entry.increment(ended)) {
    if (!entry->path().filename().string().starts_with(kPrefix)) continue;
    const UniqueFd found = open_folder(entry->path());
    if (!found || !is_abandoned(found)) continue;
    std::error_code failed;
    fs::remove_all(entry->path(), failed);
    removed += failed ? 0 : 1;
  }
  return removed;
}

}  // namespace dpm::control
