// Performs a Behaviour with the message calls.
//
// Four rules decide everything that is not plain:
//   current message   In a handler: the message it was chosen for. A wait makes the message it took the current one.
//   reply             Answers the current message if it was sent with CALL and is unanswered; otherwise the latest
//                     unanswered CALL of the same request. So a server may ask others first and answer when the result
//                     is in.
//   deferred          A wait that meets a message of another kind keeps it for the handlers.
//   request           Goes with the messages (request_tag.hpp). A message too short to carry one, and waited for in a
//                     handler, belongs to the request being handled.
#include <algorithm>
#include <deque>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "scenarios/behaviour/behaviour.hpp"
#include "scenarios/behaviour/request_tag.hpp"

namespace dpm {
namespace {

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
constexpr std::size_t kRequestsRemembered = 100'000;  // so that a service that runs for ever does not grow for ever

// What a run of steps works on.
struct Activity {
  bool handling = false;  // messages sent belong to the current message's request
  std::optional<Message> current;
  RequestTag tag;          // of `current`
  std::uint64_t sent = 0;  // messages sent since `tag` was taken
  Random* draws = nullptr;
};

class BehaviourProcess {
 public:
  BehaviourProcess(const Behaviour& behaviour, const std::vector<std::string>& senders, MessageCalls& calls)
      : behaviour_(behaviour),
        senders_(senders),
        calls_(calls),
        variables_(behaviour.variables),
        turns_(behaviour.step_count),
        decks_(behaviour.step_count),
        places_(behaviour.step_count) {
    for (std::size_t i = 0; i < senders.size(); ++i) {
      links_from_.push_back(calls.link_from(senders[i]));
      sender_of_link_.emplace(links_from_.back(), i);
    }
  }

  void run() {
    Activity activity;
    activity.draws = &calls_.random();
    perform(behaviour_.start, activity);
    while (!behaviour_.handlers.empty()) handle(next_message());
  }

 private:
  // ---- messages in

  Message next_message() {
    const bool full = behaviour_.admission.from != nullptr && admitted_ >= behaviour_.admission.at_most;
    const auto may_come = [&](const Message& message) { return !full || !is_from(message, behaviour_.admission.from); };
    const auto kept = std::find_if(deferred_.begin(), deferred_.end(), may_come);
    if (kept == deferred_.end()) return calls_.receive_message(full ? links_not_limited() : no_links_);
    Message message = std::move(*kept);
    deferred_.erase(kept);
    return message;
  }

  const std::vector<LinkIndex>& links_not_limited() {
    if (not_limited_.empty())
      for (std::size_t i = 0; i < senders_.size(); ++i)
        if (!lookup(behaviour_.admission.from).has_sender[i]) not_limited_.push_back(links_from_[i]);
    return not_limited_;
  }

  void handle(Message message) {
    for (const auto& handler : behaviour_.handlers) {
      if (!(handler.any_kind || handler.code == message.code) || !is_from(message, handler.from)) continue;
      Activity activity;
      activity.handling = true;
      if (behaviour_.admission.from != nullptr && is_from(message, behaviour_.admission.from)) ++admitted_;
      take(activity, std::move(message));
      Random of_request = Random::stream(activity.tag.draws, calls_.name());
      activity.draws = behaviour_.per_request ? &of_request : &calls_.random();
      perform(handler.steps, activity);
      return;
    }
    throw std::runtime_error("process '" + calls_.name() + "' has no handler for a message of code " +
                             std::to_string(message.code) + " from '" + sender_name(message) + "'");
  }

  void wait(const Step& step, Activity& activity) {
    for (std::uint64_t i = 0; i < step.times; ++i) take(activity, await(step, step.code));
  }

