// What steps are made of, besides quantities. Each part has its name as written in the file, and what the reader found
// behind the name: a twin (twin/) makes parts of names alone, and they can be written, but not performed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/behaviour/quantity.hpp"

namespace dpm {

struct Step;
using Steps = std::vector<Step>;

using ProcessNames = std::shared_ptr<const std::vector<std::string>>;

// A kind of message.
struct KindName {
  std::string name;
  std::uint32_t code = 0;
  bool any = false;  // "any", of messages that are received
  int line = 0;      // of the file
};

using KindNames = std::vector<KindName>;  // of messages that are received: any of these

inline bool includes(const KindNames& kinds, std::uint32_t code) {
  return std::any_of(kinds.begin(), kinds.end(), [&](const KindName& kind) { return kind.any || kind.code == code; });
}

// Processes to write to, or to receive from.
struct Whom {
  std::string name;        // of a process or a group; "sender", or "any"
  ProcessNames processes;  // null: the sender of the message being handled, or any process
  bool by_name = false;    // one process by its own name, not by its group's: it may be the sender itself
  std::optional<std::size_t> subscribers{};  // those of the program's list of this number instead
};

// Which member of a group a message goes to. The requester is the one that last sent this process a message of the
// request being handled.
// least_outstanding takes the one that has answered all but the fewest messages of this process; by_key, the one to which a
// number belongs, whichever process asks.
enum class Pick { random, in_turn, all, requester, least_outstanding, by_key };

// As they are written, in the order of their numbers.
inline const std::vector<std::string>& pick_names() {
  static const std::vector<std::string> names = {"random",    "in_turn",           "all",
                                                 "requester", "least_outstanding", "by_key"};
  return names;
}

// A list of the processes that have subscribed.
struct Subscription {
  std::string name;
  std::size_t index = 0;
};

struct Variable {
  std::string name;
  std::size_t index = 0;
  bool of_request = false;  // kept with the request being handled
};

// A name in an expression whose value is known only when the program runs.
struct RunTimeName {
  enum class Of { process, request, message, answer };
  Of of = Of::process;
  std::size_t index = 0;  // of the variable, or the number of what a message carries
  std::string name{};
};

// A number that a message carries besides its bytes.
struct Carried {
  std::string name;
  std::size_t number = 0;  // of the name, in all programs of the file
  Quantity value;
};

// One of the branches of a choice.
struct ChoiceBranch {
  double weight = 1;
  Steps steps;
};

// One kind of task that is handed out.
struct Task {
  KindName kind;
  Quantity bytes;
  double weight = 1;
};

}  // namespace dpm
