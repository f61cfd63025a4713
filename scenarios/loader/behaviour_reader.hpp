// Reads a program written in the file, for one process or group: checks it, resolves names, and finds out what it
// needs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scenarios/behaviour/behaviour.hpp"
#include "scenarios/document/reading.hpp"
#include "scenarios/loader/name_groups.hpp"

namespace dpm {

// The codes of the kinds of messages. Those of "kinds" are as given; the others are numbered in the order of the file,
// so that neither a sweep nor a placement changes them.
class Kinds {
 public:
  void read(const JsonNode* kinds, const JsonNode* programs, const Reading& reading);
  std::uint32_t code_of(const std::string& kind) const;  // of a kind that read() has seen
  std::string name_of(std::uint32_t code) const;         // "" for none
  std::vector<std::string> names() const;

 private:
  void collect(const JsonNode& node);
  void add(const JsonNode& kind);

  std::map<std::string, std::uint32_t> codes_;
  std::set<std::uint32_t> used_;
};

// A message a program may send: to be held against what its receiver handles.
struct SentKind {
  int line = 0;
  std::string kind;
  std::uint32_t code = 0;
  ProcessNames to;  // null: to whoever sent the message being handled
};

// A message a program is ready for.
struct HandledKind {
  int line = 0;
  std::string kind;  // "any"
  std::uint32_t code = 0;
  bool any_kind = false;
  ProcessNames from;  // null: anybody
};

struct InFileProgram {
  std::shared_ptr<Behaviour> behaviour;
  std::vector<SentKind> sent;
  std::vector<HandledKind> handled;
  bool writes_to_sender = false;
  bool stops = false;
};

InFileProgram read_program(const JsonNode& node, const Reading& reading, const Kinds& kinds,
                           const NameGroups& processes);

}  // namespace dpm
