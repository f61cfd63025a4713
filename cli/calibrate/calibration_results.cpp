#include "cli/calibrate/calibration_results.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "text/number_text.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string micro(double seconds) { return fixed(seconds * 1e6, 2); }

std::string with_interval(const Measured& measured) {
  return fmt::format("{} ({} to {})", micro(measured.median), micro(measured.low), micro(measured.high));
}

Json table_json(const PiecewiseLinear& line) {
  Json table = Json::array();
  for (const auto& [bytes, seconds] : line.points()) table.push_back({bytes, seconds});
  return table;
}

Json wake_up_json(const WakeUp& costs) {
  return {
      {"delivery_s", costs.delivery_s}, {"sender_cpu_s", costs.sender_cpu_s}, {"receiver_cpu_s", costs.receiver_cpu_s}};
}

Json wake_ups_json(const WakeUps& wake_ups) {
  Json list = Json::array();
  for (const auto& [idle_s, costs] : wake_ups.points()) {
    Json point = {{"idle_s", idle_s}};
    point.update(wake_up_json(costs));
    list.push_back(std::move(point));
  }
  return list;
}

Json measured_json(const Measured& measured) { return {measured.median, measured.low, measured.high}; }

Json by_size_json(const std::map<std::uint32_t, Measured>& by_size) {
  Json json = Json::object();
  for (const auto& [bytes, measured] : by_size) json[std::to_string(bytes)] = measured_json(measured);
  return json;
}

Json wake_up_figures_json(const std::vector<WakeUpFigures>& wake_ups) {
  Json list = Json::array();
  for (const auto& figures : wake_ups)
    list.push_back({{"idle_s", measured_json(figures.idle)},
                    {"delivery_s", measured_json(figures.delivery)},
                    {"sender_cpu_s", measured_json(figures.sender_cpu)},
                    {"receiver_cpu_s", measured_json(figures.receiver_cpu)}});
  return list;
}

Json transport_json(const TransportFigures& figures) {
  return {{"send_cpu_s", by_size_json(figures.send_cpu)},
          {"receive_cpu_s", by_size_json(figures.receive_cpu)},
          {"local_round_trip_s", by_size_json(figures.local_round_trip)},
          {"local_round_trip_cpu_s", by_size_json(figures.local_round_trip_cpu)},
          {"remote_watched_s", by_size_json(figures.remote_watched)},
          {"remote_asleep_s", by_size_json(figures.remote_asleep)},
          {"wake_ups", wake_up_figures_json(figures.wake_ups)},
          {"metered_call_cpu_s", measured_json(figures.metered_call_cpu)},
          {"metered_call_elapsed_s", measured_json(figures.metered_call_elapsed)},
          {"metered_waiting_call_cpu_s", measured_json(figures.metered_waiting_cpu)},
          {"metered_waiting_call_elapsed_s", measured_json(figures.metered_waiting_elapsed)},
          {"metered_wake_up_sender_cpu_s", measured_json(figures.metered_wake_up_sender_cpu)},
          {"metered_wake_up_receiver_cpu_s", measured_json(figures.metered_wake_up_receiver_cpu)}};
}

}  // namespace

std::string calibration_text(const CalibrationResult& result, int width) {
  const bool apart = result.plan.core_a != result.plan.core_b;
  TextTable messages({"over", ">bytes", ">send, CPU us", ">receive, CPU us", ">one core, us", ">two cores, us",
                      ">... and asleep, us"});
  TextTable wake_ups({"over", ">idle, us", ">CPU of sender, us", ">of receiver, us", ">later by, us"});
  TextTable costs({"over", "us", ">median (quartiles)"});
  for (const auto& [transport, figures] : result.of) {
    const std::string name(name_of(transport));
    for (const auto& [bytes, send] : figures.send_cpu) {
      const auto of_two = [bytes = bytes](const std::map<std::uint32_t, Measured>& by_size) {
        return by_size.contains(bytes) ? micro(by_size.at(bytes).median) : "-";
      };
      messages.add_row({name, std::to_string(bytes), micro(send.median), micro(figures.receive_cpu.at(bytes).median),
                        micro(figures.local_round_trip.at(bytes).median / 2), of_two(figures.remote_watched),
                        of_two(figures.remote_asleep)});
    }
    const auto add = [&](const std::string& what, const Measured& measured) {
      costs.add_row({name, what, with_interval(measured)});
    };
    for (const auto& after : figures.wake_ups)
      wake_ups.add_row({name, micro(after.idle.median), with_interval(after.sender_cpu),
                        with_interval(after.receiver_cpu), with_interval(after.delivery)});
    add("a metered call: CPU time that it adds to the trace", figures.metered_call_cpu);
    add("... and it takes longer by", figures.metered_call_elapsed);
    add("a metered call that waits: CPU time that it adds to the trace", figures.metered_waiting_cpu);
    add("... and it takes longer by", figures.metered_waiting_elapsed);
    if (!apart) continue;
    add("waking a process on the other core, metered: CPU of the sender", figures.metered_wake_up_sender_cpu);
    add("... of the receiver", figures.metered_wake_up_receiver_cpu);
  }
  const std::string of_waking =
      apart ? "\nwaking a process on the other core, by how long that core was idle\n" + wake_ups.to_text(width) : "";
  return messages.to_text(width) + of_waking + "\n" + costs.to_text(width);
}

Json calibration_json(const CalibrationResult& result) {
  const DelayModel& delays = result.calibration.delays;
  const MeteringCost& metering = result.calibration.metering;
  Json measured = {{"cores", {result.plan.core_a, result.plan.core_b}},
                   {"source", result.plan.source},
                   {"repeats", result.plan.repeats},
                   {"messages", result.plan.messages},
                   {"measured_again", result.measured_again},
                   {"unusable", result.unusable},
                   {"figures", "[median, lower quartile, upper quartile]"}};
  for (const auto& [transport, figures] : result.of)
    measured[std::string(name_of(transport))] = transport_json(figures);
  return {{"name", delays.name},
          {"local", {{"delivery_s", table_json(delays.local.delivery_s)}}},
          {"remote",
           {{"delivery_s", table_json(delays.remote.delivery_s)}, {"wake_up", wake_ups_json(delays.remote.wake_ups)}}},
          {"metering",
           {{"call_cpu_s", metering.call_cpu_s},
            {"waiting_call_cpu_s", metering.waiting_call_cpu_s},
            {"call_elapsed_s", metering.call_elapsed_s},
            {"waiting_call_elapsed_s", metering.waiting_call_elapsed_s},
            {"wake_up", wake_up_json(metering.wake_up)}}},
          {"measured", std::move(measured)}};
}

}  // namespace dpm::cli
