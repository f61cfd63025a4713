#include "trace/delivery_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "trace/json_number.hpp"
#include "trace/refused_json.hpp"

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

MeterDelivery delivery_from(const Json& json) {
  MeterDelivery delivery;
  delivery.meter = {json.at("machine").get<std::string>(), whole_number<std::uint32_t>(json.at("pid")),
                    json.at("job").get<std::string>(), json.at("name").get<std::string>()};
  delivery.connected = json.at("connected").get<bool>();
  delivery.ended = json.at("ended").get<bool>();
  delivery.seen = whole_number<std::uint64_t>(json.at("seen"));
  delivery.delivered = whole_number<std::uint64_t>(json.at("delivered"));
  for (const auto& loss : json.at("losses"))
    delivery.losses.push_back({loss.at("reason").get<std::string>(), whole_number<std::uint64_t>(loss.at("events"))});
  return delivery;
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

Result<DeliveryReport> delivery_report_from_json(const std::string& path, const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("format") != "dpm-delivery" || json.at("version") != 1)
      return Error{path + ": not a report of what was delivered, or of another version"};
    DeliveryReport report;
    report.finished = json.at("state") == "finished";
    const Json& filter = json.at("filter");
    report.program = filter.at("program").get<std::string>();
    report.filter_pid = whole_number<std::uint32_t>(filter.at("pid"));
    report.filter_ended = filter.at("ended").get<std::string>();
    for (const auto& meter : json.at("meters")) report.meters.push_back(delivery_from(meter));
    const Json& refused = json.at("refused_connections");
    report.refused = {whole_number<std::uint64_t>(refused.at("not_authenticated")),
                      whole_number<std::uint64_t>(refused.at("too_slow")),
                      whole_number<std::uint64_t>(refused.at("too_many")),
                      whole_number<std::uint64_t>(refused.at("broken_protocol")),
                      refused.contains("other_machine") ? whole_number<std::uint64_t>(refused.at("other_machine")) : 0};
    return report;
  } catch (const nlohmann::json::exception& wrong) {
    return refused_json(path, "not a report of what was delivered", text, wrong);
  }
}

}  // namespace dpm
