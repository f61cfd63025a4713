// Numbers requests, and finds the request that a reply answers. No I/O.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "control/protocol/control_message.hpp"
#include "model/result.hpp"

namespace dpm {

class RequestMatcher {
 public:
  // Refused is an answer; an error means that no answer will come.
  using Answer = std::function<void(Result<control::ReplyBody>)>;

  // The number under which to ask.
  std::uint64_t expect(Answer answer);
  // False if no request with this number waits for an answer.
  bool answer(std::uint64_t number, Result<control::ReplyBody> reply);
  // Answers all waiting requests with this error, oldest first.
  void fail(const std::string& why);

 private:
  std::map<std::uint64_t, Answer> waiting_;
  std::uint64_t next_number_ = 1;  // a reply to number 0: the other end could not read a request
};

}  // namespace dpm
