#include "trace/delivery_report.hpp"

#include <nlohmann/json.hpp>

#include "trace/files.hpp"
#include "trace/json_number.hpp"
#include "trace/log_folder.hpp"
#include "trace/refused_json.hpp"

namespace dpm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kDeliveryBytesMax = 256 * 1024 * 1024;

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
  json.at("connected").get_to(delivery.connected);
  json.at("ended").get_to(delivery.ended);
  delivery.seen = event_count(json.at("seen"));
  delivery.delivered = event_count(json.at("delivered"));
  for (const auto& loss : json.at("losses"))
    delivery.losses.push_back({loss.at("reason").get<std::string>(), event_count(loss.at("events"))});
  return delivery;
}

FilterAccount filter_account_from(const Json& filter) {
  return {filter.at("problem").get<std::string>(), event_count(filter.at("unwritten")),
          event_count(filter.at("filtered"))};
}

DeliveryReport report_from(const Json& json) {
  DeliveryReport report;
  report.finished = json.at("state").get<std::string>() == "finished";
  const auto& filter = json.at("filter");
  filter.at("program").get_to(report.program);
  report.filter_pid = whole_number<std::uint32_t>(filter.at("pid"));
  filter.at("ended").get_to(report.filter_ended);
  report.is_standard = filter.value("standard", false);
  if (report.is_standard) report.account = filter_account_from(filter);
  for (const auto& meter : json.at("meters")) report.meters.push_back(delivery_from(meter));
  const auto& refused = json.at("refused_connections");
  report.refused = {
      whole_number<std::uint64_t>(refused.at("not_authenticated")), whole_number<std::uint64_t>(refused.at("too_slow")),
      whole_number<std::uint64_t>(refused.at("too_many")), whole_number<std::uint64_t>(refused.at("broken_protocol")),
      whole_number<std::uint64_t>(refused.at("other_machine"))};
  return report;
}

}  // namespace

std::uint64_t DeliveryReport::delivered() const {
  std::uint64_t sum = 0;
  for (const auto& meter : meters) sum += meter.delivered;
  return sum;
}

std::string to_json(const DeliveryReport& report) {
  const auto& refused = report.refused;
  Json json = {{"format", "dpm-delivery"},
               {"version", 1},
               {"state", report.finished ? "finished" : "collecting"},
               {"filter",
                {{"program", report.program},
                 {"standard", report.is_standard},
                 {"pid", report.filter_pid},
                 {"ended", report.filter_ended},
                 {"problem", report.account.problem},
                 {"unwritten", report.account.unwritten},
                 {"filtered", report.account.filtered}}},
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
      return Error{path + ": not a report of deliveries, or of another version"};
    return report_from(json);
  } catch (const nlohmann::json::exception& wrong) {
    return refused_json(path, "not a report of deliveries", text, wrong);
  }
}

Result<std::optional<DeliveryReport>> read_delivery_report(const std::string& directory) {
  const auto text = read_file_of_log(directory, kDeliveryName, kDeliveryBytesMax);
  if (!text) return text.error();
  if (!*text) return std::optional<DeliveryReport>();
  auto report = delivery_report_from_json((*text)->path, (*text)->text);
  if (!report) return report.error();
  return std::optional(*std::move(report));
}

}  // namespace dpm
