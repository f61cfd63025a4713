// What input looks like that is not a stream of meter messages: for the error of a user who mixed something up.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "model/result.hpp"

namespace dpm {

// "text: '# A heading'", "gzip data", "bytes 3f a0 12 ...".
std::string looks_like(std::span<const std::byte> beginning);

// The first bytes of an input, as they come.
class InputBeginning {
 public:
  void see(std::span<const std::byte> bytes);
  // Removes the trace, which has nothing, and says why: "standard input is not a stream of meter messages: it begins ..."
  // `why_lost` is the reason for which each of its messages was lost, if it could be divided into messages.
  Error refuse(const std::string& trace, const std::string& why_lost) const;

 private:
  std::string bytes_;
};

}  // namespace dpm
