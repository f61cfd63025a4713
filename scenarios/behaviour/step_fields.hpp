// The fields of a step, described once. A step calls one method for each of its fields, in the order in which they are
// written; what reads steps, writes them, lists their keys and makes the schema are the StepFields.
//
// sends(), takes(), creates(), needs_message() and ends_process() are not fields: they say what the step does to the messages of its
// process, at the place where it does so. remembers() gives the step a place in the memory of its process.
#pragma once

#include <functional>
#include <optional>

#include "scenarios/behaviour/parts.hpp"
#include "scenarios/document/reading.hpp"

namespace dpm {

class Performer;  // what steps act through, and on
struct Activity;

inline constexpr Range kRepeats{0, 1e9};
inline constexpr Range kTimeGreaterThanZero{0, kLongestTime_s, true};

struct Field {
  const char* key;
  const char* meaning;  // a phrase, for the schema
};

inline constexpr Field kCarried{"with",
                                "numbers that the message carries: {\"term\": \"$term\"}, read as message.term"};

// What a field is when it is not given; a field without is needed.
struct WholeForm {
  std::optional<std::uint64_t> otherwise = std::nullopt;
  Range range = kRepeats;
  bool written_anyway = false;
};

// The description of a step.
struct StepWords {
  int place;         // among the steps, in messages, the schema and docs/scenarios.md
  const char* name;  // "compute"
  const char* verb;  // the key that tells it: "compute_s"
  const char* form;  // an example, for docs/scenarios.md
  const char* does;  // a phrase, for docs/scenarios.md and the schema
};

class StepFields {
 public:
  virtual ~StepFields() = default;

  virtual void time(const Field& field, Quantity&) { other(field); }
  virtual void time_to_wait(const Field& field, Quantity&) { other(field); }  // greater than 0
  virtual void optional_time(const Field& field, std::optional<Quantity>&, Range) { other(field); }
  virtual void bytes(const Field& field, Quantity&) { other(field); }
  // `same`: not given, and as many as the message being handled has.
  virtual void bytes_or_same(const Field& field, Quantity&, bool& /*same*/) { other(field); }
  virtual void kind(const Field& field, KindName&) { other(field); }            // of a message that is sent
  virtual void awaited_kinds(const Field& field, KindNames&) { other(field); }  // one, several, or "any"
  // Kinds that the program receives elsewhere.
  virtual void tested_kinds(const Field& field, KindNames&) { other(field); }
  virtual void answer_kind(const Field& field, KindName&) { other(field); }
  virtual void receiver(const Field& field, Whom&) { other(field); }  // or "sender"
  virtual void members(const Field& field, Whom&) { other(field); }
  virtual void senders(const Field& field, Whom&) { other(field); }  // or "any", which they are unless given
  virtual void pick(const Field& field, Pick&) { other(field); }
  virtual void key(const Field& field, std::optional<Quantity>&) { other(field); }  // a whole number from 0
  virtual void whole(const Field& field, Value&, const WholeForm&) { other(field); }
  virtual void number(const Field& field, Quantity&, double /*otherwise*/) { other(field); }
  virtual void optional_value(const Field& field, std::optional<Value>&) { other(field); }
  virtual void weight(const Field& field, double&) { other(field); }  // 1 unless given
  virtual void flag(const Field& field, bool&) { other(field); }
  virtual void always_true(const Field& field) { other(field); }
  virtual void wholes(const Field& field, std::vector<std::uint64_t>&, Range) { other(field); }
  virtual void variable(const Field& field, Variable&) { other(field); }             // that is changed
  virtual void name_or_value(const Field& field, Value&) { other(field); }           // of a variable, or calculated
  virtual void carried(const Field& field, std::vector<Carried>&) { other(field); }  // by the message that is sent
  virtual void subscription(const Field& field, Subscription&) { other(field); }
  virtual void machine(const Field& field, std::string&) { other(field); }
  virtual void semaphore(const Field& field, std::string&) { other(field); }
  virtual void steps(const Field& field, Steps&) { other(field); }
  virtual void optional_steps(const Field& field, Steps&) { other(field); }
  virtual void branches(const Field& field, std::vector<ChoiceBranch>&) { other(field); }
  // One kind, whose length is another field of the step, or a list of tasks.
  virtual void tasks(const Field& field, std::vector<Task>&) { other(field); }
  virtual void bytes_of_tasks(const Field& field, std::vector<Task>&) { other(field); }

  virtual void sends(const KindName&, const Whom&) {}
  virtual void calls(const KindName&, const Whom&) {}  // besides sends()
  virtual void replies(const KindName&) {}
  virtual void takes(const KindName&, const Whom&) {}  // from here on there is a message being handled
  virtual void creates(const Whom&) {}
  virtual void needs_message(const char* /*what*/) {}
  virtual void ends_process() {}
  virtual void gives_up() {}  // messages that come later than a wait
  virtual void remembers(std::size_t& /*slot*/) {}
  // Called when the step is read from a file, behind its fields: reports what no field alone shows.
  using Check = std::function<void(const JsonNode& step, const Reading& reading)>;
  virtual void check(const Check&) {}

 protected:
  virtual void other(const Field&) {}
};

}  // namespace dpm
