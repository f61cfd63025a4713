#include "os/random.hpp"

#include <sys/random.h>

#include <array>

#include "os/hexadecimal.hpp"

namespace dpm {

Result<void> draw_random(std::span<unsigned char> bytes) {
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return Error::from_errno("draw random numbers");
  return {};
}

Result<std::string> new_secret() {
  std::array<unsigned char, 32> secret = {};
  if (auto drawn = draw_random(secret); !drawn) return drawn.error();
  return hexadecimal(secret);
}

}  // namespace dpm
