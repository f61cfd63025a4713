#include "trace/delivery_report.hpp"

#include <nlohmann/json.hpp>

namespace dpm {
namespace {

using Json = nlohmann::ordered_json;

Json delivery_json(const MeterDelivery& delivery) {
  Json losses = Json::array();
  for (const auto& loss : delivery.losses) losses.push_back({{"reason", loss.reason}, {"events", loss.events}});
  return {{"machine", delivery.meter.machine},
          {"pid", delivery.meter.pid},
          {"job", delivery.meter.job},
          {"name", delivery.meter.name},
          {"connected", delivery.connected},
          {"ended", delivery.ended},
          {"seen", delivery.seen},
          {"delivered", delivery.delivered},
          {"losses", losses}};
}

}  // namespace

std::string to_json(const DeliveryReport& report) {
  const auto& refused = report.refused;
  Json json = {{"format", "dpm-delivery"},
               {"version", 1},
               {"state", report.finished ? "finished" : "collecting"},
               {"filter", {{"program", report.program}, {"pid", report.filter_pid}, {"ended", report.filter_ended}}},
               {"meters", Json::array()},
               {"refused_connections",
                {{"not_authenticated", refused.not_authenticated},
                 {"too_slow", refused.too_slow},
                 {"too_many", refused.too_many},
                 {"broken_protocol", refused.broken_protocol},
                 {"other_machine", refused.other_machine}}}};
  for (const auto& meter : report.meters) json["meters"].push_back(delivery_json(meter));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dpm
