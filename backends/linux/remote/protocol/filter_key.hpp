// How the ends of a tunnel name a filter: for those that have its secret, and without showing it.
#pragma once

#include <string>

#include "backends/linux/remote/protocol/sha256.hpp"
#include "backends/linux/transport/frames/filter_address.hpp"

namespace dpm::control {

inline constexpr std::size_t kFilterKeyDigits = 32;

inline std::string filter_key(const FilterAddress& address) {
  Sha256 digest;
  digest.add("dpm filter key " + address.secret);
  return digest.hexadecimal().substr(0, kFilterKeyDigits);
}

}  // namespace dpm::control
