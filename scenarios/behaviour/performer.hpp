// Performs a Behaviour with the message calls. Steps act through it.
//
// Six rules:
//   current message   In a handler: the message it was chosen for. A wait makes the message it took the current one.
//   reply             Answers the current message if it was sent with CALL and is unanswered; otherwise the latest
//                     unanswered CALL of the same request. So a server may ask others first and answer when the result
//                     is in.
//   deferred          A wait that meets a message of another kind keeps it for the handlers.
//   queue             A process whose queue is limited receives all that has come before it takes the next message for its
//                     handlers, and refuses what has no room. While it is busy nothing leaves its queue, so it refuses
//                     what would have found no room at its arrival.
//   late              A message that was waited for in vain is not taken by a later wait (given_up.hpp). A handler takes
//                     it; without one it is discarded.
//   request           Goes with the messages (request_tag.hpp). A message too short to carry one, and waited for in a
//                     handler, belongs to the request being handled.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>

#include "scenarios/behaviour/behaviour.hpp"
#include "scenarios/behaviour/given_up.hpp"
#include "scenarios/behaviour/open_calls.hpp"
#include "scenarios/behaviour/outstanding.hpp"
#include "scenarios/behaviour/request_tag.hpp"
#include "scenarios/behaviour/requesters.hpp"
#include "scenarios/behaviour/subscriber_list.hpp"
#include "scenarios/behaviour/timeout.hpp"

namespace dpm {

// What a run of steps works on.
struct Activity {
  bool handling = false;  // messages sent belong to the current message's request
  std::optional<Message> current;
  RequestTag tag;          // of `current`
  std::uint64_t sent = 0;  // messages sent since `tag` was taken
  Random* draws = nullptr;
};

// What a process remembers of a step until it performs it again.
struct Memory {
  Deck deck;
  // Where a choice in order has come to, which member of a group is next, or the number of the subscriber that was last.
  std::size_t at = 0;
  std::uint64_t times = 0;
};

class Performer {
 public:
  Performer(const Behaviour& behaviour, const std::vector<std::string>& senders, MessageCalls& calls);

  void run();

  // ---- for steps

  MessageCalls& calls() { return calls_; }
  void perform(const Steps& steps, Activity& activity);
  Memory& memory(std::size_t slot) { return memory_[slot]; }
  SubscriberList& subscribers(const Subscription& list) { return subscribers_[list.index]; }
  double& value_of(const Variable& variable) { return variables_[variable.index]; }
  double drawn(const Quantity& quantity, Activity& activity);

  // The next message of these kinds. Others that come meanwhile are kept. Nothing only if the deadline has come.
  std::optional<Message> await(const KindNames& kinds, const Whom& from,
                               std::optional<Deadline> deadline = std::nullopt);
  std::optional<Deadline> deadline_of(const Timeout& timeout, Activity& activity);
  // After a wait in vain: what comes later is not taken by another wait.
  void give_up(const KindNames& kinds, const Activity& activity);
  // `message` becomes the current one. A CALL is remembered until it is answered.
  void take(Activity& activity, Message message);
  std::string sender_name(const Message& message) const;
  // A wait that was skipped (by its probability, or in a branch not taken) leaves `start` without one.
  const Message& current(const Activity& activity) const;

  // In `start`, sends and calls begin requests, and forwarded messages do not.
  enum class How { send, call, forward };
  // False if a reply did not come in time.
  bool post(const Outgoing& outgoing, How how, Activity& activity, const Timeout* timeout = nullptr);
  void post_to(const std::string& process, const KindName& kind, const Quantity& bytes, Activity& activity);
  void reply(const KindName& kind, const Quantity& bytes, Activity& activity);

  // Asks the process manager for something, for each of the processes.
  using Managed = std::function<Result<void>(MessageCalls& calls, std::string_view process)>;
  void manage(const char* step, const Whom& processes, const Managed& what);

 private:
  // What this process wants to know of a list of names, found out once: lists live as long as the behaviour.
  struct Lookup {
    std::vector<bool> has_sender;                        // by index in senders_
    std::size_t self_at = static_cast<std::size_t>(-1);  // where the list names this process
  };

  std::optional<Message> next_message();
  void be_idle();
  const Handler* handler_of(const Message& message);
  void keep(Message message);
  bool is_late(const Message& message) const;
  const std::vector<LinkIndex>& links_not_limited();
  void fill_queue();
  bool refuse_one();
  void refuse(Message message);
  void handle(Message message);
  void perform_on(Message message, const Steps& steps, Activity& activity);
  std::uint64_t key_of(const Outgoing& outgoing, Activity& activity);
  // The member of `names` that last sent a message of this request.
  const std::string& requester(const ProcessNames& names, const Activity& activity);
  std::size_t sender_index(const Message& message) const;
  bool is_from(const Message& message, const ProcessNames& names);
  const Lookup& lookup(const ProcessNames& names);

  // The tag of the next message: of the current request while handling, of a new one in `start`.
  RequestTag next_tag(Activity& activity, bool begins_request);
  OutgoingMessage message_of(const KindName& kind, double bytes, bool begins_request, Activity& activity);
  bool post_to(const std::string& process, const Outgoing& outgoing, How how, Activity& activity,
               const Timeout* timeout);
  bool call(LinkIndex to, const OutgoingMessage& message, const KindName& kind, std::optional<Deadline> deadline);
  void note_answer(const std::string& process);

  const Behaviour& behaviour_;
  const std::vector<std::string>& senders_;
  MessageCalls& calls_;
  std::vector<double> variables_;
  std::vector<Memory> memory_;               // by slot
  std::vector<SubscriberList> subscribers_;  // by list
  std::unordered_map<LinkIndex, std::size_t> sender_of_link_;
  std::vector<LinkIndex> links_from_;  // by index in senders_
  std::unordered_map<const std::vector<std::string>*, Lookup> lookups_;
  OpenCalls open_calls_;
  Requesters requesters_;
  std::uint64_t admitted_ = 0;  // messages whose number is limited, taken and not answered
  std::vector<LinkIndex> not_limited_;
  const std::vector<LinkIndex> no_links_;
  std::deque<Message> deferred_;
  GivenUp given_up_;
  Outstanding outstanding_;
  std::string awaited_;  // what the process waits for, in words
  std::string awaited_by_handlers_;
  std::uint64_t untagged_ = 0;
  bool was_busy_ = false;  // before it looks for a message; otherwise it takes the first one at once
};

}  // namespace dpm
