#include "model/channel_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace dpm {
namespace {

std::optional<std::uint16_t> port_number(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

bool is_ipv4(std::string_view text) {
  return std::count(text.begin(), text.end(), '.') == 3 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return c == '.' || std::isdigit(c) != 0; });
}

bool is_ipv6(std::string_view text) {
  return std::count(text.begin(), text.end(), ':') >= 2 && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return c == ':' || c == '.' || std::isxdigit(c) != 0;
         });
}

}  // namespace

std::string without_mapping(std::string_view address) {
  constexpr std::string_view kMapped = "::ffff:";
  if (address.starts_with(kMapped) && is_ipv4(address.substr(kMapped.size()))) address.remove_prefix(kMapped.size());
  return std::string(address);
}

ChannelEnd parse_internet_name(std::string_view name) {
  ChannelEnd end;
  end.address = name;
  const auto colon = name.rfind(':');
  if (colon == std::string_view::npos) return end;
  const auto port = port_number(name.substr(colon + 1));
  std::string_view host = name.substr(0, colon);
  const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (!port || (!in_brackets && !is_ipv4(host))) return end;
  if (in_brackets) host = host.substr(1, host.size() - 2);
  end.address = without_mapping(host);
  end.port = *port;
  return end;
}

std::string to_string(const ChannelEnd& end) {
  if (is_ipv4(end.address)) return fmt::format("{}:{}", end.address, end.port);
  return is_ipv6(end.address) ? fmt::format("[{}]:{}", end.address, end.port) : end.address;
}

bool is_loopback_address(std::string_view address) { return address.starts_with("127.") || address == "::1"; }

bool is_any_address(std::string_view address) { return address == "0.0.0.0" || address == "::"; }

bool is_group_address(std::string_view address) {
  if (address.find(':') != std::string_view::npos) return address.starts_with("ff");
  unsigned first = 0;
  const auto read = std::from_chars(address.data(), address.data() + address.size(), first);
  constexpr unsigned kMulticastFrom = 224, kMulticastTo = 239;
  const bool is_number = read.ec == std::errc();
  return is_number && ((first >= kMulticastFrom && first <= kMulticastTo) || address.ends_with(".255"));
}

}  // namespace dpm
