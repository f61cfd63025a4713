// The names by which a viewer may call this server, as its browser sends them in the header Host. A page of another site
// whose name was made to point here (DNS rebinding) sends that site's name. No I/O.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dpm::view {

class HostNames {
 public:
  // `addresses` are numeric. `allowed`: "name" stands for the name with this server's port and without any, "name:port"
  // for itself.
  HostNames(std::uint16_t port, bool has_tls, const std::vector<std::string>& addresses,
            const std::vector<std::string>& allowed);

  bool contains(std::string_view host) const;

 private:
  void add(const std::string& name, std::uint16_t port, bool has_tls);

  std::set<std::string, std::less<>> names_;
};

// "::1" as it stands in an address of HTTP: "[::1]".
std::string bracketed(const std::string& address);

}  // namespace dpm::view
