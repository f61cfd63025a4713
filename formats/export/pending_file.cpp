#include "formats/export/pending_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <utility>

#include "os/user_paths.hpp"

namespace dpm {
namespace {

Error exists_already(const std::string& path) {
  return Error{path + " exists already: name a new file, or add --overwrite"};
}

}  // namespace

Result<PendingFile> PendingFile::create(const std::string& path, Existing existing) {
  struct stat found {};
  if (lstat(path.c_str(), &found) == 0) {
    if (existing == Existing::refused) return exists_already(path);
    if (!S_ISREG(found.st_mode)) return Error{path + " is not a file: name a new file"};
  }
  if (auto done = make_parent_folders(path); !done) return done.error();
  return PendingFile(path, existing);
}

PendingFile::PendingFile(std::string path, Existing existing)
    : path_(std::move(path)), pending_(fmt::format("{}.{}.partial", path_, getpid())), existing_(existing) {
  // Of an earlier process with this number, which was killed.
  std::error_code ignored;
  std::filesystem::remove_all(pending_, ignored);
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)), pending_(std::exchange(other.pending_, {})), existing_(other.existing_) {}

PendingFile::~PendingFile() {
  std::error_code ignored;
  if (!pending_.empty()) std::filesystem::remove_all(pending_, ignored);
}

Result<void> PendingFile::finish() {
  const unsigned flags = existing_ == Existing::refused ? RENAME_NOREPLACE : 0;
  if (renameat2(AT_FDCWD, pending_.c_str(), AT_FDCWD, path_.c_str(), flags) != 0) {
    if (errno == EEXIST) return exists_already(path_);
    return Error::from_errno("write " + path_);
  }
  pending_.clear();
  return {};
}

}  // namespace dpm
