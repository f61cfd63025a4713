// Numbers requests, and finds what a reply answers. No I/O.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "backends/linux/remote/protocol/control_message.hpp"
#include "model/result.hpp"

namespace dpm {

class RequestMatcher {
 public:
  // Refused is an answer like any other; an error means that none will come.
  using Answer = std::function<void(Result<control::ReplyBody>)>;

  // The number under which to ask.
  std::uint64_t expect(Answer answer);
  // False if nothing was asked under this number, or it was answered already.
  bool answer(std::uint64_t number, Result<control::ReplyBody> reply);
  // Answers all that is not answered yet, in the order in which it was asked.
  void fail(const std::string& why);

 private:
  std::map<std::uint64_t, Answer> waiting_;
  std::uint64_t next_number_ = 1;  // 0: the other end could not read a request
};

}  // namespace dpm
