// A folder for the files of runners: one that the user named, which is kept, or a temporary one, which is removed.
#pragma once

#include <string>

#include "model/result.hpp"

namespace dpm::cli {

class ResultsFolder {
 public:
  // An empty path makes a temporary folder. Refuses a path that exists.
  static Result<ResultsFolder> create(const std::string& path);
  ResultsFolder(ResultsFolder&& other) noexcept;
  ResultsFolder& operator=(ResultsFolder&&) = delete;
  ~ResultsFolder();

  // Makes a folder in it.
  Result<std::string> part(const std::string& name) const;

 private:
  ResultsFolder(std::string path, bool is_temporary) : path_(std::move(path)), is_temporary_(is_temporary) {}

  std::string path_;
  bool is_temporary_;
};

}  // namespace dpm::cli
