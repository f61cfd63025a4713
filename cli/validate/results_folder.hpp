// A folder for what runners leave: the user's, which stays, or a temporary one, which goes.
#pragma once

#include <string>

#include "model/result.hpp"

namespace dpm::cli {

class ResultsFolder {
 public:
  // An empty path makes a temporary one. What exists already is refused.
  static Result<ResultsFolder> create(const std::string& path);
  ResultsFolder(ResultsFolder&& other) noexcept;
  ResultsFolder& operator=(ResultsFolder&&) = delete;
  ~ResultsFolder();

  // A folder in it, made.
  Result<std::string> part(const std::string& name) const;

 private:
  ResultsFolder(std::string path, bool is_temporary) : path_(std::move(path)), is_temporary_(is_temporary) {}

  std::string path_;
  bool is_temporary_;
};

}  // namespace dpm::cli
