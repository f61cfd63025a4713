#include "scenarios/native/membership.hpp"

#include <fmt/format.h>

namespace dpm::native {

void Membership::misuse(const char* call, const std::string& what) const {
  throw Misuse{
      fmt::format("process '{}' on machine '{}', {}: {}", description().name, description().machine, call, what)};
}

}  // namespace dpm::native
