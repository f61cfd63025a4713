#include "twin/start.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

namespace dpm::twin {
namespace {

constexpr std::size_t kCyclesInOrder = 6;  // a start of at most this many cycles is written as it was
constexpr double kCommon = 0.01;           // of all cycles: a form that is repeated, not a beginning or an end

// Cut after every wait; if there is none, after every message sent.
std::vector<TokenRun> cycles_of(const TokenRun& record) {
  const auto waits = [](const Token& token) { return token.what == Token::What::wait; };
  const bool any_wait = std::any_of(record.tokens.begin(), record.tokens.end(), waits);
  std::vector<TokenRun> cycles;
  TokenRun cycle;
  cycle.process = record.process;
  for (std::size_t i = 0; i < record.tokens.size(); ++i) {
    cycle.tokens.push_back(record.tokens[i]);
    const bool ends = any_wait
                          ? waits(record.tokens[i]) && (i + 1 == record.tokens.size() || !waits(record.tokens[i + 1]))
                          : record.tokens[i].what == Token::What::send;
    if (!ends) continue;
    cycles.push_back(cycle);
    cycle.tokens.clear();
  }
  cycle.tail_cpu_s = record.tail_cpu_s;
  cycle.tail_slept_s = record.tail_slept_s;
  if (!cycle.tokens.empty() || cycle.tail_cpu_s > 0 || cycle.tail_slept_s > 0) cycles.push_back(cycle);
  return cycles;
}

class StartWriter {
 public:
  StartWriter(const Material& material, const Group& group, TwinGroup& twin, std::vector<std::string>& warnings)
      : material_(material), group_(group), twin_(twin), warnings_(warnings) {}

  Steps write(const std::vector<TokenRun>& starts) {
    for (const TokenRun& start : starts) cycles_.push_back(cycles_of(start));
    std::size_t longest = 0;
    for (const auto& cycles : cycles_) longest = std::max(longest, cycles.size());
    Steps steps;
    const bool in_order = longest <= kCyclesInOrder && !one_form();
    const std::size_t first = same_cycles(false, in_order ? std::set<std::string>{} : common(), 0);
    const std::size_t last = in_order ? 0 : same_cycles(true, common(), first);
    for (std::size_t i = 0; i < first; ++i) append(steps, steps_at([i](const auto&) { return i; }));
    write_repeated(first, last, steps);
    for (std::size_t i = last; i > 0; --i)
      append(steps, steps_at([i](const auto& cycles) { return cycles.size() - i; }));
    return steps;
  }

 private:
  // Several cycles, all of one form.
  bool one_form() const {
    std::set<std::string> forms;
    std::size_t all = 0;
    for (const auto& cycles : cycles_)
      for (const auto& cycle : cycles) forms.insert(cycle.key()), ++all;
    return forms.size() == 1 && all > cycles_.size();
  }

  // Forms that are repeated.
  std::set<std::string> common() const {
    std::map<std::string, std::size_t> counts;
    std::size_t all = 0;
    for (const auto& cycles : cycles_)
      for (const auto& cycle : cycles) ++counts[cycle.key()], ++all;
    std::set<std::string> found;
    for (const auto& [key, count] : counts)
      if (static_cast<double>(count) >
          std::max(2.0 * static_cast<double>(cycles_.size()), kCommon * static_cast<double>(all)))
        found.insert(key);
    return found;
  }

  // How many cycles at the beginning (or end) are the same for all members; none of them is common, or one of the
  // `taken` at the other end.
  std::size_t same_cycles(bool at_end, const std::set<std::string>& common, std::size_t taken) const {
    for (std::size_t i = 0;; ++i) {
      std::optional<std::string> key;  // empty: the cycle has CPU time, and no messages
      for (const auto& cycles : cycles_) {
        if (i + taken >= cycles.size()) return i;
        const std::string here = cycles[at_end ? cycles.size() - 1 - i : i].key();
        if (common.count(here) != 0 || (key && *key != here)) return i;
        key = here;
      }
    }
  }

  template <typename Which>
  Steps steps_at(Which which) {
    std::optional<Shape> shape;
    for (const auto& cycles : cycles_) {
      const TokenRun& cycle = cycles[which(cycles)];
      if (!shape) shape.emplace(cycle);
      shape->add(cycle);
    }
    return shape->steps(material_, group_.members.size(), warnings_);
  }

  void write_repeated(std::size_t first, std::size_t last, Steps& steps) {
    Shapes shapes;
    std::vector<std::size_t> order;
    std::size_t all = 0;
    for (const auto& cycles : cycles_) {
      for (std::size_t i = first; i + last < cycles.size(); ++i, ++all) order.push_back(shapes.add(cycles[i]));
    }
    if (all == 0) return;
    const bool keeps_order = material_.in_order && cycles_.size() == 1 && shapes.all().size() <= kShapesInOrderMost;
    if (!keeps_order) shapes.keep_commonest(kShapesMost);
    twin_.activities_forced += shapes.forced();
    const std::uint64_t times = std::max<std::size_t>(1, (all + cycles_.size() / 2) / cycles_.size());
    steps.push_back(repeat_step({times, "$" + twin_.name + "_repeats"},
                                keeps_order ? shapes.steps_in_order(material_, order, warnings_)
                                            : shapes.steps(material_, group_.members.size(), warnings_)));
  }

  const Material& material_;
  const Group& group_;
  TwinGroup& twin_;
  std::vector<std::string>& warnings_;
  std::vector<std::vector<TokenRun>> cycles_;  // by member
};

}  // namespace

Steps start_steps(const Material& material, const Group& group, const std::vector<TokenRun>& starts, TwinGroup& twin,
                  std::vector<std::string>& warnings) {
  return StartWriter(material, group, twin, warnings).write(starts);
}

}  // namespace dpm::twin
