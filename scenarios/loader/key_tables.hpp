// Every key a scenario file may have, by object. The loader refuses all others; scenario.schema.json has a definition
// of the same name with the same keys (tests/scenarios compares them).
#pragma once

#include <vector>

#include "scenarios/document/reading.hpp"

namespace dpm {

struct KeyTables {
  KeyTable scenario{"scenario", "a scenario", {"$schema",         "name",
                                               "summary",         "parameters",
                                               "machines",        "delays",
                                               "network",         "kinds",
                                               "semaphores",      "programs",
                                               "processes",       "meter",
                                               "filters",         "placements",
                                               "placement",       "faults",
                                               "scheduler",       "seed",
                                               "time_limit_s",    "message_limit",
                                               "services_finish", "move_data_message_bytes",
                                               "spawnable",       "sweeps",
                                               "analyses",        "predictions",
                                               "published",       "study"}};
  KeyTable parameter{"parameter", "a parameter", {"default", "meaning"}};
  KeyTable machine{"machine", "a machine", {"name", "count", "speed", "cores", "clock", "accepts"}};
  KeyTable clock{"clock", "a clock", {"offset_s", "drift_ppm", "tick_s"}};
  KeyTable delays{"delays", "a delay model", {"$schema", "name", "local", "remote", "pairs", "metering", "measured"}};
  KeyTable delay_class{"delay_class", "a delay class", {"delivery_s", "sender_cpu_s", "receiver_cpu_s", "wake_up"}};
  KeyTable delay_pair{
      "delay_pair", "a delay pair", {"machines", "delivery_s", "sender_cpu_s", "receiver_cpu_s", "wake_up"}};
  KeyTable network_link{"network_link", "a link", {"machines", "delay_s", "loss", "bytes_per_s"}};
  KeyTable wake_up{"wake_up", "a wake-up", {"delivery_s", "sender_cpu_s", "receiver_cpu_s"}};
  KeyTable wake_up_point{
      "wake_up_point", "a wake-up after being idle", {"idle_s", "delivery_s", "sender_cpu_s", "receiver_cpu_s"}};
  KeyTable metering{"metering",
                    "the cost of metering",
                    {"call_cpu_s", "waiting_call_cpu_s", "call_elapsed_s", "waiting_call_elapsed_s", "wake_up"}};
  KeyTable process{"process",
                   "a process",
                   {"name", "count", "program", "parameters", "machine", "links", "flags", "filter", "in_computation",
                    "service", "created_later"}};
  KeyTable meter{"meter",
                 "the meter",
                 {"flags", "buffered_events", "cpu_per_event_s", "cpu_per_meter_message_s", "bytes_per_event",
                  "delayed_delivery"}};
  KeyTable filter{"filter", "a filter", {"name", "machine", "templates", "rules"}};
  KeyTable fault{"fault", "a fault", {"at_s", "kind", "machine", "restart", "machines", "process", "speed"}};
  KeyTable scheduler{
      "scheduler",
      "a scheduler",
      {"policy", "machine", "processes", "every_s", "window_s", "settling_s", "hold_s", "horizon_s", "decision_cpu_s",
       "gain_min", "evaluations", "state_bytes", "placement", "compare", "static_placements_max"}};
  KeyTable spawnable{"spawnable", "a spawnable program", {"name", "program", "parameters", "in_computation"}};
  KeyTable sweep{"sweep", "a sweep", {"name", "parameter", "values", "over", "placements", "seeds"}};
  KeyTable analysis{
      "analysis",
      "an analysis",
      {"kind", "name", "processes", "method", "order", "external_time", "placements", "requestors", "systems"}};
  KeyTable prediction{
      "prediction", "a prediction", {"name", "placements", "seeds", "parameters", "processes", "method", "order"}};
  KeyTable published{"published", "a published figure", {"label", "figure", "quantity", "value", "within"}};
  KeyTable study{"study", "the study", {"sweeps", "predictions"}};

  // Also those of programs and their steps (scenarios/behaviour).
  std::vector<const KeyTable*> all() const;
};

const KeyTables& key_tables();

}  // namespace dpm