  Message await(const Step& step, std::uint32_t code) {
    const auto wanted = [&](const Message& message) {
      return (step.any_kind || message.code == code) && is_from(message, step.processes);
    };
    const auto kept = std::find_if(deferred_.begin(), deferred_.end(), wanted);
    if (kept != deferred_.end()) {
      Message message = std::move(*kept);
      deferred_.erase(kept);
      return message;
    }
    std::vector<LinkIndex> over;
    for (std::size_t i = 0; step.processes != nullptr && i < senders_.size(); ++i)
      if (lookup(step.processes).has_sender[i]) over.push_back(links_from_[i]);
    for (;;) {
      Message message = calls_.receive_message(over);
      if (wanted(message)) return message;
      deferred_.push_back(std::move(message));
    }
  }

  // `message` becomes the current one. A CALL is remembered until it is answered.
  void take(Activity& activity, Message message) {
    std::optional<RequestTag> tag = decode_request_tag(message.data);
    if (!tag && !(activity.handling && activity.current)) {
      Random own =
          Random::stream(++untagged_, calls_.name());  // a request of its own, never drawn from the process's stream
      const std::uint64_t request = own.next();
      tag = RequestTag{request, own.next()};
    }
    if (tag) {
      activity.tag = *tag;
      activity.sent = 0;
    }
    if (message.reply_to) open_[activity.tag.request].push_back(message);
    if (behaviour_.follows_requests) remember_requester(activity.tag.request, sender_index(message));
    activity.current = std::move(message);
  }

  void remember_requester(std::uint64_t request, std::size_t sender) {
    const auto [entry, is_new] = requesters_.try_emplace(request);
    auto& senders = entry->second;
    senders.erase(std::remove(senders.begin(), senders.end(), sender), senders.end());
    senders.push_back(sender);
    if (!is_new) return;
    requests_by_age_.push_back(request);
    if (requests_by_age_.size() <= kRequestsRemembered) return;
    requesters_.erase(requests_by_age_.front());
    requests_by_age_.pop_front();
  }

  // The member of `names` that last sent a message of this request.
  const std::string& requester(const ProcessNames& names, const Activity& activity) {
    const auto found = requesters_.find(activity.tag.request);
    if (found != requesters_.end()) {
      const auto& has_sender = lookup(names).has_sender;
      const auto latest = std::find_if(found->second.rbegin(), found->second.rend(),
                                       [&](std::size_t sender) { return sender != kNobody && has_sender[sender]; });
      if (latest != found->second.rend()) return senders_[*latest];
    }
    throw std::runtime_error("process '" + calls_.name() + "': no process of the group of '" + names->front() +
                             "' has sent it a message of the request being handled");
  }

  // A wait that was skipped (by its probability, or in a branch not taken) leaves `start` without one.
  const Message& current(const Activity& activity) const {
    if (activity.current) return *activity.current;
    throw std::runtime_error("process '" + calls_.name() + "' has no message to reply to or forward");
  }

  std::size_t sender_index(const Message& message) const {
    const auto found = sender_of_link_.find(message.over);
    return found == sender_of_link_.end() ? kNobody : found->second;
  }

  std::string sender_name(const Message& message) const {
    const std::size_t index = sender_index(message);
    return index == kNobody ? "process " + std::to_string(message.sender.value) : senders_[index];
  }

  bool is_from(const Message& message, const ProcessNames& names) {
    if (names == nullptr) return true;
    const std::size_t index = sender_index(message);
    return index != kNobody && lookup(names).has_sender[index];
  }

  // What this process wants to know of a list of names, found out once: lists live as long as the behaviour.
  struct Lookup {
    std::vector<bool> has_sender;   // by index in senders_
    std::size_t self_at = kNobody;  // where the list names this process
  };

  const Lookup& lookup(const ProcessNames& names) {
    const auto [entry, is_new] = lookups_.try_emplace(names.get());
    if (!is_new) return entry->second;
    const std::unordered_set<std::string_view> set(names->begin(), names->end());
    for (const auto& sender : senders_) entry->second.has_sender.push_back(set.count(sender) != 0);
    const auto self = std::find(names->begin(), names->end(), calls_.name());
    if (self != names->end()) entry->second.self_at = static_cast<std::size_t>(self - names->begin());
    return entry->second;
  }

