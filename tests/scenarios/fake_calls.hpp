// A MessageCalls without a system behind it: the messages to receive are scripted, and everything the program does is
// written down as a line of text.
//
// Link 100 + i leads to the i-th name it was asked for; link_from(p) is 200 + i of the i-th sender.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <stdexcept>

#include "model/message_calls.hpp"

namespace dpm::test {

struct Stopped {};  // STOPTASK, or nothing more to receive

class FakeCalls : public MessageCalls {
 public:
  explicit FakeCalls(std::string name, std::vector<std::string> senders = {}, std::uint64_t seed = 1)
      : random_(Random::stream(seed, name)), name_(std::move(name)), senders_(std::move(senders)) {}

  std::vector<std::string> done;      // "send 7 to b 100", "compute 20 ms", ...
  std::vector<OutgoingMessage> sent;  // of every send, call and reply
  std::vector<Duration> computed;
  std::string silent;   // calls of this process are not answered in time
  std::string awaited;  // the kinds that it last waited for

  // Something for the program to receive. A call gets a reply link that is shown with the reply to it.
  void arrive(const std::string& from, std::uint32_t code, std::uint32_t bytes, std::vector<std::byte> data = {},
              bool is_call = false) {
    Message message;
    message.sender = ProcessId{static_cast<std::uint32_t>(sender_index(from))};
    message.over = link_from(from);
    message.code = code;
    message.length_bytes = bytes;
    message.data = std::move(data);
    if (is_call) message.reply_to = LinkIndex{next_reply_link_++};
    inbox_.push_back({arrives_after_, std::move(message)});
  }

  // What arrives from here on has arrived when the program has computed that often; to wait for it takes no time.
  void arrive_after(std::size_t computations) { arrives_after_ = computations; }

  // The next receive with a deadline that comes when `received` messages were received gets nothing.
  void expire_after(std::size_t received) { nothing_until_ = received; }

  // Runs the program until it ends, stops, or has nothing to receive.
  void run(const Program& program) {
    try {
      program(*this);
      done.push_back("end");
    } catch (const Stopped&) {
    }
  }

  LinkIndex create_link(std::optional<DataArea>) override { return LinkIndex{1}; }
  LinkIndex duplicate_link(LinkIndex link) override { return link; }
  void destroy_link(LinkIndex) override {}
  LinkIndex standard_link(StandardLink) const override { return LinkIndex{0}; }

  LinkIndex link_to(std::string_view process) const override {
    const auto found = std::find(receivers_.begin(), receivers_.end(), process);
    const auto index = static_cast<std::uint32_t>(found - receivers_.begin());
    if (found == receivers_.end()) receivers_.emplace_back(process);
    return LinkIndex{100 + index};
  }
  LinkIndex link_from(std::string_view process) const override {
    return LinkIndex{200 + static_cast<std::uint32_t>(sender_index(process))};
  }

  void send_message(LinkIndex to, const OutgoingMessage& message) override { write_down("send", to, message); }
  Message receive_message(const Selection& selection) override {
    auto message = take(selection, static_cast<std::size_t>(-1));
    return message ? *std::move(message) : throw Stopped{};
  }
  std::optional<Message> a_receive_message(const Selection& selection) override {
    return take(selection, computed.size());
  }
  std::optional<Message> receive_message_until(Deadline deadline, const Selection& selection) override {
    if (nothing_until_ && *nothing_until_ <= received_) {
      nothing_until_.reset();
      done.push_back("deadline " + std::to_string(deadline.ns / 1000000) + " ms");
      return std::nullopt;
    }
    return receive_message(selection);
  }
  Message call(LinkIndex to, OutgoingMessage message) override {
    write_down("call", to, message);
    return {};
  }
  std::optional<Message> call_until(Deadline deadline, LinkIndex to, OutgoingMessage message) override {
    write_down("call until " + std::to_string(deadline.ns / 1000000) + " ms", to, message);
    if (receivers_.at(to.value - 100) == silent) return std::nullopt;
    return Message{};
  }
  std::vector<Message> call_all(std::span<const std::pair<LinkIndex, OutgoingMessage>> calls,
                                std::optional<Deadline> deadline) override {
    std::vector<Message> replies;
    for (const auto& [to, message] : calls) {
      write_down(deadline ? "call at once until " + std::to_string(deadline->ns / 1000000) + " ms" : "call at once", to,
                 message);
      if (receivers_.at(to.value - 100) != silent) replies.emplace_back();
    }
    return replies;
  }
  void set_awaited(std::string_view kinds, bool) override { awaited = kinds; }
  void reply(const Message& request, const OutgoingMessage& answer) override {
    if (!request.reply_to) throw std::runtime_error("misuse: reply to a message that was not a call");
    done.push_back("reply " + std::to_string(answer.code) + " on link " + std::to_string(request.reply_to->value));
    sent.push_back(answer);
  }
  void move_data(LinkIndex, LinkIndex, std::uint64_t) override {}

  void compute(Duration cpu_time) override {
    done.push_back("compute " + std::to_string(cpu_time.ns / 1000000) + " ms");
    computed.push_back(cpu_time);
  }
  void did_work(Duration cpu_time) override { compute(cpu_time); }
  void sleep(Duration time) override { done.push_back("sleep " + std::to_string(time.ns / 1000000) + " ms"); }
  Deadline deadline_in(Duration time) const override { return {time.ns}; }
  [[noreturn]] void stop_task() override {
    done.push_back("stop");
    throw Stopped{};
  }

  void print_line(std::string_view text) override { done.push_back("print " + std::string(text)); }

  LocalTime local_time() const override { return {}; }
  const std::string& name() const override { return name_; }
  Random& random() override { return random_; }
  std::vector<std::byte>& address_space() override { return space_; }

 private:
  struct Arriving {
    std::size_t after;  // computations
    Message message;
  };

  std::optional<Message> take(const Selection& selection, std::size_t arrived_after) {
    auto found = inbox_.end();
    double highest = 0;
    for (auto next = inbox_.begin(); next != inbox_.end(); ++next) {
      const auto& over = selection.over;
      if (next->after > arrived_after) continue;
      if (!over.empty() && std::find(over.begin(), over.end(), next->message.over) == over.end()) continue;
      const auto rank = selection.rank ? selection.rank(next->message.over, next->message.code) : 0;
      if (!rank || (found != inbox_.end() && *rank <= highest)) continue;
      found = next;
      highest = *rank;
    }
    if (found == inbox_.end()) return std::nullopt;
    Message received = std::move(found->message);
    inbox_.erase(found);
    ++received_;
    return received;
  }
  std::size_t sender_index(std::string_view process) const {
    const auto found = std::find(senders_.begin(), senders_.end(), process);
    if (found == senders_.end()) throw std::runtime_error("misuse: no link from " + std::string(process));
    return static_cast<std::size_t>(found - senders_.begin());
  }
  void write_down(const std::string& verb, LinkIndex to, const OutgoingMessage& message) {
    done.push_back(verb + " " + std::to_string(message.code) + " to " + receivers_.at(to.value - 100) + " " +
                   std::to_string(message.length_bytes));
    sent.push_back(message);
  }

  Random random_;
  std::string name_;
  std::vector<std::string> senders_;
  mutable std::vector<std::string> receivers_;
  std::deque<Arriving> inbox_;
  std::size_t arrives_after_ = 0;
  std::size_t received_ = 0;
  std::optional<std::size_t> nothing_until_;
  std::uint32_t next_reply_link_ = 1;
  std::vector<std::byte> space_;
};

}  // namespace dpm::test
