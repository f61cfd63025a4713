// The names of machines or processes, and the groups a "count" makes: group "user" of 3 is user_1, user_2 and user_3.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scenarios/behaviour/parts.hpp"
#include "scenarios/document/reading.hpp"

namespace dpm {

class NameGroups {
 public:
  // `noun` is "process" or "machine", for messages.
  explicit NameGroups(std::string noun) : noun_(std::move(noun)) {}

  // Returns the names made. Reports names that are taken or have characters no name may have, and more than
  // kLargestCount.
  const std::vector<std::string>& add(const Reading& reading, const JsonNode& at, const std::string& name,
                                      std::optional<std::uint64_t> count);

  bool has(const std::string& name) const { return members_.count(name) != 0; }
  // The members of a group, or the one of that name. An unknown name is reported; then null.
  ProcessNames find(const Reading& reading, const JsonNode& at, const std::string& name, const std::string& what) const;
  // Reports what is not the name of a single one.
  void check_one(const Reading& reading, const JsonNode& at, const std::string& name, const std::string& what) const;
  // A name or a list of names, in order, each with its members. "what" is the key.
  std::vector<std::string> expand(const Reading& reading, const JsonNode& node, const std::string& what) const;

  const std::vector<std::string>& all() const { return all_; }

 private:
  std::string noun_;
  std::map<std::string, ProcessNames> members_;  // of groups, and of every single name
  std::set<std::string> taken_;
  std::vector<std::string> all_;
};

}  // namespace dpm