  // ---- messages out

  // The tag of the next message: of the current request while handling, of a new one in `start`.
  RequestTag next_tag(Activity& activity, const Step& step) {
    if (!activity.handling && (step.verb == Verb::send || step.verb == Verb::call)) {
      const std::uint64_t request = calls_.random().next();
      return {request, request};
    }
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ull;
    return {activity.tag.request, Random(activity.tag.draws + kOdd * ++activity.sent).next()};
  }

  OutgoingMessage message_of(const Step& step, Activity& activity) {
    OutgoingMessage message;
    message.code = step.code;
    const double bytes = step.same_bytes ? current(activity).length_bytes : drawn(step, activity);
    message.length_bytes = static_cast<std::uint32_t>(std::min(bytes + .5, 4294967295.0));
    const RequestTag tag = next_tag(activity, step);
    if (message.length_bytes >= kRequestTagBytes) message.data = encode(tag);
    return message;
  }

  double drawn(const Step& step, Activity& activity) { return draw(step.amount, decks_[step.number], *activity.draws); }

  void post(const Step& step, Activity& activity) {
    if (step.processes == nullptr) return post_to(sender_name(current(activity)), step, activity);
    const auto& names = *step.processes;
    // A group's member does not write to itself, unless it is named.
    const std::size_t self_at = step.by_name ? kNobody : lookup(step.processes).self_at;
    const std::size_t others = names.size() - (self_at == kNobody ? 0 : 1);
    const auto other = [&](std::size_t i) -> const std::string& { return names[i < self_at ? i : i + 1]; };
    if (others == 0) return;
    switch (step.pick) {
      case Pick::random:
        return post_to(other(others == 1 ? 0 : activity.draws->below(others)), step, activity);
      case Pick::in_turn:
        return post_to(other(turns_[step.number]++ % others), step, activity);
      case Pick::requester:
        return post_to(requester(step.processes, activity), step, activity);
      case Pick::all:
        for (std::size_t i = 0; i < others; ++i) post_to(other(i), step, activity);
        return;
    }
  }

  void post_to(const std::string& process, const Step& step, Activity& activity) {
    const auto link = calls_.link_to(process);
    note_answer(process);
    if (step.verb == Verb::call) {
      calls_.call(link, message_of(step, activity));
    } else {
      calls_.send_message(link, message_of(step, activity));
    }
  }

  // Whoever is written to has room for another message, if its messages are limited.
  void note_answer(const std::string& process) {
    const auto& names = behaviour_.admission.from;
    if (names == nullptr || admitted_ == 0) return;
    if (std::find(names->begin(), names->end(), process) != names->end()) --admitted_;
  }

  const Step& task_of(const Step& step, Activity& activity) {
    return step.tasks[step.tasks.size() == 1 ? 0 : decks_[step.number].deal(step.weights, *activity.draws)];
  }

  // Hands out tasks: each member has `in_flight` of them at a time, and who has answered gets the next.
  void dispatch(const Step& step, Activity& activity) {
    std::vector<std::string> members = *step.processes;
    members.erase(std::remove(members.begin(), members.end(), calls_.name()), members.end());
    if (members.empty()) return;
    std::uint64_t given = 0;
    for (std::uint64_t round = 0; round < step.in_flight && given < step.times; ++round) {
      for (std::size_t i = 0; i < members.size() && given < step.times; ++i, ++given) {
        perform(step.steps, activity);
        post_to(members[i], task_of(step, activity), activity);
      }
    }
    for (std::uint64_t answers = given; answers > 0; --answers) {
      take(activity, await(step, step.answer));
      if (given == step.times) {
        perform(step.rest, activity);
        continue;
      }
      const std::string answerer = sender_name(*activity.current);
      perform(step.otherwise, activity);
      post_to(answerer, task_of(step, activity), activity);
      ++given, ++answers;
    }
  }

