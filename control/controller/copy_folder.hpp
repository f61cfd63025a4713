// A private folder for the copy of a log, below the folder for temporary files. It goes with this object. Where the controller
// was killed, a later one removes it: each holds a lock on its own (flock(2)), which the kernel releases however it ends.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm::control {

class CopyFolder {
 public:
  // Below `scratch`, or the folder for temporary files if that is empty.
  static Result<CopyFolder> make(const std::filesystem::path& scratch, const std::string& filter);
  CopyFolder(CopyFolder&&) noexcept = default;
  CopyFolder& operator=(CopyFolder&&) = delete;
  ~CopyFolder();

  std::filesystem::path trace() const { return path_ / "trace"; }  // a folder in it, which others may lock

 private:
  CopyFolder(std::filesystem::path path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  UniqueFd lock_;
};

// The folders of this user whose controllers did not end by themselves. Returns how many were removed.
std::size_t remove_abandoned_copies(const std::filesystem::path& scratch);

}  // namespace dpm::control
