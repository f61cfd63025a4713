#include "trace/delivery_report.hpp"

#include <fmt/format.h>

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

MeterDelivery delivery_from(const Json& json) {
  MeterDelivery delivery;
  delivery.meter = {json.at("machine").get<std::string>(), json.at("pid").get<std::uint32_t>(),
                    json.at("job").get<std::string>(), json.at("name").get<std::string>()};
  delivery.connected = json.at("connected").get<bool>();
  delivery.ended = json.at("ended").get<bool>();
  delivery.seen = json.at("seen").get<std::uint64_t>();
  delivery.delivered = json.at("delivered").get<std::uint64_t>();
  for (const auto& loss : json.at("losses"))
    delivery.losses.push_back({loss.at("reason").get<std::string>(), loss.at("events").get<std::uint64_t>()});
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
    report.filter_pid = filter.at("pid").get<std::uint32_t>();
    report.filter_ended = filter.at("ended").get<std::string>();
    for (const auto& meter : json.at("meters")) report.meters.push_back(delivery_from(meter));
    const Json& refused = json.at("refused_connections");
    report.refused = {refused.at("not_authenticated").get<std::uint64_t>(), refused.at("too_slow").get<std::uint64_t>(),
                      refused.at("too_many").get<std::uint64_t>(), refused.at("broken_protocol").get<std::uint64_t>(),
                      refused.value("other_machine", std::uint64_t{0})};
    return report;
  } catch (const nlohmann::json::exception& wrong) {
    return Error{fmt::format("{}: not a report of what was delivered: {}", path, wrong.what())};
  }
}

}  // namespace dpm
