#include "tests/control/transport/read_delivery.hpp"

#include <nlohmann/json.hpp>

namespace dpm::test {
namespace {

MeterDelivery delivery_of(const nlohmann::json& json) {
  MeterDelivery delivery;
  json.at("machine").get_to(delivery.meter.machine);
  json.at("pid").get_to(delivery.meter.pid);
  json.at("job").get_to(delivery.meter.job);
  json.at("name").get_to(delivery.meter.name);
  json.at("connected").get_to(delivery.connected);
  json.at("ended").get_to(delivery.ended);
  json.at("seen").get_to(delivery.seen);
  json.at("delivered").get_to(delivery.delivered);
  for (const auto& loss : json.at("losses"))
    delivery.losses.push_back({loss.at("reason").get<std::string>(), loss.at("events").get<std::uint64_t>()});
  return delivery;
}

}  // namespace

DeliveryReport read_delivery(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  DeliveryReport report;
  report.finished = json.at("state") == "finished";
  const auto& filter = json.at("filter");
  filter.at("program").get_to(report.program);
  filter.at("pid").get_to(report.filter_pid);
  filter.at("ended").get_to(report.filter_ended);
  for (const auto& meter : json.at("meters")) report.meters.push_back(delivery_of(meter));
  const auto& refused = json.at("refused_connections");
  refused.at("not_authenticated").get_to(report.refused.not_authenticated);
  refused.at("too_slow").get_to(report.refused.too_slow);
  refused.at("too_many").get_to(report.refused.too_many);
  refused.at("broken_protocol").get_to(report.refused.broken_protocol);
  refused.at("other_machine").get_to(report.refused.other_machine);
  return report;
}

}  // namespace dpm::test
