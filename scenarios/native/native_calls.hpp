// The message calls of a process that really runs: an operating system process that talks to the others over sockets.
//
// What a program sees is what it sees when simulated: links, selective receives in order of arrival, CALL and its
// reply, data areas, the same random draws. What differs is time. Messages take what the machine takes. compute() keeps
// the CPU busy until the process's own CPU clock has advanced that far. did_work() does nothing, because the work has
// been done, unless the run takes the modelled time. Data that are moved to the process are stored when it next makes a
// call.
//
// Nothing here knows of a meter: this is a program to be metered.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/link_table.hpp"
#include "scenarios/native/mailbox.hpp"
#include "scenarios/native/membership.hpp"
#include "scenarios/native/moved_data.hpp"

namespace dpm::native {

class NativeCalls : public MessageCalls {
 public:
  NativeCalls(Membership membership, UniqueFd listener);

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
    member_.row.state.set_kinds(kinds);
    member_.row.state.rests = rests ? 1 : 0;
  }
  void reply(const Message& request, const OutgoingMessage& answer) override;
  void move_data(LinkIndex from, LinkIndex to, std::uint64_t bytes) override;

  void compute(Duration cpu_time) override;
  void did_work(Duration cpu_time) override {
    if (member_.modelled_work) compute(cpu_time);
  }
  void sleep(Duration time) override;
  Deadline deadline_in(Duration time) const override { return {monotonic_ns() + time.ns}; }
  [[noreturn]] void stop_task() override;
  void print_line(std::string_view text) override;

  LocalTime local_time() const override;
  const std::string& name() const override { return member_.description().name; }
  Random& random() override { return random_; }
  std::vector<std::byte>& address_space() override { return moved_data_.address_space(); }

 private:
  // A link this process created, at its number.
  struct Channel {
    LinkIndex owners_index;
    std::uint32_t wired_from = kNobody;
  };
  struct WiredLinks {
    LinkIndex to;    // my link to it
    LinkIndex from;  // my end of its link to me
  };
  bool is_manager(std::uint32_t process) const { return process == member_.process_manager(); }

  static constexpr std::uint32_t kNobody = 0xffffffffu;

  void wire();
  std::uint32_t add_channel(std::uint32_t wired_from, std::optional<DataArea> area);
  const Link& link_at(LinkIndex index, const char* call) const;
  const Link& link_with_area(LinkIndex index, std::uint64_t bytes, bool read) const;
  const WiredLinks* wired_to(std::string_view process) const;

  // ---- messages
  void send_over(LinkIndex to, const OutgoingMessage& message, std::uint64_t reply_to, const char* call);
  // Nothing only if the deadline has come first.
  std::optional<Frame> await(const FrameSelection& selection, Doing doing,
                             std::optional<Deadline> deadline = std::nullopt);
  void drop_late_replies();
  FrameSelection selected(const Selection& selection, const char* call);
  Message message_of(Frame frame);

  Membership member_;
  Mailbox mailbox_;
  MovedData moved_data_;
  Random random_;
  LinkTable<Link> links_;
  LinkIndex process_manager_;
  std::vector<Channel> channels_;
  std::map<std::string, WiredLinks, std::less<>> wired_;
  std::uint64_t calls_made_ = 0;
  std::uint64_t first_awaited_call_ = 0;  // this CALL and those after it may still be answered; 0: none
  std::uint64_t calls_given_up_ = 0;      // whose replies have not come
};

}  // namespace dpm::native
