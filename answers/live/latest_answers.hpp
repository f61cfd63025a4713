// Answers as long as nothing new was read: many viewers of one page ask for the same.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "view/answers/answer.hpp"
#include "view/answers/page_request.hpp"

namespace dpm::cli {

class LatestAnswers {
 public:
  static constexpr std::size_t kMost = 16;  // a megabyte each, at most about

  // Null: it is not known, or not any more.
  const view::Answer* find(const view::PageRequest& request, std::uint64_t version) {
    if (version != version_) answers_.clear();
    version_ = version;
    const auto found = answers_.find(key_of(request));
    return found == answers_.end() ? nullptr : &found->second;
  }
  // Of the version that was looked for last.
  void keep(const view::PageRequest& request, const view::Answer& answer) {
    if (answers_.size() < kMost) answers_.try_emplace(key_of(request), answer);
  }

 private:
  static std::string key_of(const view::PageRequest& request) {
    return request.name + request.params.dump(-1, ' ', true, view::Json::error_handler_t::replace);
  }

  std::uint64_t version_ = 0;
  std::map<std::string, view::Answer> answers_;
};

}  // namespace dpm::cli
