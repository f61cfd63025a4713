// Everything that the page can ask, and the answers: the one list of requests between page and server.
//
// From this table follow the dispatch and the check of parameters (answers/live), the types of the page's script
// (view/page/source/requests.ts), and the list in docs/live-page.md. tests/view/answers compares the latter two with it,
// tests/answers/live plays each request and compares the answers with it.
//
// A type is written as in TypeScript: "number", "string", "boolean", "unknown", a text or value in quotation marks or
// none ('after', true, null), a structure by its name, and of these "T[]", "Record<string, T>" and "T | U". "ProcessId" is
// the number of a process. "f64", "f32", "u32" and "u8" are arrays beside the JSON of an answer (answer.hpp).
#pragma once

#include <span>
#include <string_view>

#include "view/answers/request_parameters.hpp"

namespace dpm::view {

struct Structure {
  std::string_view name;
  std::span<const Field> fields;
};

struct Request {
  std::string_view name;
  std::span<const Field> parameters;
  std::string_view answer;        // the name of a structure, or of several
  std::string_view says;          // what is in the answer
  bool may_be_computing = false;  // the answer may be a Computing while the trace is analysed
};

namespace table {

// ---- What of the trace an answer is of

// A trace that grows has versions: the number of events, the time of the last, and whether it is still recorded. `is_final`: no later answer will
// differ. `working`: the share that is done of the work whose end brings a later answer; 0: it has not begun.
inline constexpr Field kAsOf[] = {{"events", "number"},
                                  {"to_s", "number"},
                                  {"state", "'recording' | 'ended' | 'cut off'"},
                                  {"is_final", "boolean"},
                                  {"working?", "number"}};
inline constexpr Field kStamped[] = {{"as_of", "AsOf"}};  // what each answer has, beside its own fields

// ---- The run: describe, overview

inline constexpr Field kMachine[] = {{"id", "number"},    {"name", "string"},     {"speed", "number"},
                                     {"cores", "number"}, {"accepts", "boolean"}, {"summaries", "boolean"}};
inline constexpr Field kProcess[] = {{"id", "ProcessId"},   {"name", "string"},
                                     {"program", "string"}, {"machine", "number | null"},
                                     {"pid", "number"},     {"group", "ProcessId | null"},
                                     {"cgroup", "string"},  {"in_computation", "boolean"},
                                     {"outside", "boolean"}};
inline constexpr Field kCan[] = {{"predict", "boolean"}, {"follow", "boolean"}, {"live_queues", "boolean"}};
inline constexpr Field kWhyNot[] = {{"predict?", "string"}, {"live_queues?", "string"}};
inline constexpr Field kDescription[] = {{"title", "string"},
                                         {"source", "string"},
                                         {"state", "'recording' | 'ended' | 'cut off'"},
                                         {"started", "number | null"},
                                         {"now_s", "number"},
                                         {"version", "number"},
                                         {"dpm", "string"},
                                         {"machines", "Machine[]"},
                                         {"processes", "Process[]"},
                                         {"common_time", "boolean"},
                                         {"can", "Can"},
                                         {"why_not", "WhyNot"},
                                         {"read", "number"}};
inline constexpr Field kLoss[] = {{"reason", "string"}, {"events", "number"}};
inline constexpr Field kRunLedger[] = {{"seen", "number"}, {"kept", "number"},   {"filtered", "number"},
                                       {"lost", "number"}, {"losses", "Loss[]"}, {"text", "string"}};
inline constexpr Field kWarning[] = {{"text", "string"}, {"advice", "string"}};
inline constexpr Field kMove[] = {{"process", "string"}, {"from", "string"}, {"to", "string"}};
inline constexpr Field kGain[] = {{"expected", "number | null"}, {"low", "number | null"}, {"high", "number | null"}};
inline constexpr Field kDecision[] = {
    {"at_s", "number | null"},          {"moves", "Move[]"},   {"predicted_gain", "Gain | null"},
    {"measured_gain", "number | null"}, {"outcome", "string"}, {"reason", "string"}};
inline constexpr Field kSchedule[] = {{"policy", "string"},
                                      {"places", "string[]"},
                                      {"dry_run", "boolean"},
                                      {"decisions", "number"},
                                      {"journal", "Decision[]"}};
inline constexpr Field kOverview[] = {{"P_now", "number | null"},
                                      {"P_run", "number | null"},
                                      {"P_best", "number | null"},
                                      {"P_best_as_of", "AsOf | null"},
                                      {"P_method", "string"},
                                      {"cpu_s", "number"},
                                      {"cpu_all_s", "number"},
                                      {"messages", "number"},
                                      {"bytes", "number"},
                                      {"step_s", "number"},
                                      {"queued", "number | null"},
                                      {"processes_running", "number"},
                                      {"elapsed_s", "number"},
                                      {"ledger", "RunLedger"},
                                      {"warnings", "Warning[]"},
                                      {"schedule?", "Schedule | null"},
                                      {"t_s", "f64"},
                                      {"P_of", "f64"},
                                      {"P_best_of", "f64"},
                                      {"messages_of", "f64"},
                                      {"bytes_of", "f64"},
                                      {"queued_of", "f64"}};

// ---- Over time: traffic, series, levels

inline constexpr Field kTraffic[] = {{"span_s", "number"},
                                     {"before_span_s", "number"},
                                     {"process", "u32"},
                                     {"cpu_s", "f64"},
                                     {"waiting_s", "f64"},
                                     {"queue", "f64"},
                                     {"from", "u32"},
                                     {"to", "u32"},
                                     {"messages", "f64"},
                                     {"bytes", "f64"},
                                     {"before_messages", "f64"},
                                     {"before_bytes", "f64"}};
inline constexpr Field kSeries[] = {{"step_s", "number"}, {"t_s", "f64"}, {"v#", "f64"}};
inline constexpr Field kProcessLevels[] = {{"process", "ProcessId"},
                                           {"at", "number[]"},
                                           {"cpu_s", "number[]"},
                                           {"waiting_s", "number[]"},
                                           {"queue?", "number[]"}};
inline constexpr Field kPairLevels[] = {
    {"from", "ProcessId"}, {"to", "ProcessId"}, {"at", "number[]"}, {"messages", "number[]"}, {"bytes", "number[]"}};
inline constexpr Field kMachineLevels[] = {{"machine", "number"},
                                           {"load", "(number | null)[]"},
                                           {"memory", "(number | null)[]"},
                                           {"swap", "(number | null)[]"},
                                           {"faults", "(number | null)[]"},
                                           {"swapped", "(number | null)[]"},
                                           {"disk_read", "(number | null)[]"},
                                           {"disk_written", "(number | null)[]"},
                                           {"disk_busy", "(number | null)[]"}};
inline constexpr Field kLevels[] = {{"from_s", "number"},
                                    {"step_s", "number"},
                                    {"bins", "number"},
                                    {"processes", "ProcessLevels[]"},
                                    {"pairs", "PairLevels[]"},
                                    {"P_best", "(number | null)[]"},
                                    {"machines?", "MachineLevels[]"}};

// ---- The space-time diagram: spacetime, message, event_at

inline constexpr Field kRow[] = {{"process", "ProcessId"}, {"machine", "number | null"}};
inline constexpr Field kInsideEvent[] = {{"action", "string"}, {"object", "string"}, {"function", "string"}};
inline constexpr Field kSingleEvents[] = {
    {"exact", "true"},           {"rows", "Row[]"},        {"rows_left_out", "number"},
    {"arcs_left_out", "number"}, {"seg_row", "u32"},       {"seg_kind", "u8"},
    {"seg_from", "f64"},         {"seg_to", "f64"},        {"seg_critical", "u8"},
    {"arc_from", "u32"},         {"arc_to", "u32"},        {"arc_sent", "f64"},
    {"arc_received", "f64"},     {"arc_bytes", "f64"},     {"arc_kind", "u8"},
    {"arc_critical", "u8"},      {"arc_id", "f64"},        {"inside_events?", "InsideEvent[]"},
    {"inside_row?", "u32"},      {"inside_event?", "u32"}, {"inside_t?", "f64"},
    {"inside_value?", "f64"}};
inline constexpr Field kBinnedEvents[] = {{"exact", "false"},          {"rows", "Row[]"},   {"rows_left_out", "number"},
                                          {"arcs_left_out", "number"}, {"bin_row", "u32"},  {"bin_from", "f64"},
                                          {"bin_to", "f64"},           {"bin_work", "f32"}, {"bin_wait", "f32"},
                                          {"flow_from", "u32"},        {"flow_to", "u32"},  {"flow_t", "f64"},
                                          {"flow_messages", "f64"}};
inline constexpr Field kMessage[] = {
    {"from", "ProcessId"},       {"to", "ProcessId"},          {"bytes", "number"},  {"sent_s", "number"},
    {"received_s", "number"},    {"evidence", "string"},       {"past", "number[]"}, {"future", "number[]"},
    {"past_left_out", "number"}, {"future_left_out", "number"}};
inline constexpr Field kEventAt[] = {{"at_s", "number"}, {"type", "string"}, {"index", "number"}};

// ---- The analyses of the whole trace

inline constexpr Field kComputing[] = {{"computing", "number"}};
inline constexpr Field kLedger[] = {{"seen", "number"},    {"kept", "number"},   {"filtered", "number"},
                                    {"lost", "number"},    {"losses", "Loss[]"}, {"warnings", "string[]"},
                                    {"removed?", "number"}};
inline constexpr Field kWaits[] = {{"count", "number"}, {"waited_s", "number"}};
inline constexpr Field kProcessStatistics[] = {{"process", "string"},
                                               {"program", "string"},
                                               {"machine", "string"},
                                               {"in_computation", "boolean"},
                                               {"cpu_s", "number"},
                                               {"cpu_percent", "number"},
                                               {"sent", "number"},
                                               {"sent_percent", "number"},
                                               {"sent_bytes", "number"},
                                               {"sent_bytes_percent", "number"},
                                               {"received", "number"},
                                               {"received_bytes", "number"},
                                               {"sent_local", "number"},
                                               {"sent_remote", "number"},
                                               {"events", "Record<string, number>"},
                                               {"cgroup?", "string"},
                                               {"ready_s?", "number"},
                                               {"disk_s?", "number"},
                                               {"waits?", "Record<string, Waits>"}};
inline constexpr Field kPairStatistics[] = {
    {"from", "string"},       {"to", "string"},         {"count", "number"},  {"bytes", "number"},
    {"mean_bytes", "number"}, {"data_count", "number"}, {"remote", "number"}, {"counted_by", "'SEND' | 'RECEIVE'"}};
inline constexpr Field kSizes[] = {{"bytes_at_least", "number"}, {"count", "number"}, {"share", "number"}};
inline constexpr Field kDensity[] = {{"from_ns", "number"}, {"width_ns", "number"}, {"messages", "number[]"}};
inline constexpr Field kMachineStatistics[] = {{"machine", "string"},
                                               {"sent", "number"},
                                               {"sent_bytes", "number"},
                                               {"messages_per_second", "number"},
                                               {"density", "Density"}};
inline constexpr Field kQuantitySums[] = {{"quantity", "string"},    {"count", "number"}, {"mean", "number"},
                                          {"least", "number"},       {"most", "number"},  {"last", "number"},
                                          {"total", "number | null"}};
inline constexpr Field kMachineSums[] = {
    {"machine", "string"}, {"covered_s", "number"}, {"quantities", "QuantitySums[]"}};
inline constexpr Field kStatistics[] = {{"processes", "ProcessStatistics[]"},
                                        {"messages", "PairStatistics[]"},
                                        {"sizes", "Sizes[]"},
                                        {"machines", "MachineStatistics[]"},
                                        {"local", "number"},
                                        {"remote", "number"},
                                        {"events", "number"},
                                        {"warnings", "string[]"},
                                        {"ledger", "Ledger"},
                                        {"summaries?", "MachineSums[]"}};

inline constexpr Field kBucket[] = {{"from_s", "number"}, {"to_s", "number"}, {"count", "number"}};
inline constexpr Field kWaitParts[] = {{"total_s", "number"}, {"message_s", "number"}, {"cpu_s", "number"},
                                       {"disk_s", "number"},  {"ran_s", "number"},     {"other_s", "number"}};
inline constexpr Field kUnmeasuredQueue[] = {{"process", "string"}, {"measured", "false"}, {"received", "number"}};
inline constexpr Field kMeasuredQueue[] = {{"process", "string"},
                                           {"measured", "true"},
                                           {"received", "number"},
                                           {"queued", "number"},
                                           {"queue_max", "number"},
                                           {"queue_mean", "number"},
                                           {"queue_mean_by_operation", "number"},
                                           {"queue_distribution", "number[]"},
                                           {"wait_min_s", "number"},
                                           {"wait_mean_s", "number"},
                                           {"wait_median_s", "number"},
                                           {"wait_p95_s", "number"},
                                           {"wait_max_s", "number"},
                                           {"wait_distribution", "Bucket[]"},
                                           {"still_queued", "number"},
                                           {"waits_across_machines", "number"},
                                           {"messages_waited?", "WaitParts"}};
inline constexpr Field kOwnWaits[] = {
    {"process", "string"}, {"waits_for_messages", "number"}, {"to_receive", "WaitParts"}, {"at_work", "WaitParts"}};
inline constexpr Field kQueues[] = {{"processes", "(MeasuredQueue | UnmeasuredQueue)[]"},
                                    {"own_waits", "OwnWaits[]"},
                                    {"warnings", "string[]"},
                                    {"ledger", "Ledger"}};

inline constexpr Field kParallelRun[] = {{"T_s", "number"}, {"elapsed_s", "number"}, {"P", "number"}};
inline constexpr Field kParallelStep[] = {{"T_s", "number"}, {"t_max_s", "number"}, {"P", "number"}};
inline constexpr Field kMachineLoad[] = {
    {"machine", "string"},         {"known_from", "string"},       {"cpu_s", "number"},
    {"other_processes", "number"}, {"run_queue_wait_s", "number"}, {"run_queue_wait_for_others_s", "number"}};
inline constexpr Field kOtherLoad[] = {
    {"T_s", "number"}, {"t_max_s", "number"}, {"P", "number"}, {"machines", "MachineLoad[]"}};
inline constexpr Field kOverlaps[] = {{"seconds", "number"}, {"processes", "number"}};
inline constexpr Field kPathProcess[] = {
    {"process", "string"}, {"cpu_s", "number"}, {"sharing_s", "number"}, {"time_s", "number"}, {"fraction", "number"}};
inline constexpr Field kPathMessages[] = {
    {"from", "string"}, {"to", "string"}, {"count", "number"}, {"delay_s", "number"}, {"fraction", "number"}};
inline constexpr Field kCriticalPath[] = {{"t_max_s", "number"},
                                          {"processes", "PathProcess[]"},
                                          {"messages", "PathMessages[]"},
                                          {"outside_s", "number"},
                                          {"outside_fraction", "number"}};
inline constexpr Field kEfficiencyBlame[] = {
    {"process", "string | null"}, {"seconds", "number"}, {"receiver?", "string"}};
inline constexpr Field kEfficiencyFactor[] = {{"factor", "string"},          {"value", "number"},
                                              {"is_low", "boolean"},         {"P", "number"},
                                              {"mended_P", "number | null"}, {"blame", "EfficiencyBlame | null"}};
inline constexpr Field kEfficiency[] = {
    {"processors", "number"},          {"T_s", "number"},       {"elapsed_s", "number"},          {"P", "number"},
    {"parallel_efficiency", "number"}, {"good_from", "number"}, {"factors", "EfficiencyFactor[]"}};
inline constexpr Field kParallelism[] = {{"placement", "string"},
                                         {"method", "string"},
                                         {"as_it_ran", "ParallelRun"},
                                         {"no_delay", "ParallelStep"},
                                         {"delay", "ParallelStep"},
                                         {"delay_cpu", "ParallelStep"},
                                         {"other_load", "OtherLoad | null"},
                                         {"never_overlapped", "Overlaps"},
                                         {"efficiency", "Efficiency"},
                                         {"critical_path", "CriticalPath"},
                                         {"ledger", "Ledger"}};

inline constexpr Field kPathCount[] = {{"path", "string"}, {"count", "number"}};
inline constexpr Field kBranching[] = {
    {"at", "string"}, {"from", "string"}, {"to", "string"}, {"count", "number"}, {"probability", "number"}};
inline constexpr Field kTransition[] = {
    {"from", "string"}, {"to", "string"}, {"count", "number"}, {"probability", "number"}};
inline constexpr Field kCausality[] = {{"letters", "Record<string, string>"},
                                       {"requests", "number"},
                                       {"paths", "PathCount[]"},
                                       {"strings", "PathCount[]"},
                                       {"branching", "Branching[]"},
                                       {"states", "Transition[]"},
                                       {"strings_cut", "number"},
                                       {"strings_not_stored", "number"},
                                       {"paths_not_stored", "number"},
                                       {"messages_outside_requests", "number"},
                                       {"warnings", "string[]"},
                                       {"ledger", "Ledger"}};

inline constexpr Field kStateNode[] = {{"process", "ProcessId | null"}, {"label", "string"}, {"note", "string"}};
inline constexpr Field kStateArc[] = {
    {"from", "number"}, {"to", "number"}, {"probability", "number"}, {"messages", "number"}};
inline constexpr Field kStates[] = {{"nodes", "StateNode[]"}, {"arcs", "StateArc[]"}};
inline constexpr Field kCommonPath[] = {{"text", "string"}, {"count", "number"}, {"share", "number"}};
inline constexpr Field kPaths[] = {{"states", "StateDiagram"}, {"paths", "CommonPath[]"}, {"requests", "number"}};
inline constexpr Field kStep[] = {
    {"from", "ProcessId"}, {"to", "ProcessId"}, {"sent_s", "number"}, {"received_s", "number"}, {"bytes", "number"}};
inline constexpr Field kOneRequest[] = {
    {"from_s", "number"}, {"to_s", "number"}, {"rows", "ProcessId[]"}, {"steps", "Step[]"}, {"left_out", "number"}};

// ---- Where time goes: sections of a report ("Data in a file" of docs/live-page.md has the drawings)

inline constexpr Field kFigure[] = {
    {"heading", "string"}, {"caption", "string"}, {"wide", "boolean"}, {"kind", "string"}, {"drawing", "unknown"}};
inline constexpr Field kSection[] = {{"heading", "string"}, {"text", "string"}, {"figures", "Figure[]"}};
inline constexpr Field kCauseTime[] = {{"cause", "string"}, {"time_s", "number"}};
inline constexpr Field kBlame[] = {{"of", "string"}, {"causes", "CauseTime[]"}, {"section", "Section"}};
inline constexpr Field kSampledStates[] = {
    {"samples", "number"}, {"source", "string"}, {"interval_s", "number"}, {"sections", "Section[]"}};

// ---- Predictions

inline constexpr Field kPlacementMachine[] = {
    {"name", "string"}, {"speed", "number"}, {"cores", "number"}, {"accepts", "boolean"}};
inline constexpr Field kPlacedProcess[] = {
    {"process", "ProcessId"}, {"name", "string"}, {"machine", "string"}, {"fixed", "boolean"}};
inline constexpr Field kTraced[] = {{"elapsed_s", "number"},       {"P", "number"},      {"low_elapsed_s?", "number"},
                                    {"high_elapsed_s?", "number"}, {"low_P?", "number"}, {"high_P?", "number"}};
inline constexpr Field kBest[] = {{"machine_of", "Record<string, string>"},
                                  {"elapsed_s", "number"},
                                  {"P", "number"},
                                  {"at_least_s", "number"},
                                  {"as_of", "AsOf"}};
inline constexpr Field kPlacement[] = {{"machines", "PlacementMachine[]"},
                                       {"processes", "PlacedProcess[]"},
                                       {"traced", "Traced | null"},
                                       {"best", "Best | null"},
                                       {"notes", "string[]"},
                                       {"why_not", "string | null"},
                                       {"searching?", "number"}};
inline constexpr Field kPrediction[] = {{"elapsed_s", "number"},
                                        {"P", "number"},
                                        {"T_s", "number"},
                                        {"low_elapsed_s", "number | null"},
                                        {"high_elapsed_s", "number | null"},
                                        {"low_P", "number | null"},
                                        {"high_P", "number | null"},
                                        {"identity_error", "number"},
                                        {"leaves_out", "string[]"},
                                        {"took_ms", "number"}};
inline constexpr Field kPlacementFile[] = {{"text", "string"}};
inline constexpr Field kSearch[] = {{"searching", "true"}};

}  // namespace table

inline constexpr Structure kStructures[] = {{"SeriesOf", table::kSeriesOf},
                                            {"MachineChange", table::kMachineChange},
                                            {"AsOf", table::kAsOf},
                                            {"Stamped", table::kStamped},
                                            {"Machine", table::kMachine},
                                            {"Process", table::kProcess},
                                            {"Can", table::kCan},
                                            {"WhyNot", table::kWhyNot},
                                            {"Description", table::kDescription},
                                            {"Loss", table::kLoss},
                                            {"RunLedger", table::kRunLedger},
                                            {"Warning", table::kWarning},
                                            {"Move", table::kMove},
                                            {"Gain", table::kGain},
                                            {"Decision", table::kDecision},
                                            {"Schedule", table::kSchedule},
                                            {"Overview", table::kOverview},
                                            {"Traffic", table::kTraffic},
                                            {"Series", table::kSeries},
                                            {"ProcessLevels", table::kProcessLevels},
                                            {"PairLevels", table::kPairLevels},
                                            {"MachineLevels", table::kMachineLevels},
                                            {"Levels", table::kLevels},
                                            {"Row", table::kRow},
                                            {"InsideEvent", table::kInsideEvent},
                                            {"SingleEvents", table::kSingleEvents},
                                            {"BinnedEvents", table::kBinnedEvents},
                                            {"Message", table::kMessage},
                                            {"EventAt", table::kEventAt},
                                            {"Computing", table::kComputing},
                                            {"Ledger", table::kLedger},
                                            {"Waits", table::kWaits},
                                            {"ProcessStatistics", table::kProcessStatistics},
                                            {"PairStatistics", table::kPairStatistics},
                                            {"Sizes", table::kSizes},
                                            {"Density", table::kDensity},
                                            {"MachineStatistics", table::kMachineStatistics},
                                            {"QuantitySums", table::kQuantitySums},
                                            {"MachineSums", table::kMachineSums},
                                            {"Statistics", table::kStatistics},
                                            {"Bucket", table::kBucket},
                                            {"WaitParts", table::kWaitParts},
                                            {"MeasuredQueue", table::kMeasuredQueue},
                                            {"UnmeasuredQueue", table::kUnmeasuredQueue},
                                            {"OwnWaits", table::kOwnWaits},
                                            {"Queues", table::kQueues},
                                            {"ParallelRun", table::kParallelRun},
                                            {"ParallelStep", table::kParallelStep},
                                            {"MachineLoad", table::kMachineLoad},
                                            {"OtherLoad", table::kOtherLoad},
                                            {"Overlaps", table::kOverlaps},
                                            {"PathProcess", table::kPathProcess},
                                            {"PathMessages", table::kPathMessages},
                                            {"CriticalPath", table::kCriticalPath},
                                            {"EfficiencyBlame", table::kEfficiencyBlame},
                                            {"EfficiencyFactor", table::kEfficiencyFactor},
                                            {"Efficiency", table::kEfficiency},
                                            {"Parallelism", table::kParallelism},
                                            {"PathCount", table::kPathCount},
                                            {"Branching", table::kBranching},
                                            {"Transition", table::kTransition},
                                            {"Causality", table::kCausality},
                                            {"StateNode", table::kStateNode},
                                            {"StateArc", table::kStateArc},
                                            {"StateDiagram", table::kStates},
                                            {"CommonPath", table::kCommonPath},
                                            {"Paths", table::kPaths},
                                            {"Step", table::kStep},
                                            {"OneRequest", table::kOneRequest},
                                            {"Figure", table::kFigure},
                                            {"Section", table::kSection},
                                            {"CauseTime", table::kCauseTime},
                                            {"Blame", table::kBlame},
                                            {"SampledStates", table::kSampledStates},
                                            {"PlacementMachine", table::kPlacementMachine},
                                            {"PlacedProcess", table::kPlacedProcess},
                                            {"Traced", table::kTraced},
                                            {"Best", table::kBest},
                                            {"Placement", table::kPlacement},
                                            {"Prediction", table::kPrediction},
                                            {"PlacementFile", table::kPlacementFile},
                                            {"Search", table::kSearch}};

inline constexpr Request kRequests[] = {
    {"describe", {}, "Description", "title, state, machines, processes, what can be asked"},
    {"overview", table::kOfBins, "Overview", "P now, of the run, and at best; sums; ledger; warnings; curves"},
    {"traffic", table::kOfWindow, "Traffic",
     "CPU time, waits and queue of each process; messages and bytes of each pair, also in the window before"},
    {"series", table::kOfSeries, "Series", "any values over time: `v0`, `v1`, ... in the order of `of`"},
    {"spacetime", table::kOfSpaceTime, "SingleEvents | BinnedEvents",
     "single events, or bins where they are too many; what happened inside processes"},
    {"message", table::kOfMessage, "Message", "one message, its causal past and future"},
    {"event_at", table::kOfEventAt, "EventAt", "the nearest event"},
    {"statistics", table::kOfPart, "Statistics", "the output of `dpm statistics --json`", true},
    {"queues", {}, "Queues", "the output of `dpm queues --json`", true},
    {"parallelism", {}, "Parallelism", "the output of `dpm parallelism --json`", true},
    {"causality", {}, "Causality", "the output of `dpm causality --json`", true},
    {"blame", table::kOfBlame, "Blame",
     "where the time of a process went: the sums of its causes, and a section of a report", true},
    {"states",
     {},
     "SampledStates",
     "what processes run on and wait for, as sections of a report: sampled while a viewer asks, or from the trace when "
     "it has ended",
     true},
    {"paths", table::kOfPaths, "Paths", "the state diagram and common paths", true},
    {"request", table::kOfRequest, "OneRequest", "one request", true},
    {"placement", {}, "Placement", "machines, processes, what the trace had, the best that a search has found", true},
    {"predict", table::kOfPrediction, "Prediction", "time and P on these machines", true},
    {"placement_file", table::kOfPlan, "PlacementFile", "a file for `dpm predict --placement`", true},
    {"search", {}, "Search", "begins to search for the best placement, which `placement` then has", true},
    {"levels", table::kOfBins, "Levels", "sums of the window in bins, as in a file"}};

}  // namespace dpm::view
