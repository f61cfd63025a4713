// A new folder for one test, which is the current one while the object lives.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "model/check.hpp"

namespace dpm::control::test {

class ScratchFolder {
 public:
  ScratchFolder() : before_(std::filesystem::current_path()) {
    std::string name = (std::filesystem::temp_directory_path() / "dpm-session-XXXXXX").string();
    DPM_CHECK(mkdtemp(name.data()) != nullptr);
    path_ = name;
    std::filesystem::current_path(path_);
  }
  ~ScratchFolder() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(path_);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path before_, path_;
};

}  // namespace dpm::control::test
