#include "control/controller/machine_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "control/controller/machine_names.hpp"

namespace dpm::control {
namespace {

using Names = std::vector<std::string>;

// Between the commas that stand outside of brackets.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool is_inside = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[') is_inside = true;
    if (text[at] == ']') is_inside = false;
    if (text[at] != ',' || is_inside) continue;
    parts.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::optional<std::uint32_t> number_from(std::string_view digits) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

class Expansion {
 public:
  explicit Expansion(std::string_view word) : word_(word) {}

  Result<Names> read() {
    for (const auto part : parts_of(word_))
      if (auto done = take_part(part); !done) return done.error();
    return std::move(names_);
  }

 private:
  Error wrong(std::string_view what) const { return Error{fmt::format("'{}': {}", word_, what)}; }
  Error too_many() const { return wrong(fmt::format("these are more than {} machines", kMachinesMax)); }

  Result<void> take_part(std::string_view part) {
    std::uint32_t times = 1;
    const auto sign = part.find('=');
    if (const auto number = sign == std::string_view::npos ? std::nullopt : number_from(part.substr(sign + 1))) {
      if (*number == 0) return wrong("after '=' comes how often, as in red[1-16]=2");
      times = *number;
      part = part.substr(0, sign);
    }
    auto names = names_of(part);
    if (!names) return names.error();
    if (times > kMachinesMax || names_.size() + names->size() * times > kMachinesMax) return too_many();
    for (auto& name : *names) {
      if (auto good = check_machine_name(name); !good) return good;
      names_.insert(names_.end(), times, name);
    }
    return {};
  }

  // Every beginning with every value of the next bracket.
  Result<Names> names_of(std::string_view part) const {
    Names names = {""};
    while (true) {
      const auto open = part.find('[');
      for (auto& name : names) name += part.substr(0, open);
      if (open == std::string_view::npos) return names;
      const auto close = part.find(']', open);
      if (close == std::string_view::npos) return wrong("a range begins with '[' and does not end");
      const auto values = values_of(part.substr(open + 1, close - open - 1));
      if (!values) return values.error();
      if (names.size() * values->size() > kMachinesMax) return too_many();
      Names longer;
      for (const auto& name : names)
        for (const auto& value : *values) longer.push_back(name + value);
      names = std::move(longer);
      part.remove_prefix(close + 1);
    }
  }

  // Of "1,3,08-12".
  Result<Names> values_of(std::string_view ranges) const {
    Names values;
    for (const auto range : parts_of(ranges)) {
      const auto dash = range.find('-');
      const auto first = range.substr(0, dash);
      const auto from = number_from(first);
      const auto to = dash == std::string_view::npos ? from : number_from(range.substr(dash + 1));
      if (!from || !to) return wrong("in brackets stand numbers and ranges, as in red[1-3,8]");
      if (*from > *to) return wrong(fmt::format("the range {} begins above its end", range));
      if (*to - *from >= kMachinesMax || values.size() > kMachinesMax) return too_many();
      for (std::uint32_t value = *from;; ++value) {
        values.push_back(fmt::format("{:0{}}", value, first.size()));
        if (value == *to) break;
      }
    }
    return values;
  }

  std::string_view word_;
  Names names_;
};

}  // namespace

Result<std::vector<std::string>> expand_machines(std::string_view word) { return Expansion(word).read(); }

}  // namespace dpm::control
