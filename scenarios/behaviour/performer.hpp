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
//   late              A message that was waited for in vain, or that comes after a wait of its request is over, is not
//                     taken by a later wait (given_up.hpp). A handler takes it; without one it is discarded.
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
#include "scenarios/behaviour/request_variables.hpp"
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
  std::vector<std::byte> answer;  // the data of the last answer to a call
};

// Which messages a wait takes. `kinds` and `from` live as long as the behaviour.
struct Awaited {
  const KindNames& kinds;
  const Whom& from;
  std::optional<std::uint64_t> request{};  // only of this request
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
  double& value_of(const Variable& variable, const Activity& activity);
  double number(const Value& value, const Activity& activity);
  std::uint64_t whole(const Value& value, const Activity& activity);
  double drawn(const Quantity& quantity, Activity& activity);

  void compute(Duration cpu_time);
  void sleep(Duration time);
  void acquire(const std::string& semaphore);
  void release(const std::string& semaphore);
  // Changes when the process has used or passed time, or received a message.
  std::uint64_t progress() const { return progress_; }

  // The next message of these kinds. Others that come meanwhile are kept. Nothing only if the deadline has come.
  std::optional<Message> await(const Awaited& awaited, std::optional<Deadline> deadline = std::nullopt);
  // One that has come already.
  std::optional<Message> take_if_there(const Awaited& awaited);
  std::optional<Duration> time_of(const Timeout& timeout, Activity& activity);
  std::optional<Deadline> deadline_in(std::optional<Duration> time) const;
  // What comes later is not taken by another wait.
  void give_up(const KindNames& kinds, const Activity& activity);
  // `message` becomes the current one. A CALL is remembered until it is answered.
  void take(Activity& activity, Message message);
  std::string sender_name(const Message& message) const;
  // A wait that was skipped (by its probability, or in a branch not taken) leaves `start` without one.
  const Message& current(const Activity& activity) const;

  // In `start`, sends and calls begin requests, and forwarded messages do not.
  enum class How { send, call, call_at_once, forward };
  // False if a reply did not come in time.
  bool post(const Outgoing& outgoing, How how, Activity& activity, const Timeout* timeout = nullptr);
  void post_to(const std::string& process, const KindName& kind, const Quantity& bytes, Activity& activity);
  void reply(const KindName& kind, const Quantity& bytes, const std::vector<Carried>& carried, Activity& activity);

  // Asks the process manager for something, for each of the processes.
  using Managed = std::function<Result<void>(MessageCalls& calls, std::string_view process)>;
  void manage(const char* step, const Whom& processes, const Managed& what);

 private:
  // What this process wants to know of a list of names, found out once: lists live as long as the behaviour.
  struct Lookup {
    std::vector<bool> has_sender;                        // by index in senders_
    std::size_t self_at = static_cast<std::size_t>(-1);  // where the list names this process
    std::vector<LinkIndex> links;                        // from those of senders_ that it names
  };

  [[noreturn]] void misuse(const std::string& what) const;
  double value_of(const RunTimeName& name, const Activity& activity);
  std::string kind_of(std::uint32_t code) const;  // "a 'vote'"
  std::optional<Message> next_message();
  void be_idle();
  const Handler* handler_of(LinkIndex over, std::uint32_t code);
  const Handler* handler_of(const Message& message) { return handler_of(message.over, message.code); }
  double priority_of(LinkIndex over, std::uint32_t code);
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
  std::size_t sender_index(LinkIndex over) const;
  bool is_from(LinkIndex over, const ProcessNames& names);
  bool is_wanted(const Message& message, const Awaited& awaited);
  const std::vector<LinkIndex>& links_from(const Whom& whom);
  std::optional<Message> take_deferred(const Awaited& awaited);
  const Lookup& lookup(const ProcessNames& names);

  // The tag of the next message: of the current request while handling, of a new one in `start`.
  RequestTag next_tag(Activity& activity, bool begins_request);
  OutgoingMessage message_of(const KindName& kind, double bytes, CarriedNumbers carried, bool begins_request,
                             Activity& activity);
  void add(const std::vector<Carried>& carried, CarriedNumbers& numbers, Activity& activity);
  OutgoingMessage message_of(const Outgoing& outgoing, How how, Activity& activity);
  bool post_to(const std::string& process, const Outgoing& outgoing, How how, Activity& activity,
               const Timeout* timeout);
  // False if an answer did not come in time.
  bool call(const std::vector<std::pair<LinkIndex, OutgoingMessage>>& requests, const KindName& kind,
            std::optional<Deadline> deadline, Activity& activity);
  void set_awaited(const KindNames& kinds);
  void note_answer(const std::string& process);

  const Behaviour& behaviour_;
  const std::vector<std::string>& senders_;
  MessageCalls& calls_;
  std::vector<double> variables_;
  RequestVariables request_variables_;
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
  std::deque<Message> deferred_;  // received, and for the handlers
  std::uint64_t progress_ = 0;
  GivenUp given_up_;
  Outstanding outstanding_;
  std::string awaited_;  // what the process waits for, in words
  std::string awaited_by_handlers_;
  std::uint64_t untagged_ = 0;
  bool was_busy_ = false;  // before it looks for a message; otherwise it takes the first one at once
};

}  // namespace dpm
