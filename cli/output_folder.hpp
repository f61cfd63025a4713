// The output of a run or a metering: a directory with trace, results.json and report.html, or, if only tables are wanted,
// a scratch directory that is removed at the end.
#pragma once

#include <string>

#include "model/result.hpp"

namespace dpm::cli {

class OutputFolder {
 public:
  // Makes the folders above it, too. Refuses a path that exists: nothing is overwritten.
  static Result<OutputFolder> create(const std::string& path);
  static Result<OutputFolder> scratch();

  // "dpm-redis-server-1234": the name if the user gives none.
  static std::string default_name(const std::string& program, std::uint32_t pid);

  const std::string& path() const { return path_; }
  std::string absolute_path() const;  // for processes with another working directory
  std::string trace() const { return path_ + "/trace"; }
  std::string report() const { return path_ + "/report.html"; }
  std::string samples() const { return path_ + "/samples"; }
  std::string results() const { return path_ + "/results.json"; }
  bool is_kept() const { return kept_; }

  void remove() const;

 private:
  OutputFolder(std::string path, bool kept) : path_(std::move(path)), kept_(kept) {}
  std::string path_;
  bool kept_ = true;
};

}  // namespace dpm::cli
