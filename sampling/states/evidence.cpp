#include "sampling/states/evidence.hpp"

#include <fmt/format.h>

namespace dpm::sampling {

std::string Evidence::to_text() const {
  std::string text = fmt::format("{} {}", letter, wchan.empty() ? "-" : wchan);
  if (call.number == SystemCall::kNotInACall) return text + " outside of a call";
  if (call.number == SystemCall::kUnknown) return text + " call not known";
  text += fmt::format(" call {}", call.number);
  if (descriptor != DescriptorKind::none) text += fmt::format(" {}", name_of(descriptor));
  return text;
}

}  // namespace dpm::sampling
