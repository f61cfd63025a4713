#include "view/page/page.hpp"

#include <algorithm>

#include "model/check.hpp"
#include "view/page/page_bytes.hpp"

namespace dpm::view {
namespace {

constexpr std::string_view kNoData = R"(<script type="application/json" id="data">null</script>)";
constexpr std::string_view kDataBegin = R"(<script type="application/json" id="data">)";
constexpr std::string_view kDataEnd = "</script>";

}  // namespace

std::string_view page_html() { return page_bytes(); }

std::string page_with_data(std::string_view json) {
  const std::string_view page = page_bytes();
  const auto place = page.find(kNoData);
  DPM_CHECK(place != std::string_view::npos);
  std::string result;
  result.reserve(page.size() + json.size() + json.size() / 16);
  result.append(page.substr(0, place)).append(kDataBegin);
  for (std::size_t at = 0; at < json.size();) {
    const auto next = std::min(json.find('<', at), json.size());
    result.append(json.substr(at, next - at));
    if (next < json.size()) result.append("\\u003c");
    at = next + 1;
  }
  return result.append(kDataEnd).append(page.substr(place + kNoData.size()));
}

}  // namespace dpm::view