  void reply(const Step& step, Activity& activity) {
    const OutgoingMessage answer = message_of(step, activity);
    const auto open = open_.find(activity.tag.request);
    // Nothing to answer: the kernel refuses, and names the process.
    if (open == open_.end()) return calls_.reply(current(activity), answer);
    auto& requests = open->second;
    const auto is_current = [&](const Message& message) { return message.reply_to == current(activity).reply_to; };
    auto chosen = std::find_if(requests.begin(), requests.end(), is_current);
    if (chosen == requests.end()) chosen = std::prev(requests.end());
    const Message request = std::move(*chosen);
    requests.erase(chosen);
    if (requests.empty()) open_.erase(open);
    note_answer(sender_name(request));
    calls_.reply(request, answer);
  }

  // ---- steps

  void perform(const std::vector<Step>& steps, Activity& activity) {
    for (const auto& step : steps)
      if (step.probability >= 1 || activity.draws->chance(step.probability)) perform(step, activity);
  }

  void perform(const Step& step, Activity& activity) {
    switch (step.verb) {
      case Verb::compute:
        return calls_.compute(Duration::from_seconds(drawn(step, activity)));
      case Verb::send:
      case Verb::call:
      case Verb::forward:
        return post(step, activity);
      case Verb::reply:
        return reply(step, activity);
      case Verb::wait:
        return wait(step, activity);
      case Verb::choose:
        return perform(step.branches[chosen(step, activity)], activity);
      case Verb::repeat:
        for (std::uint64_t i = 0; i < step.times; ++i) perform(step.steps, activity);
        return;
      case Verb::dispatch:
        return dispatch(step, activity);
      case Verb::stop:
        calls_.stop_task();
        break;
      case Verb::set:
        variables_[step.variable] = step.value;
        return;
      case Verb::count:
        variables_[step.variable] += step.value;
        return;
      case Verb::test:
        return perform(variables_[step.variable] >= step.value ? step.steps : step.otherwise, activity);
    }
  }

  std::size_t chosen(const Step& step, Activity& activity) {
    if (!step.order.empty()) return next_in_order(step);
    if (step.dealt) return decks_[step.number].deal(step.weights, *activity.draws);
    return draw_weighted(step.weights, *activity.draws);
  }

  std::size_t next_in_order(const Step& step) {
    Place& place = places_[step.number];
    const std::size_t branch = step.order[place.at];
    if (++place.times == step.order_times[place.at]) place = {(place.at + 1) % step.order.size(), 0};
    return branch;
  }

  // Where a choice in order has come to.
  struct Place {
    std::size_t at = 0;
    std::uint64_t times = 0;
  };

  const Behaviour& behaviour_;
  const std::vector<std::string>& senders_;
  MessageCalls& calls_;
  std::vector<double> variables_;
  std::vector<std::size_t> turns_;  // by step number: whose turn it is
  std::vector<Deck> decks_;         // by step number
  std::vector<Place> places_;       // by step number
  std::unordered_map<LinkIndex, std::size_t> sender_of_link_;
  std::vector<LinkIndex> links_from_;  // by index in senders_
  std::unordered_map<const std::vector<std::string>*, Lookup> lookups_;
  std::unordered_map<std::uint64_t, std::vector<Message>> open_;            // unanswered CALLs by request
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> requesters_;  // by request: who sent, the latest last
  std::deque<std::uint64_t> requests_by_age_;
  std::uint64_t admitted_ = 0;  // messages whose number is limited, taken and not answered
  std::vector<LinkIndex> not_limited_;
  const std::vector<LinkIndex> no_links_;
  std::deque<Message> deferred_;
  std::uint64_t untagged_ = 0;
};

}  // namespace

Program make_program(std::shared_ptr<const Behaviour> behaviour, ProcessNames senders) {
  return [behaviour = std::move(behaviour), senders = std::move(senders)](MessageCalls& calls) {
    BehaviourProcess(*behaviour, *senders, calls).run();
  };
}

}  // namespace dpm
