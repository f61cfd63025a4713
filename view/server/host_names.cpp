#include "view/server/host_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/lower_case.hpp"

namespace dpm::view {
namespace {

constexpr std::uint16_t kHttpPort = 80, kHttpsPort = 443;

bool has_port(std::string_view name) {
  const auto colon = name.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == name.size()) return false;
  const auto port = name.substr(colon + 1);
  return port.find_first_not_of("0123456789") == std::string_view::npos &&
         (name.find(':') == colon || name[colon - 1] == ']');
}

}  // namespace

HostNames::HostNames(std::uint16_t port, bool has_tls, const std::vector<std::string>& addresses,
                     const std::vector<std::string>& allowed) {
  for (const std::string name : {"127.0.0.1", "localhost", "[::1]"}) add(name, port, has_tls);
  for (const auto& address : addresses) add(bracketed(address), port, has_tls);
  for (const auto& name : allowed) {
    const std::string lower = lower_case(name);
    if (has_port(lower)) {
      names_.insert(lower);
    } else {
      add(bracketed(lower), port, has_tls);
      names_.insert(bracketed(lower));
    }
  }
}

// Browsers leave out the port that belongs to the scheme.
void HostNames::add(const std::string& name, std::uint16_t port, bool has_tls) {
  names_.insert(fmt::format("{}:{}", name, port));
  if (port == (has_tls ? kHttpsPort : kHttpPort)) names_.insert(name);
}

bool HostNames::contains(std::string_view host) const { return names_.contains(lower_case(std::string(host))); }

std::string bracketed(const std::string& address) {
  return address.find(':') != std::string::npos && address.front() != '[' ? fmt::format("[{}]", address) : address;
}

}  // namespace dpm::view
