#include "view/server/server_options.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

namespace dpm::view {
namespace {

enum class Reach { not_an_address, this_machine, other_machines };

Reach reach_of(const std::string& address) {
  in_addr v4 = {};
  if (::inet_pton(AF_INET, address.c_str(), &v4) == 1)
    return (ntohl(v4.s_addr) >> 24) == IN_LOOPBACKNET ? Reach::this_machine : Reach::other_machines;
  in6_addr v6 = {};
  if (::inet_pton(AF_INET6, address.c_str(), &v6) != 1) return Reach::not_an_address;
  return IN6_IS_ADDR_LOOPBACK(&v6) ? Reach::this_machine : Reach::other_machines;
}

}  // namespace

Result<void> check_options(const ServerOptions& options) {
  const Reach reach = reach_of(options.address);
  if (reach == Reach::not_an_address)
    return Error{
        fmt::format("listen on '{}': not a numeric IPv4 or IPv6 address, such as 127.0.0.1 or ::1", options.address)};
  if (options.certificate_file.empty() != options.key_file.empty())
    return Error{"a certificate needs its key, and a key its certificate: give both files (PEM)"};
  if (reach == Reach::this_machine || !options.certificate_file.empty() || options.insecure) return {};
  return Error{
      fmt::format("listen on {}: other machines could read the page in transit. Give a certificate and its key "
                  "(--certificate FILE --key FILE), or stay on 127.0.0.1 and use a tunnel (ssh -L PORT:127.0.0.1:PORT "
                  "THIS_MACHINE), or accept the risk (--insecure)",
                  options.address)};
}

}  // namespace dpm::view
