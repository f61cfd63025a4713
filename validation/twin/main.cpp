// Twins compared with their originals, and what-ifs on twins with the changed original.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>

#include "analysis/queues/queues.hpp"
#include "answers/reading/tee_sink.hpp"
#include "backends/sim/sim_source.hpp"
#include "scenarios/scenario_file.hpp"
#include "twin/scenario_text.hpp"
#include "twin/twin.hpp"
#include "validation/common/claim_program.hpp"
#include "validation/common/traced_run.hpp"
#include "validation/program_generator/random_program.hpp"

namespace {

using namespace dpm;
using namespace dpm::validation;

constexpr double kQueueMin = 0.1;  // shorter mean queues do not matter, and are mostly chance

// The measures by which twin and original are compared.
struct Measures {
  double elapsed_s = 0;
  double P = 0;
  double messages_a_second = 0;
  std::map<std::string, double> queues;  // by group, summed over its members, of the computation
};

struct Run {
  Measures measures;
  Result<twin::Recording> recording = Error{"none"};
};

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

std::string group_of(const std::string& process) {
  const std::size_t underscore = process.rfind('_');
  const bool numbered = underscore != std::string::npos && underscore + 1 < process.size() &&
                        process.find_first_not_of("0123456789", underscore + 1) == std::string::npos;
  return numbered ? process.substr(0, underscore) : process;
}

Run simulate(const Scenario& scenario) {
  Run run;
  twin::RecordingSink recorder;
  QueueAnalysis queues;
  cli::TeeSink sinks({&recorder, &queues});
  SimSource source(scenario);
  if (const auto done = source.run(sinks); !done) fail(fmt::format("{}: {}", scenario.name, done.error().what));
  if (source.truth().deadlocked)
    fail(fmt::format("{}: it is stuck: {}", scenario.name,
                     source.truth().blocked.empty() ? "" : source.truth().blocked.front()));
  double T_s = 0;
  for (const auto& process : source.truth().processes) T_s += static_cast<double>(process.cpu_time_ns) * 1e-9;
  run.recording = recorder.take();
  if (!run.recording) fail(fmt::format("{}: {}", scenario.name, run.recording.error().what));
  Measures& measures = run.measures;
  measures.elapsed_s = source.truth().makespan_all.seconds();
  measures.P = T_s / measures.elapsed_s;
  measures.messages_a_second = static_cast<double>(run.recording->messages) / measures.elapsed_s;
  for (const auto& queue : queues.result().processes)
    if (queue.in_computation && queue.measured)
      measures.queues[group_of(run.recording->info[queue.process].name)] += queue.length_mean;
  return run;
}

Scenario instance(const ScenarioFile& file, std::uint64_t seed, std::map<std::string, double> parameters = {}) {
  return validation::instance(file, file.placement, std::move(parameters), seed);
}

ScenarioFile parsed(const std::string& text, const std::string& name) {
  auto file = parse_scenario(text, name + "/scenario.json", shipped_programs());
  if (!file) fail(fmt::format("the twin of {} does not load: {}", name, file.error().what));
  return std::move(*file);
}

Measures mean_of(const std::vector<Measures>& all) {
  Measures mean;
  const auto n = static_cast<double>(all.size());
  for (const Measures& one : all) {
    mean.elapsed_s += one.elapsed_s / n;
    mean.P += one.P / n;
    mean.messages_a_second += one.messages_a_second / n;
    for (const auto& [group, length] : one.queues) mean.queues[group] += length / n;
  }
  return mean;
}

double error(double obtained, double wanted) { return 100 * std::abs(obtained / wanted - 1); }

std::string percent(double value) { return percent_text(value / 100); }

struct Errors {
  std::vector<double> all;
  double worst = 0;
  std::string worst_case = {};

  void add(double value, const std::string& label) {
    all.push_back(value);
    if (value >= worst) worst = value, worst_case = label;
  }
  double mean() const {
    double sum = 0;
    for (const double value : all) sum += value;
    return all.empty() ? 0 : sum / static_cast<double>(all.size());
  }
  double share_within(double limit) const {
    const auto within = std::count_if(all.begin(), all.end(), [&](double value) { return value <= limit; });
    return all.empty() ? 100 : 100 * static_cast<double>(within) / static_cast<double>(all.size());
  }
};

// The errors of one kind of comparison.
struct Comparison {
  Errors P, throughput, elapsed, queue;
  std::vector<std::vector<std::string>> rows;

