#include "sampling/trace/trace_sampler.hpp"

#include <algorithm>
#include <optional>

#include "model/check.hpp"
#include "model/random.hpp"

namespace dpm::sampling {
namespace {

State state_in(const Stretch& stretch, std::int64_t at_ns, Random& random) {
  if (at_ns < stretch.from_ns + stretch.idle_first_ns) return stretch.idle_state;
  auto lot_ns = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(stretch.mixed_ns())));
  if ((lot_ns -= stretch.cpu_ns) < 0) return State::cpu_run;
  if ((lot_ns -= stretch.ready_ns) < 0) return State::cpu_queue;
  return lot_ns < stretch.disk_ns ? State::disk_io : stretch.idle_state;
}

__extension__ using Wide = __int128;  // products of two times

// One process, looked at at later and later times.
class Reader {
 public:
  explicit Reader(const std::vector<Stretch>& stretches) : stretches_(stretches) {}

  // None: it did not exist. Adds what it ran and queued since the last call.
  std::optional<State> look(std::int64_t at_ns, Random& random, Sample& sample) {
    for (; next_ < stretches_.size() && stretches_[next_].to_ns <= at_ns; ++next_)
      take_until(stretches_[next_].to_ns, sample);
    if (next_ == stretches_.size() || stretches_[next_].from_ns > at_ns) return std::nullopt;
    take_until(at_ns, sample);
    return state_in(stretches_[next_], at_ns, random);
  }

 private:
  void take_until(std::int64_t at_ns, Sample& sample) {
    const Stretch& stretch = stretches_[next_];
    const std::int64_t from_ns = std::max(taken_ns_, stretch.from_ns);
    const auto part = [&](std::int64_t amount_ns) {
      const auto until = [&](std::int64_t ns) {
        const std::int64_t mixed_ns = std::max<std::int64_t>(0, ns - stretch.from_ns - stretch.idle_first_ns);
        return static_cast<std::int64_t>(static_cast<Wide>(amount_ns) * mixed_ns / stretch.mixed_ns());
      };
      return stretch.mixed_ns() == 0 ? 0 : static_cast<std::uint64_t>(until(at_ns) - until(from_ns));
    };
    sample.ran_ns += part(stretch.cpu_ns);
    sample.waited_ns += part(stretch.ready_ns);
    sample.watched_ns += static_cast<std::uint64_t>(at_ns - from_ns);
    taken_ns_ = at_ns;
  }

  const std::vector<Stretch>& stretches_;
  std::size_t next_ = 0;
  std::int64_t taken_ns_ = INT64_MIN;
};

std::uint32_t level_of_requests(const RequestTimes& requests, std::int64_t at_ns) {
  constexpr std::int64_t kSecondNs = 1'000'000'000;
  const auto first = std::upper_bound(requests.begin(), requests.end(), at_ns - kSecondNs);
  return level_of_rate(static_cast<double>(std::upper_bound(first, requests.end(), at_ns) - first));
}

}  // namespace

void sample_history(const StateHistory& history, std::uint64_t interval_ns, std::uint64_t seed, CountArray& counts,
                    const RequestTimes* requests) {
  DPM_CHECK(interval_ns > 0);
  Random random(seed);
  std::vector<Reader> readers(history.stretches().begin(), history.stretches().end());
  const auto step_ns = static_cast<std::int64_t>(interval_ns);
  for (std::int64_t at_ns = history.from_ns() + step_ns; at_ns < history.to_ns(); at_ns += step_ns) {
    Sample sample;
    sample.virtual_processes = 1;
    Stateword word;
    std::uint32_t runnable = 0;
    for (Reader& reader : readers) {
      const auto state = reader.look(at_ns, random, sample);
      if (!state) continue;
      sample.threads.push_back({.state = *state});
      word |= Stateword(*state);
      runnable += *state == State::cpu_run || *state == State::cpu_queue;
    }
    const bool is_awake = runnable > 0 || word.runs_on(Resource::disk);
    sample.levels[static_cast<std::size_t>(Workload::users)] = sample.threads.empty() ? 0 : 1;
    sample.levels[static_cast<std::size_t>(Workload::awake)] = is_awake ? 1 : 0;
    sample.levels[static_cast<std::size_t>(Workload::runnable)] = runnable;
    if (requests != nullptr)
      sample.levels[static_cast<std::size_t>(Workload::requests)] = level_of_requests(*requests, at_ns);
    counts.add(sample);
  }
}

}  // namespace dpm::sampling
