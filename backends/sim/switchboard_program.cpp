#include <fmt/format.h>

#include <map>

#include "backends/sim/filter_feedback.hpp"
#include "backends/sim/system_programs.hpp"
#include "model/process_manager.hpp"

namespace dpm::sim {
namespace {

class Switchboard {
 public:
  explicit Switchboard(MessageCalls& calls) : calls_(calls) {}

  [[noreturn]] void serve() {
    for (;;) {
      Message request = calls_.receive_message();
      const auto words = decode_words(request.data);
      if (!request.reply_to) continue;
      if (words.size() != 1 || words.front().empty())
        refuse(request, "the switchboard expects one name");
      else if (request.code == static_cast<std::uint32_t>(SwitchboardRequest::offer))
        offer(words.front(), request);
      else if (request.code == static_cast<std::uint32_t>(SwitchboardRequest::ask))
        ask(words.front(), std::move(request));
      else
        refuse(request, "the switchboard knows no request " + std::to_string(request.code));
    }
  }

 private:
  void offer(const std::string& name, const Message& request) {
    if (!request.passed) return refuse(request, fmt::format("an offer of '{}' must pass a link", name));
    if (!offered_.emplace(name, *request.passed).second)
      return refuse(request, fmt::format("'{}' is offered already", name));
    calls_.reply(request, {});
    for (const Message& waiting : waiting_[name]) answer(waiting, *request.passed);
    waiting_.erase(name);
  }

  void ask(const std::string& name, Message request) {
    const auto found = offered_.find(name);
    if (found == offered_.end())
      waiting_[name].push_back(std::move(request));
    else
      answer(request, found->second);
  }

  void answer(const Message& request, LinkIndex link) {
    OutgoingMessage reply;
    reply.pass = link;
    calls_.reply(request, reply);
  }

  void refuse(const Message& request, const std::string& why) {
    OutgoingMessage reply;
    reply.code = 1;
    reply.data = encode_words({why});
    calls_.reply(request, reply);
  }

  MessageCalls& calls_;
  std::map<std::string, LinkIndex> offered_;
  std::map<std::string, std::vector<Message>> waiting_;
};

}  // namespace

void switchboard_program(Simulation&, ProcessCalls& calls) { Switchboard(calls).serve(); }

void filter_program(Simulation& simulation, ProcessCalls& calls) {
  FilterFeedback feedback(simulation, calls);
  for (;;) {
    const std::vector<Event> events = calls.receive_meter_message();
    simulation.output().append(events);
    feedback.add(events);
  }
}

}  // namespace dpm::sim
