// Activities of the same form: the same messages to and from the same groups, in the same order. What varies within a
// form (CPU times, sizes, which member of a group) is measured over all activities that have it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "twin/activities.hpp"
#include "twin/making_steps.hpp"
#include "twin/model.hpp"

namespace dpm::twin {

inline constexpr std::size_t kShapesMost = 24;          // branches that a person still reads
inline constexpr std::size_t kShapesInOrderMost = 400;  // branches of a choice in order: each comes when it came

// What the parts of a twin are made from.
struct Material {
  const Recording& recording;
  const Groups& groups;
  const Kinds& kinds;
  const Conducts& conducts;
  // Forms of activity come in the order in which they came. A live process has a state, which a connection's beginning,
  // middle and end show, and a twin that draws them at random waits for answers that come to nobody. And if all
  // processes do on the n-th message of a kind from a process what they did on the n-th, then all messages are made,
  // in whatever order they arrive: no process does anything that depends on the order between kinds.
  bool in_order = false;
};

// A message of an activity, or its end.
struct Token {
  enum class What { send, wait, stop };

  What what = What::send;
  std::string kind;
  std::uint32_t group = kNone;
  std::uint32_t times = 1;  // wait
  bool to_all = false;      // one to each member
  double cpu_s = 0;         // before it, on a machine of speed 1
  double bytes = 0;
  std::uint32_t member = 0;  // of the group, that it went to, or came from
  std::uint32_t of = 1;      // members the group has
  Destination destination;
  std::uint32_t op = kNone;  // its number in the life of its process
};

struct TokenRun {
  std::vector<Token> tokens;
  double tail_cpu_s = 0;
  std::uint32_t process = kNone;

  std::string key() const;
  double cpu_s() const;
};

// The messages of ops [begin, end) of a process, one by one.
TokenRun messages_of(const Material& material, std::uint32_t process, std::uint32_t begin, std::uint32_t end,
                     std::uint64_t tail_cpu_ns);

// The same as activities have it: messages to all members of a group are one, and so are waits for several.
TokenRun tokens_of(const Material& material, std::uint32_t process, std::uint32_t begin, std::uint32_t end,
                   std::uint64_t tail_cpu_ns, bool stops);

class Shape {
 public:
  explicit Shape(const TokenRun& first) : form_(first.tokens), slots_(first.tokens.size()), cpu_(slots_.size() + 1) {}

  void add(const TokenRun& run);         // of this form
  void add_forced(const TokenRun& run);  // of another: only its CPU time counts

  std::uint64_t count() const { return count_; }
  std::uint64_t forced() const { return forced_; }
  bool stops() const { return !form_.empty() && form_.back().what == Token::What::stop; }
  std::size_t length() const { return form_.size(); }

  // `members` processes did it.
  Steps steps(const Material& material, std::size_t members, std::vector<std::string>& warnings) const;

 private:
  // Whom messages of one token went to.
  struct Slot {
    std::vector<double> bytes;
    std::uint64_t sends = 0, to_sender = 0, to_requester = 0, in_turn = 0, turns = 0;
    std::map<std::uint32_t, std::uint64_t> by_member;
    std::map<std::uint32_t, std::uint32_t> latest;  // by process: which member was last
  };

  Step sending(const Material& material, std::size_t at, std::size_t members, std::vector<std::string>& warnings) const;

  bool waits_before(std::size_t at) const;

  std::vector<Token> form_;
  std::vector<Slot> slots_;
  std::vector<std::vector<double>> cpu_;  // before each token, and after the last
  std::uint64_t count_ = 0, forced_ = 0;
};

// Activities by form, in the order in which forms were met.
class Shapes {
 public:
  std::size_t add(const TokenRun& run);  // which form
  std::vector<Shape>& all() { return shapes_; }
  const std::vector<Shape>& all() const { return shapes_; }
  std::optional<std::size_t> find(const std::string& key) const;
  std::string key_of(std::size_t shape) const;
  // Activities of `from` now count to `into`, which is the same but for its end.
  void merge(std::size_t into, std::size_t from);
  void drop_empty(std::map<std::uint32_t, std::vector<std::size_t>>& order);
  // Keeps so many forms, the commonest; activities of the others count to the nearest.
  void keep_commonest(std::size_t most);
  Steps steps(const Material& material, std::size_t members, std::vector<std::string>& warnings) const;
  // Of one process, whose activities had the forms `order`.
  Steps steps_in_order(const Material& material, const std::vector<std::size_t>& order,
                       std::vector<std::string>& warnings) const;
  std::uint64_t forced() const;
  // Activities that are like no other, where there are others.
  std::uint64_t once() const;

 private:
  std::vector<Shape> shapes_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::vector<TokenRun>> runs_;  // by form: kept until forms are final
};

}  // namespace dpm::twin
