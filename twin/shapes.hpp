// Activities of the same form: the same messages to and from the same groups, in the same order. What varies within a
// form (CPU times, sizes, which member of a group) is measured over all activities that have it. In terms of this file:
// an activity is a TokenRun, and a form is a Shape.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "twin/activities.hpp"
#include "twin/making_steps.hpp"
#include "twin/model.hpp"
#include "twin/timeouts.hpp"

namespace dpm::twin {

inline constexpr std::size_t kShapesMost = 24;  // branches that a user can still read
inline constexpr std::size_t kShapesInOrderMost =
    400;  // branches of a choice in order, in which each comes when it came in the trace

// Material: what was recorded and inferred of a trace. Everything that makes a part of the twin reads it.
struct Material {
  const Recording& recording;
  const Groups& groups;
  const Kinds& kinds;
  const Behaviours& behaviours;
  const Timeouts& timeouts;
  // Forms of activity come in the order in which they came in the trace. A live process has a state: a connection's
  // beginning, middle and end show it, and a twin that drew forms at random would wait for answers that go nowhere. If
  // every process does on the n-th message of a kind from a process what it did on the n-th in the trace, then all
  // messages are made, in whatever order they arrive: no process depends on the order between kinds.
  bool in_order = false;
};

// Token: one message of an activity, sent or waited for, or the activity's end, without the details that may vary.
struct Token {
  enum class What { send, wait, stop };

  What what = What::send;
  std::string kind;
  std::uint32_t group = kNone;
  std::uint32_t times = 1;    // wait
  bool to_all = false;        // one to each member
  double cpu_s = 0;           // before it, on a machine of speed 1
  double slept_s = 0;         // before it
  double gave_up_s = 0;       // a message: before it, in one receive that took nothing
  std::uint32_t retries = 0;  // a wait: times that it was given up, and the message before it sent again
  double timeout_s = 0;       // a wait: the mean time until it was given up
  double bytes = 0;
  std::uint32_t member = 0;  // of the group, that it went to or came from
  std::uint32_t of = 1;      // members the group has
  Destination destination;
  std::uint32_t operation = kNone;  // its index in the process's record
};

// The tokens of one activity.
struct TokenRun {
  std::vector<Token> tokens;
  double tail_cpu_s = 0;
  double tail_slept_s = 0;
  std::uint32_t process = kNone;

  std::string key() const;
  double cpu_s() const;
};

// The messages of operations [begin, end) of a process, one by one.
TokenRun messages_of(const Material& material, std::uint32_t process, std::uint32_t begin, std::uint32_t end,
                     std::uint64_t tail_cpu_ns);

// The same for activities: messages to all members of a group become one token, and so do waits for several, and what was
// sent again after timeouts.
TokenRun tokens_of(const Material& material, std::uint32_t process, std::uint32_t begin, std::uint32_t end,
                   std::uint64_t tail_cpu_ns, bool stops);
TokenRun tokens_of(const Material& material, std::uint32_t process, const Activity& activity, bool stops);

// Shape: all activities of one form, and the samples of what varies between them: CPU times, sizes, receivers.
class Shape {
 public:
  explicit Shape(const TokenRun& first)
      : form_(first.tokens), slots_(first.tokens.size()), cpu_(slots_.size() + 1), slept_(cpu_.size()) {}

  void add(const TokenRun& run);         // `run` has this form
  void add_forced(const TokenRun& run);  // `run` has another form: only its CPU time counts

  std::uint64_t count() const { return count_; }
  std::uint64_t forced() const { return forced_; }
  bool stops() const { return !form_.empty() && form_.back().what == Token::What::stop; }
  std::size_t length() const { return form_.size(); }

  // `members` processes did it.
  Steps steps(const Material& material, std::size_t members, std::vector<std::string>& warnings) const;

 private:
  // The receivers of one token's messages.
  struct Slot {
    std::vector<double> bytes;
    std::uint64_t sends = 0, to_sender = 0, to_requester = 0, in_turn = 0, turns = 0;
    std::map<std::uint32_t, std::uint64_t> by_member;
    std::map<std::uint32_t, std::uint32_t> latest;  // by process: the member that was last
    std::uint32_t retries_most = 0;
    std::vector<double> timeout_s;
  };

  Step sending(const Material& material, std::size_t at, std::size_t members, std::vector<std::string>& warnings) const;

  Step waiting(const Material& material, std::size_t at, std::size_t members, std::vector<std::string>& warnings) const;
  bool waits_before(std::size_t at) const;

  std::vector<Token> form_;
  std::vector<Slot> slots_;
  std::vector<std::vector<double>> cpu_, slept_;  // before each token, and after the last
  std::uint64_t count_ = 0, forced_ = 0;
};

// Activities by form, in the order in which the forms first came.
class Shapes {
 public:
  std::size_t add(const TokenRun& run);  // which form
  std::vector<Shape>& all() { return shapes_; }
  const std::vector<Shape>& all() const { return shapes_; }
  std::optional<std::size_t> find(const std::string& key) const;
  std::string key_of(std::size_t shape) const;
  // Activities of `from` now count for `into`, which is the same except for its end.
  void merge(std::size_t into, std::size_t from);
  void drop_empty(std::map<std::uint32_t, std::vector<std::size_t>>& order);
  // Keeps the `most` commonest forms; activities of the others count for the nearest.
  void keep_commonest(std::size_t most);
  Steps steps(const Material& material, std::size_t members, std::vector<std::string>& warnings) const;
  // For one process, whose activities had the forms `order`.
  Steps steps_in_order(const Material& material, const std::vector<std::size_t>& order,
                       std::vector<std::string>& warnings) const;
  std::uint64_t forced() const;
  // Activities that are like no other, if there are others.
  std::uint64_t once() const;

 private:
  std::vector<Shape> shapes_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::vector<TokenRun>> runs_;  // by form: kept until forms are final
};

}  // namespace dpm::twin
