#include "cli/validate/claim_folder.hpp"

#include <algorithm>
#include <filesystem>

#include "model/nearest_name.hpp"
#include "scenarios/document/json_node.hpp"
#include "trace/files.hpp"

namespace dpm::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (fs::exists(entry.path() / "claim.json", ignored)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Result<ClaimFolder> ClaimFolder::open(const std::string& path, const std::string& program_folder) {
  std::vector<std::string> places = {path};
  if (path.empty()) places = {"validation", fs::path(program_folder + "/../../validation").lexically_normal().string()};
  ClaimFolder folder;
  for (const auto& place : places) {
    folder.path_ = place;
    folder.names_ = names_in(place);
    if (!folder.names_.empty()) return folder;
  }
  const std::string what = "no claims (folders with a claim.json) in " + places.front();
  return Error{path.empty() ? what + "; run this in DPM's source tree, or say where with --claims" : what};
}

Result<Claim> ClaimFolder::claim(const std::string& name) const {
  if (std::find(names_.begin(), names_.end(), name) == names_.end())
    return Error{"no claim '" + name + "' in " + path_ + did_you_mean(name, names_)};
  const std::string path = path_ + "/" + name + "/claim.json";
  const auto text = read_text_file(path, kLongestJson);
  if (!text) return text.error();
  return parse_claim(*text, path);
}

bool ClaimFolder::has_baseline(const Claim& claim) const {
  std::error_code ignored;
  return fs::exists(baseline_path(claim), ignored);
}

Result<Baseline> ClaimFolder::baseline(const Claim& claim) const {
  const std::string path = baseline_path(claim);
  if (!has_baseline(claim))
    return Error{"there is no " + path + "; 'dpm validate --accept " + claim.name + "' makes one"};
  const auto text = read_text_file(path, kLongestJson);
  if (!text) return text.error();
  return parse_baseline(*text, path, claim);
}

}  // namespace dpm::cli
