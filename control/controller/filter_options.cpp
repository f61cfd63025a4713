#include "control/controller/filter_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "control/controller/word_options.hpp"

namespace dpm::control {
namespace {

std::optional<std::uint16_t> port_from(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

Result<void> take_ports(const std::string& value, FilterOptions& options) {
  const auto dash = value.find('-');
  const auto first = port_from(std::string_view(value).substr(0, dash));
  const auto last = dash == std::string::npos ? first : port_from(std::string_view(value).substr(dash + 1));
  if (!first || !last || *last < *first)
    return Error{fmt::format("--port {}: a port or a range of ports, such as 4000 or 4000-4010", value)};
  options.port_first = *first;
  options.port_last = *last;
  return {};
}

}  // namespace

Result<FilterOptions> take_filter_options(Words& words) {
  FilterOptions options;
  for (const auto& [name, value] : take_options(words)) {
    if (name == "--port") {
      if (auto taken = take_ports(value, options); !taken) return taken.error();
    } else if (name == "--through") {
      if (value != "controller")
        return Error{fmt::format("--through '{}': 'controller' is the only way there is", value)};
      options.through_controller = true;
    } else {
      return Error{fmt::format("no option '{}': filter has --port N or N-M, and --through controller", name)};
    }
  }
  if (options.through_controller && options.port_first != 0)
    return Error{"--through controller opens no port: leave --port out"};
  return options;
}

}  // namespace dpm::control
