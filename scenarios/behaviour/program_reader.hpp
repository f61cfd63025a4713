// Reads a program written in the file, for one process or group: checks it, resolves names, and finds out what it
// needs.
#pragma once

#include "scenarios/behaviour/behaviour.hpp"
#include "scenarios/behaviour/kinds.hpp"
#include "scenarios/behaviour/name_groups.hpp"

namespace dpm {

// A message that a program may send: its receiver must handle it.
struct SentKind {
  KindName kind;
  ProcessNames to;       // null: to the sender of the message being handled
  bool by_name = false;  // to one process by its own name
};

// A message a program is ready for.
struct HandledKind {
  KindName kind;
  ProcessNames from;  // null: any process
};

// Names of other parts of the scenario, to be checked when all of it is known.
struct NamedAt {
  std::string name;
  int line = 0;
};
struct ProcessesAt {
  ProcessNames processes;
  int line = 0;
};

struct InFileProgram {
  std::shared_ptr<Behaviour> behaviour;
  std::vector<SentKind> sent;
  std::vector<SentKind> called;  // those of `sent` that are calls
  std::vector<KindName> replies;
  std::vector<HandledKind> handled;
  std::vector<NamedAt> machines;    // that it names
  std::vector<NamedAt> semaphores;  // likewise
  std::vector<ProcessesAt> created;
  bool writes_to_sender = false;
  bool stops = false;
};

InFileProgram read_program(const JsonNode& node, const Reading& reading, const Kinds& kinds,
                           const NameGroups& processes);

}  // namespace dpm
