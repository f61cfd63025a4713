#include "validation/what-ifs/changed_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace dpm::validation {
namespace {

// The calls of a process, passed on: changed calls are overridden.
class PassedOnCalls : public MessageCalls {
 public:
  explicit PassedOnCalls(MessageCalls& calls) : calls_(calls) {}

  LinkIndex create_link(std::optional<DataArea> area) override { return calls_.create_link(area); }
  LinkIndex duplicate_link(LinkIndex link) override { return calls_.duplicate_link(link); }
  void destroy_link(LinkIndex link) override { calls_.destroy_link(link); }
  LinkIndex standard_link(StandardLink which) const override { return calls_.standard_link(which); }
  LinkIndex link_to(std::string_view process) const override { return calls_.link_to(process); }
  LinkIndex link_from(std::string_view process) const override { return calls_.link_from(process); }
  void send_message(LinkIndex to, const OutgoingMessage& message) override { calls_.send_message(to, message); }
  Message receive_message(const Selection& selection) override { return calls_.receive_message(selection); }
  std::optional<Message> a_receive_message(const Selection& selection) override {
    return calls_.a_receive_message(selection);
  }
  std::optional<Message> receive_message_until(Deadline deadline, const Selection& selection) override {
    return calls_.receive_message_until(deadline, selection);
  }
  Message call(LinkIndex to, OutgoingMessage message) override { return calls_.call(to, std::move(message)); }
  std::optional<Message> call_until(Deadline deadline, LinkIndex to, OutgoingMessage message) override {
    return calls_.call_until(deadline, to, std::move(message));
  }
  std::vector<Message> call_all(std::span<const std::pair<LinkIndex, OutgoingMessage>> calls,
                                std::optional<Deadline> deadline) override {
    return calls_.call_all(calls, deadline);
  }
  void set_awaited(std::string_view kinds, bool rests) override { calls_.set_awaited(kinds, rests); }
  void reply(const Message& request, const OutgoingMessage& answer) override { calls_.reply(request, answer); }
  void move_data(LinkIndex from, LinkIndex to, std::uint64_t bytes) override { calls_.move_data(from, to, bytes); }
  void compute(Duration cpu_time) override { calls_.compute(cpu_time); }
  void did_work(Duration cpu_time) override { calls_.did_work(cpu_time); }
  void sleep(Duration time) override { calls_.sleep(time); }
  Deadline deadline_in(Duration time) const override { return calls_.deadline_in(time); }
  void stop_task() override { calls_.stop_task(); }
  void print_line(std::string_view text) override { calls_.print_line(text); }
  LocalTime local_time() const override { return calls_.local_time(); }
  const std::string& name() const override { return calls_.name(); }
  Random& random() override { return calls_.random(); }
  std::vector<std::byte>& address_space() override { return calls_.address_space(); }

 protected:
  MessageCalls& calls_;
};

class FasterCalls : public PassedOnCalls {
 public:
  FasterCalls(MessageCalls& calls, double factor) : PassedOnCalls(calls), factor_(factor) {}

  void compute(Duration cpu_time) override { calls_.compute(faster(cpu_time)); }
  void did_work(Duration cpu_time) override { calls_.did_work(faster(cpu_time)); }

 private:
  Duration faster(Duration time) const { return {std::llround(static_cast<double>(time.ns) / factor_)}; }

  double factor_;
};

// Writes to each member of the group in turn, whichever member it was given. Programs written in a scenario file ask
// for the link each time they write.
class InTurnCalls : public PassedOnCalls {
 public:
  InTurnCalls(MessageCalls& calls, std::vector<std::string> group) : PassedOnCalls(calls), group_(std::move(group)) {}

  LinkIndex link_to(std::string_view process) const override {
    if (std::find(group_.begin(), group_.end(), process) == group_.end()) return calls_.link_to(process);
    return calls_.link_to(group_[turn_++ % group_.size()]);
  }

 private:
  std::vector<std::string> group_;
  mutable std::size_t turn_ = 0;
};

class RenamedCalls : public PassedOnCalls {
 public:
  RenamedCalls(MessageCalls& calls, std::string name) : PassedOnCalls(calls), name_(std::move(name)) {}

  const std::string& name() const override { return name_; }

 private:
  std::string name_;
};

template <typename Described>
Described& called(std::vector<Described>& all, const std::string& name) {
  for (auto& one : all)
    if (one.name == name) return one;
  throw std::runtime_error(fmt::format("the scenario has no '{}'", name));
}

}  // namespace

void speed_up(Scenario& scenario, const std::string& process, double factor) {
  Program& program = called(scenario.processes, process).program;
  program = [slower = program, factor](MessageCalls& calls) {
    FasterCalls faster(calls, factor);
    slower(faster);
  };
}

void lengthen_link(Scenario& scenario, const std::string& machine_a, const std::string& machine_b, double factor) {
  DelayClass delays = scenario.delays.between(machine_a, machine_b);
  auto points = delays.delivery_s.points();
  for (auto& point : points) point.second *= factor;
  if (!points.empty()) delays.delivery_s = PiecewiseLinear::through(std::move(points)).value();
  scenario.delays.pairs.insert(scenario.delays.pairs.begin(), {machine_a, machine_b, std::move(delays)});
}

void give_cores(Scenario& scenario, const std::string& machine, std::uint16_t cores) {
  called(scenario.machines, machine).cores = cores;
}

void take_turns(Scenario& scenario, const std::string& program, const std::vector<std::string>& group) {
  for (auto& process : scenario.processes) {
    if (process.program_name != program) continue;
    process.program = [plain = process.program, group](MessageCalls& calls) {
      InTurnCalls in_turn(calls, group);
      plain(in_turn);
    };
  }
}

void draw_alike(Scenario& scenario, const std::vector<std::string>& group, const std::string& name) {
  for (const auto& member : group) {
    Program& program = called(scenario.processes, member).program;
    program = [plain = program, name](MessageCalls& calls) {
      RenamedCalls renamed(calls, name);
      plain(renamed);
    };
  }
}

}  // namespace dpm::validation
