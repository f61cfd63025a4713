// The codes of the kinds of messages.
#pragma once

#include <map>
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

 private:
  void collect(const JsonNode& node);
  void add(const JsonNode& kind);

  std::map<std::string, std::uint32_t> codes_;
  std::set<std::uint32_t> used_;
};

}  // namespace dpm