  void add(const std::string& label, const Measures& original, const Measures& obtained) {
    P.add(error(obtained.P, original.P), label);
    throughput.add(error(obtained.messages_a_second, original.messages_a_second), label);
    elapsed.add(error(obtained.elapsed_s, original.elapsed_s), label);
    double worst_queue = 0;
    for (const auto& [group, length] : original.queues) {
      if (length < kQueueMin) continue;
      const auto found = obtained.queues.find(group);
      const double off = found == obtained.queues.end() ? 100 : error(found->second, length);
      queue.add(off, fmt::format("{}, {}", label, group));
      worst_queue = std::max(worst_queue, off);
    }
    rows.push_back({label, percent(P.all.back()), percent(throughput.all.back()), percent(elapsed.all.back()),
                    percent(worst_queue)});
  }
};

twin::Twin twin_of(const Run& original) {
  auto made = twin::make_twin(*original.recording);
  if (!made) fail(made.error().what);
  return std::move(*made);
}

std::vector<Measures> run_twin(const twin::Twin& made, const std::string& name, std::uint64_t seeds) {
  const ScenarioFile file = parsed(twin::scenario_text(made), name);
  std::vector<Measures> all;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) all.push_back(simulate(instance(file, seed)).measures);
  return all;
}

void append(std::vector<Measures>& all, const std::vector<Measures>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::string number_text(double value) {
  const std::string text = std::to_string(value);
  return value == std::floor(value) ? text.substr(0, text.find('.')) : text.substr(0, text.find_last_not_of('0') + 1);
}

struct Case {
  std::string scenario;
  std::map<std::string, double> parameters;
};

// A change of the twin, and the same change of the original.
struct TriedChange {
  std::string what;
  Case before;
  std::map<std::string, double> after;  // parameters of the original that are changed
  std::function<Result<void>(twin::Twin&)> change;
  double link_speed = 1;  // of the original: all links between different machines
};

class TwinStudy {
 public:
  explicit TwinStudy(bool quick) : quick_(quick) {}

  ClaimResult run() {
    shipped();
    random_programs();
    what_ifs();
    return result();
  }

 private:
  static ScenarioFile load(const std::string& name) { return shipped_scenario(scenarios_folder() / name); }

  std::vector<Case> cases() const {
    const double n = 400;
    std::vector<Case> all = {{"file-system", {{"requests", n}}},
                             {"replicated-service", {{"requests", n}}},
                             {"pipeline", {{"items", 5 * n}}},
                             {"tsp", {{"size", 12}, {"servers", 4}}}};
    if (quick_) return all;
    all.push_back({"file-system", {{"requests", n}, {"users", 3}}});
    all.push_back({"replicated-service", {{"requests", n}, {"clients", 12}}});
    all.push_back({"replicated-service", {{"requests", n}, {"in_turn", 0}, {"at_random", 1}}});
    all.push_back({"pipeline", {{"items", 5 * n}, {"middle_s", 0.01}}});
    all.push_back({"tsp", {{"size", 12}, {"servers", 8}, {"version", 2}}});
    all.push_back({"tsp", {{"size", 12}, {"servers", 8}, {"version", 3}}});
    return all;
  }

  static std::string label_of(const Case& one) {
    std::string label = one.scenario;
    for (const auto& [name, value] : one.parameters) label += fmt::format(", {} {}", name, number_text(value));
    return label;
  }

  // Chance in one run is larger than the differences of interest: means over seeds, each with its own twins.
  void shipped() {
    const std::uint64_t seeds = quick_ ? 2 : 4;
    for (const Case& one : cases()) {
      const std::string label = label_of(one);
      say("the twin of " + label);
      const ScenarioFile file = load(one.scenario);
      std::vector<Measures> originals, twins;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Run original = simulate(instance(file, seed, one.parameters));
        originals.push_back(original.measures);
        append(twins, run_twin(twin_of(original), label, quick_ ? 2 : 3));
      }
      shipped_.add(label, mean_of(originals), mean_of(twins));
    }
  }

  void random_programs() {
    const std::uint64_t programs = quick_ ? 10 : 60;
    for (std::uint64_t seed = 1; seed <= programs; ++seed) {
      const auto program = validation::random_program(seed);
      say(fmt::format("the twin of random program {}, {} of {}", program.name(), seed, programs));
      const Run original = simulate(instance(program.file, seed));
      try {
        const twin::Twin made = twin_of(original);
        random_.add(program.name(), original.measures, mean_of(run_twin(made, program.name(), quick_ ? 2 : 5)));
        if (quick_ && seed > 4) continue;
        Scenario slower = instance(program.file, seed);
        slow_links(slower, 0.5);
        twin::Twin changed = made;
        if (auto done = twin::apply(changed, {.delays = {{"all", 2}}}); !done) fail(done.error().what);
        random_link_.add(program.name(), simulate(slower).measures,
                         mean_of(run_twin(changed, program.name(), quick_ ? 2 : 5)));
      } catch (const std::exception& problem) {
        ++without_twin_;
        remarks_.push_back(
            fmt::format("random program {} has no twin that runs: {}", program.name(), first_line(problem.what())));
      }
    }
  }

  static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

  static void slow_links(Scenario& scenario, double speed) {
    const auto slow = [&](DelayClass& delays) {
      auto points = delays.delivery_s.points();
      for (auto& point : points) point.second /= speed;
      if (!points.empty()) delays.delivery_s = *PiecewiseLinear::through(points);
    };
    slow(scenario.delays.remote);
    for (auto& pair : scenario.delays.pairs) slow(pair.delays);
  }

  std::vector<TriedChange> changes() const {
    const auto twice = [](twin::Twin& made) { return twin::multiply_clients(made, 2); };
    const auto one_more = [](const std::string& group) {
      return [group](twin::Twin& made) { return twin::apply(made, {.replicas = {{group}}}); };
    };
    const auto half_links = [](twin::Twin& made) { return twin::apply(made, {.delays = {{"all", 2}}}); };
    const double n = 300;
    const Case service{"replicated-service", {{"requests", n}, {"clients", 6}, {"replicas", 3}}};
    const Case crowded{"replicated-service", {{"requests", n}, {"clients", 12}, {"replicas", 2}}};
    const Case files{"file-system", {{"requests", n}, {"users", 3}}};
    const Case tasks{"tsp", {{"size", 12}, {"servers", 4}}};
    return {{"twice the clients", service, {{"clients", 12}}, twice, 1},
            {"twice the clients", crowded, {{"clients", 24}}, twice, 1},
            {"one more replica", service, {{"replicas", 4}}, one_more("replica"), 1},
            {"one more replica", crowded, {{"replicas", 3}}, one_more("replica"), 1},
            {"links half as fast", service, {}, half_links, 0.5},
            {"links half as fast", {"pipeline", {{"items", n}}}, {}, half_links, 0.5},
            {"links half as fast", files, {}, half_links, 0.5},
            {"twice the clients", files, {{"users", 6}}, twice, 1},
            {"one more server", tasks, {{"servers", 5}}, one_more("server"), 1},
            {"links half as fast", tasks, {}, half_links, 0.5}};
  }

  void what_ifs() {
    for (const TriedChange& what_if : changes()) {
      const std::string label = fmt::format("{}: {}", what_if.what, label_of(what_if.before));
      say(label);
      const ScenarioFile file = load(what_if.before.scenario);
      std::vector<Measures> originals, twins;
      for (std::uint64_t seed = 1; seed <= (quick_ ? 2u : 4u); ++seed) {
        twin::Twin made = twin_of(simulate(instance(file, seed, what_if.before.parameters)));
        if (auto done = what_if.change(made); !done) fail(fmt::format("{}: {}", label, done.error().what));
        append(twins, run_twin(made, label, quick_ ? 2 : 3));
        auto parameters = what_if.before.parameters;
        for (const auto& [name, value] : what_if.after) parameters[name] = value;
        Scenario changed = instance(file, seed, parameters);
        if (what_if.link_speed != 1) slow_links(changed, what_if.link_speed);
        originals.push_back(simulate(changed).measures);
      }
      what_if_.add(label, mean_of(originals), mean_of(twins));
    }
  }

  ClaimResult result() {
    ClaimResult result;
    result.figures = {{"P_mean_error", shipped_.P.mean()},
                      {"P_worst_error", shipped_.P.worst},
                      {"throughput_worst_error", shipped_.throughput.worst},
                      {"queue_mean_error", shipped_.queue.mean()},
                      {"queue_worst_error", shipped_.queue.worst},
                      {"random_P_mean_error", random_.P.mean()},
                      {"random_P_within_3", random_.P.share_within(3)},
                      {"random_throughput_mean_error", random_.throughput.mean()},
                      {"random_queue_mean_error", random_.queue.mean()},
                      {"random_without_twin", static_cast<double>(without_twin_)},
                      {"what_if_P_mean_error", what_if_.P.mean()},
                      {"what_if_P_worst_error", what_if_.P.worst},
                      {"what_if_elapsed_mean_error", what_if_.elapsed.mean()},
                      {"random_link_P_mean_error", random_link_.P.mean()}};
    remarks_.push_back(fmt::format("P is worst for {}, {}", shipped_.P.worst_case, percent(shipped_.P.worst)));
    remarks_.push_back(
        fmt::format("queues are worst for {}, {}", shipped_.queue.worst_case, percent(shipped_.queue.worst)));
    remarks_.push_back(
        fmt::format("of random programs, P is worst for {}, {}", random_.P.worst_case, percent(random_.P.worst)));
    remarks_.push_back(fmt::format("the worst what-if is {}, {}", what_if_.P.worst_case, percent(what_if_.P.worst)));
    result.remarks = remarks_;
    for (const auto& [title, comparison] : {std::pair("twins", &shipped_),
                                            {"twins of random programs", &random_},
                                            {"what-ifs", &what_if_},
                                            {"random programs with links half as fast", &random_link_}})
      result.tables.push_back(
          {title, {"of", "P off by", "messages a second", "elapsed", "worst queue"}, comparison->rows});
    return result;
  }

  const bool quick_;
  Comparison shipped_, random_, random_link_, what_if_;
  std::uint64_t without_twin_ = 0;
  std::vector<std::string> remarks_;
};

}  // namespace

int main(int argc, char** argv) {
  return run_claim_program(argc, argv,
                           {.plants = {}, .measure = [](const Asked& asked) { return TwinStudy(asked.quick).run(); }});
}
