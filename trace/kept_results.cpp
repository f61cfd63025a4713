#include "trace/kept_results.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

#include "trace/files.hpp"

namespace dpm {

bool holds_results(const std::string& path) {
  auto file = FileReader::open(path);
  std::array<std::byte, kResultsMagic.size()> begin{};
  if (!file || file->read(begin) != begin.size()) return false;
  return std::string_view(reinterpret_cast<const char*>(begin.data()), begin.size()) == kResultsMagic;
}

Error results_are_no_trace(const std::string& path) {
  return Error{fmt::format(
      "{} has results that 'dpm meter --summary' kept instead of a trace, and this needs the events of a trace: meter "
      "without --summary ('dpm statistics', 'dpm queues' and 'dpm report' read such a file)",
      path)};
}

}  // namespace dpm
