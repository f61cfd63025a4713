#include "control/client/own_names.hpp"

#include <fmt/format.h>

namespace dpm::control {

Result<std::string> OwnNames::of(const std::string& known) const {
  const auto found = own_.find(known);
  if (found == own_.end() || found->second == known) return known;
  const std::string& own = found->second;
  if (own.empty() || own.find('/') != std::string::npos)
    return Error{fmt::format("machine {} calls itself '{}', which cannot be the name of a machine", known, own)};
  for (const auto& [other, name] : own_)
    if (other != known && (other == own || name == own))
      return Error{
          fmt::format("machine {} calls itself '{}', as machine {} does: their events could not be told apart. "
                      "Give it another host name",
                      known, own, other)};
  return own;
}

}  // namespace dpm::control
