// The kernel calls of one process. Every call has the same shape: note where it was made (the pc), charge what is owed,
// do the work, tell the meter. A process whose flags are none pays one test per event.
//
//   SEND          charge the sender's CPU, record SEND, hand over to the calendar: all at one instant, so that
//                 arrival = time of the SEND + delivery time
//   RECEIVE       record RECEIVECALL, wait, take the message, charge the receiver's CPU, record RECEIVE
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/sim/process.hpp"
#include "backends/sim/simulation.hpp"

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
  Message receive_message(std::span<const LinkIndex> over) override;
  std::optional<Message> a_receive_message(std::span<const LinkIndex> over) override;
  Message call(LinkIndex to, OutgoingMessage message) override;
  void reply(const Message& request, const OutgoingMessage& answer) override;
  void move_data(LinkIndex from, LinkIndex to, std::uint64_t bytes) override;

  void compute(Duration cpu_time) override;
  void did_work(Duration cpu_time) override { compute(cpu_time); }
  [[noreturn]] void stop_task() override;

  void print_line(std::string_view text) override { simulation_.print_line(process_, text); }

  LocalTime local_time() const override { return process_.machine->local_time(simulation_.now()); }
  const std::string& name() const override { return process_.name; }
  Random& random() override { return random_; }
  std::vector<std::byte>& address_space() override { return process_.address_space; }

  // ---- for the simulation and its system programs
  void begin();                                 // STARTPROCESS, in the process itself
  LinkIndex link_to_process(Process& process);  // to a system process; always the same
  LinkIndex insert_link(Link link) { return process_.links.insert(link); }
  Machine& machine() { return *process_.machine; }
  std::vector<Event> receive_meter_message();

 private:
  // ---- the parts of every call
  void enter(const char* call, const void* return_address);
  void settle();  // charges what metering has cost
  void use_cpu(Duration work);
  void block(Waiting what_for);
  void wait_while_stopped();
  [[noreturn]] void misuse(const std::string& what) const;
  void refuse_if(const std::string& complaint) const {
    if (!complaint.empty()) misuse(complaint);
  }
  std::uint64_t pc() const { return simulation_.meter().pc_of(return_address_); }

  const Link& link_at(LinkIndex index) const;
  const Link& link_with_area(LinkIndex index, std::uint64_t bytes, bool read) const;
  const WiredLinks* wired_to(std::string_view process) const;

  // ---- messages
  Packet& packet_for(LinkIndex to, const OutgoingMessage& message);
  void pass_link(Packet& packet, LinkIndex index);
  void transmit(Packet& packet, std::uint16_t flags = 0);
  void send_over(LinkIndex to, const OutgoingMessage& message);
  void collect_wanted(std::span<const LinkIndex> over);
  Packet* take_waiting();
  Message accept(Packet& packet);
  void record_receive_call(Wanted wanted);
  void record_path(EventType type, Channel& channel);

  // ---- moving data
  void send_data(Process& source, const Link& from, const Link& to, std::uint64_t bytes, bool wake_me);
  Packet& data_packet(Process& source, const Link& from, const Link& to, std::uint64_t offset, std::uint64_t bytes,
                      bool wake_me);

  Simulation& simulation_;
  Process& process_;
  Random random_;
  const char* call_ = "";
  const void* return_address_ = nullptr;
  std::vector<Channel*> wanted_;  // by the receive going on
  std::uint64_t empty_polls_ = 0;
  TrueTime first_empty_poll_;
  std::map<const Process*, LinkIndex> links_to_processes_;
};

}  // namespace dpm::sim
