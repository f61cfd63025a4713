#include "view/report.hpp"

#include <nlohmann/json.hpp>

#include "view/page/page.hpp"
#include "view/report_json.hpp"

namespace dpm::view {

using Json = nlohmann::ordered_json;

std::string render_report(const ReportInput& report, const Json& views) {
  Json data = {{"report", report_json(report)}};
  if (views.is_object()) data.update(views);
  // Names of programs may be any bytes.
  return page_with_data(data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string render_report(const ReportInput& report) { return render_report(report, nullptr); }

}  // namespace dpm::view
