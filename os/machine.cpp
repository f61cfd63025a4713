#include "os/machine.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "model/channel_end.hpp"

namespace dpm {
namespace {

// Empty if it is not an internet address.
std::string internet_address(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address == nullptr) return "";
  if (address->sa_family == AF_INET)
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
  if (address->sa_family == AF_INET6)
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text, sizeof text);
  return text;
}

}  // namespace

std::string machine_name() {
  utsname names = {};
  return ::uname(&names) == 0 && names.nodename[0] != '\0' ? names.nodename : "localhost";
}

std::uint16_t machine_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? static_cast<std::uint16_t>(CPU_COUNT(&allowed)) : 1;
}

std::vector<std::string> machine_addresses() {
  std::vector<std::string> addresses;
  ifaddrs* interfaces = nullptr;
  if (::getifaddrs(&interfaces) != 0) return addresses;
  for (const ifaddrs* item = interfaces; item != nullptr; item = item->ifa_next) {
    const std::string address = internet_address(item->ifa_addr);
    const bool counts = !address.empty() && (item->ifa_flags & IFF_UP) != 0 && !is_loopback_address(address);
    if (counts && std::find(addresses.begin(), addresses.end(), address) == addresses.end())
      addresses.push_back(address);
  }
  ::freeifaddrs(interfaces);
  return addresses;
}

std::vector<std::string> addresses_for_others(std::vector<std::string> addresses) {
  std::erase_if(addresses, [](const std::string& address) {
    in6_addr binary = {};
    return ::inet_pton(AF_INET6, address.c_str(), &binary) == 1 && IN6_IS_ADDR_LINKLOCAL(&binary);
  });
  return addresses;
}

std::string boot_identity() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return boot;
}

std::string host_identity() {
  const std::string boot = boot_identity();
  std::array<char, 64> network = {};
  const ssize_t length = ::readlink("/proc/self/ns/net", network.data(), network.size());
  if (boot.empty() || length <= 0) return "";
  return fmt::format("{} {}", boot, std::string(network.data(), static_cast<std::size_t>(length)));
}

MachineInfo this_machine(const std::string& name) {
  return {.name = name.empty() ? machine_name() : name,
          .cores = machine_cores(),
          .addresses = machine_addresses(),
          .host = host_identity()};
}

}  // namespace dpm
