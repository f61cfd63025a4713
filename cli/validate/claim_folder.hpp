// Finds the claims: each folder with a claim.json is one.
#pragma once

#include <string>
#include <vector>

#include "cli/validate/baseline.hpp"

namespace dpm::cli {

class ClaimFolder {
 public:
  // An empty path stands for `validation` here, or of the source tree that the program in `program_folder` was built
  // in.
  static Result<ClaimFolder> open(const std::string& path, const std::string& program_folder);

  const std::string& path() const { return path_; }
  const std::vector<std::string>& names() const { return names_; }  // in alphabetical order

  Result<Claim> claim(const std::string& name) const;  // the error for an unknown name suggests the nearest one
  Result<Baseline> baseline(const Claim& claim) const;
  bool has_baseline(const Claim& claim) const;
  std::string baseline_path(const Claim& claim) const { return claim.folder + "/baseline.json"; }

 private:
  std::string path_;
  std::vector<std::string> names_;
};

}  // namespace dpm::cli
