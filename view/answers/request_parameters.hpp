// The parameters of the requests that the page can make (request_table.hpp).
#pragma once

#include <cstddef>
#include <limits>
#include <string_view>

namespace dpm::view {

// Of a structure or an answer, or a parameter.
struct Field {
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  std::string_view name;  // "name?": it may be missing. "v#": v0, v1, ...
  std::string_view type;
  double least = -kNoLimit, most = kNoLimit;  // of each number in it
  std::size_t entries_most = 0;               // of a list; 0: any number
  double otherwise = -kNoLimit;               // the number that stands for one that is missing; -kNoLimit: none
  std::string_view like = {};                 // an example, for the sentence that refuses another value
  std::string_view says = {};                 // what a parameter is
};

namespace table {

inline constexpr double kFarthest_s = 2e9;  // 63 years

inline constexpr Field kFrom{.name = "from_s?",
                             .type = "number",
                             .least = -kFarthest_s,
                             .most = kFarthest_s,
                             .otherwise = 0,
                             .says = "where the window begins"};
inline constexpr Field kTo{.name = "to_s?",
                           .type = "number",
                           .least = -kFarthest_s,
                           .most = kFarthest_s,
                           .says = "where the window ends; without it, now"};
inline constexpr Field kWidth{
    .name = "width?", .type = "number", .least = 1, .most = 4096, .otherwise = 512, .says = "the number of bins"};
inline constexpr Field kThreads{
    .name = "threads?", .type = "boolean", .says = "true: each thread by itself, not summed into its process"};
inline constexpr Field kMost{.name = "most?",
                             .type = "number",
                             .least = 1,
                             .most = 10'000,
                             .otherwise = 40,
                             .says = "the number of paths, the most common first"};

inline constexpr Field kOfWindow[] = {kFrom, kTo, kThreads};
inline constexpr Field kOfBins[] = {kFrom, kTo, kWidth, kThreads};
inline constexpr Field kOfSeries[] = {
    kFrom,
    kTo,
    kWidth,
    kThreads,
    {.name = "of",
     .type = "SeriesOf[]",
     .entries_most = 32,
     .like = R"([{"what": "messages", "from": 0, "to": 1}])",
     .says = "the values, each of a process, of a pair, of a machine, or of the whole run"}};
inline constexpr Field kOfSpaceTime[] = {kFrom,
                                         kTo,
                                         kWidth,
                                         kThreads,
                                         {.name = "rows?",
                                          .type = "ProcessId[]",
                                          .entries_most = 512,
                                          .like = "[0, 3]",
                                          .says = "the processes; without it, those that did most"},
                                         {.name = "rows_max?",
                                          .type = "number",
                                          .least = 1,
                                          .most = 512,
                                          .otherwise = 64,
                                          .says = "how many of these at most"}};
inline constexpr Field kOfMessage[] = {
    {.name = "arc", .type = "number", .least = 0, .most = 9e15, .says = "an `arc_id` of `spacetime`"}};
inline constexpr Field kOfEventAt[] = {
    {.name = "process", .type = "ProcessId", .says = "the number of a process"},
    {.name = "at_s?",
     .type = "number",
     .least = -kFarthest_s,
     .most = kFarthest_s,
     .otherwise = 0,
     .says = "the moment"},
    {.name = "direction?", .type = "'before' | 'after'", .says = "only events before or after it; without it, both"}};
inline constexpr Field kPartFrom{.name = "from_s?",
                                 .type = "number",
                                 .least = -kFarthest_s,
                                 .most = kFarthest_s,
                                 .says = "where the part begins; without it, with the first event"};
inline constexpr Field kPartTo{.name = "to_s?",
                               .type = "number",
                               .least = -kFarthest_s,
                               .most = kFarthest_s,
                               .says = "where the part ends; without it, with the last event"};
inline constexpr Field kOfPart[] = {kPartFrom, kPartTo};
inline constexpr Field kOfBlame[] = {{.name = "of?",
                                      .type = "number",
                                      .least = -1,
                                      .most = 4e9,
                                      .otherwise = -1,
                                      .says = "the number of a process; -1: the one that was seen longest"},
                                     kPartFrom,
                                     kPartTo};
inline constexpr Field kOfPaths[] = {kMost};
inline constexpr Field kOfRequest[] = {{.name = "number?",
                                        .type = "number",
                                        .least = 0,
                                        .most = 4e9,
                                        .otherwise = 0,
                                        .says = "the requests are numbered in the order in which they began, from 0"}};

inline constexpr Field kMachineOf{.name = "machine_of?",
                                  .type = "Record<string, string>",
                                  .like = R"({"process": "machine"})",
                                  .says = "the machines of processes that move"};
inline constexpr Field kMachines{.name = "machines?",
                                 .type = "Record<string, MachineChange>",
                                 .like = R"({"name": {"speed": 2, "cores": 4}})",
                                 .says = "machines that change, or are new"};
inline constexpr Field kDelayFactor{.name = "delay_factor?",
                                    .type = "number",
                                    .least = 0,
                                    .most = 1e6,
                                    .otherwise = 1,
                                    .says = "how much longer messages between machines take"};
inline constexpr Field kReplicas{.name = "replicas?",
                                 .type = "Record<string, number>",
                                 .least = 1,
                                 .most = 1000,
                                 .like = R"({"process": 2})",
                                 .says = "copies of processes"};
inline constexpr Field kInterval{
    .name = "interval?", .type = "boolean", .says = "true: with the interval of the prediction, which takes longer"};
inline constexpr Field kOfPlan[] = {kMachineOf, kMachines, kDelayFactor, kReplicas};
inline constexpr Field kOfPrediction[] = {kMachineOf, kMachines, kDelayFactor, kReplicas, kInterval};

inline constexpr Field kSeriesOf[] = {
    {"what",
     "'cpu' | 'sent' | 'received' | 'sent_bytes' | 'received_bytes' | 'waiting' | 'queue' | 'messages' | 'bytes' | "
     "'load' | 'memory' | 'swap' | 'faults' | 'swapped' | 'disk_read' | 'disk_written' | 'disk_busy'"},
    {"process?", "ProcessId"},
    {"machine?", "number"},
    {"from?", "ProcessId"},
    {"to?", "ProcessId"}};
inline constexpr Field kMachineChange[] = {{.name = "speed?", .type = "number", .least = 1e-9, .most = 1e9},
                                           {.name = "cores?", .type = "number", .least = 1, .most = 65535}};

}  // namespace table
}  // namespace dpm::view
