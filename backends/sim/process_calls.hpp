// The kernel calls of one process. Each call has the same shape: note where it was made (the pc), charge what is owed,
// do the work, tell the meter. A process without meter flags pays one test for each event.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/sim/call_frame.hpp"
#include "backends/sim/messages.hpp"
#include "backends/sim/moved_data.hpp"
#include "backends/sim/semaphore_calls.hpp"

namespace dpm::sim {

class ProcessCalls : public MessageCalls {
 public:
  ProcessCalls(Simulation& simulation, Process& process);

  LinkIndex create_link(std::optional<DataArea> area) override;
  LinkIndex duplicate_link(LinkIndex link) override;
  void destroy_link(LinkIndex link) override;
  LinkIndex standard_link(StandardLink which) const override;
  LinkIndex link_to(std::string_view process) const override;
  LinkIndex link_from(std::string_view process) const override;

  void send_message(LinkIndex to, const OutgoingMessage& message) override;
  Message receive_message(const Selection& selection) override;
  std::optional<Message> a_receive_message(const Selection& selection) override;
  std::optional<Message> receive_message_until(Deadline deadline, const Selection& selection) override;
  Message call(LinkIndex to, OutgoingMessage message) override;
  std::optional<Message> call_until(Deadline deadline, LinkIndex to, OutgoingMessage message) override;
  std::vector<Message> call_all(std::span<const std::pair<LinkIndex, OutgoingMessage>> calls,
                                std::optional<Deadline> deadline) override;
  void set_awaited(std::string_view kinds, bool rests) override {
    process_.awaited_kinds = kinds;
    process_.rests = rests;
  }
  void reply(const Message& request, const OutgoingMessage& answer) override;
  void move_data(LinkIndex from, LinkIndex to, std::uint64_t bytes) override;

  void give_unit(std::string_view semaphore) override;
  void take_unit(std::string_view semaphore) override;

  void compute(Duration cpu_time) override;
  void did_work(Duration cpu_time) override { compute(cpu_time); }
  void sleep(Duration time) override;
  Deadline deadline_in(Duration time) const override { return {(simulation_.now() + time).ns}; }
  [[noreturn]] void stop_task() override;

  void print_line(std::string_view text) override { simulation_.books().printed(process_.name, text); }

  LocalTime local_time() const override { return process_.machine->local_time(simulation_.now()); }
  const std::string& name() const override { return process_.name; }
  Random& random() override { return random_; }
  std::vector<std::byte>& address_space() override { return process_.address_space; }

  // ---- for the simulation and its system programs
  void begin();                                 // STARTPROCESS, in the process itself
  LinkIndex link_to_process(Process& process);  // to a system process; always the same
  LinkIndex insert_link(Link link) { return process_.links.insert(link); }
  Machine& machine() { return *process_.machine; }
  std::vector<Event> receive_meter_message() { return messages_.receive_meter_message(); }

 private:
  const WiredLinks* wired_to(std::string_view process) const;
  void record_path(EventType type, Channel& channel);

  Simulation& simulation_;
  Process& process_;
  Random random_;
  CallFrame frame_;
  Messages messages_;
  MovedData moved_data_;
  SemaphoreCalls semaphores_;
  std::map<const Process*, LinkIndex> links_to_processes_;
};

}  // namespace dpm::sim
