// The files of a filter: descriptions and rules (templates). What is wrong with one is an error that names file and line.
#pragma once

#include <span>
#include <string>

#include "filter/descriptions.hpp"
#include "filter/rules.hpp"
#include "model/result.hpp"

namespace dpm {

Result<Descriptions> load_descriptions(const std::string& path);

// Without a file everything is kept.
Result<RuleSet> load_rules(const std::string& path, std::span<const RecordLayout> layouts);

// Whether `dpm filter` would begin with these files, and the notes on their rules. Without descriptions the rules are for
// the events of our own meters.
Result<std::vector<std::string>> check_filter_files(const std::string& descriptions, const std::string& templates);

}  // namespace dpm
