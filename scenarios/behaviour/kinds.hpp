// The codes of the kinds of messages, and the numbers of the names of what they carry.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "scenarios/document/reading.hpp"

namespace dpm {

// The codes of "kinds" are as given; the others are numbered in the order of the file, so that neither a sweep nor a
// placement changes them.
class Kinds {
 public:
  void read(const JsonNode* kinds, const JsonNode* programs, const Reading& reading);
  std::uint32_t code_of(const std::string& kind) const;  // of a kind that read() has seen
  std::vector<std::string> names() const;
  // In the order of their numbers.
  const std::vector<std::string>& carried() const { return carried_; }
  const std::shared_ptr<const std::map<std::uint32_t, std::string>>& names_by_code() const { return names_by_code_; }

 private:
  void collect(const JsonNode& node);
  void add(const JsonNode& kind);

  std::map<std::string, std::uint32_t> codes_;
  std::set<std::uint32_t> used_;
  std::vector<std::string> carried_;
  std::shared_ptr<const std::map<std::uint32_t, std::string>> names_by_code_;
};

}  // namespace dpm
