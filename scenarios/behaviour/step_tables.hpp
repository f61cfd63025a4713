// Every step there is, and the keys of steps and of what they are made of. All of it follows from the fields of the
// structs (step_fields.hpp).
#pragma once

#include <set>

#include "scenarios/behaviour/behaviour.hpp"

namespace dpm {

struct StepEntry {
  StepWords words;
  KeyTable table;
  StepType empty;
};

// In the order of their places.
const std::vector<StepEntry>& step_entries();

// Objects in the fields of steps.
struct PartTables {
  KeyTable handler, branch, task, idle, queue;
};
const PartTables& part_tables();

// The keys behind which the kind of a message stands.
const std::set<std::string>& keys_of_kinds();

// The descriptions of objects that are not steps. Their fields are those of the file.
void fields_of(ChoiceBranch& branch, StepFields& fields);
void fields_of(Task& task, StepFields& fields);
void fields_of(Idle& idle, StepFields& fields);
void fields_of(QueueLimit& queue, StepFields& fields);

inline constexpr Field kProbability{"probability", "chance that the step is done at all, 0 to 1; 1 unless given"};

}  // namespace dpm
