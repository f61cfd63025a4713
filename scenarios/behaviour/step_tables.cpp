#include "scenarios/behaviour/step_tables.hpp"

#include <algorithm>

namespace dpm {
namespace {

class KeyList : public StepFields {
 public:
  std::vector<std::string> keys;
  std::vector<std::string> last;  // written before keys that are needed, and listed behind them

 private:
  void pick(const Field& field, Pick&) override { last.emplace_back(field.key); }
  void key(const Field& field, std::optional<Quantity>&) override { last.emplace_back(field.key); }
  void other(const Field& field) override { keys.emplace_back(field.key); }
};

class KindKeys : public StepFields {
 public:
  explicit KindKeys(std::set<std::string>& keys) : keys_(keys) {}

 private:
  void kind(const Field& field, KindName&) override { keys_.insert(field.key); }
  void awaited_kinds(const Field& field, KindNames&) override { keys_.insert(field.key); }
  void answer_kind(const Field& field, KindName&) override { keys_.insert(field.key); }
  void tasks(const Field& field, std::vector<Task>&) override { keys_.insert(field.key); }

  std::set<std::string>& keys_;
};

std::string with_article(const std::string& noun) {
  return (std::string("aeiou").find(noun.front()) != std::string::npos ? "an " : "a ") + noun;
}

StepEntry entry_of(StepType empty) {
  return std::visit(
      [](auto step) {
        const StepWords& words = step.words;
        KeyList list;
        step.fields(list);
        list.keys.insert(list.keys.end(), list.last.begin(), list.last.end());
        list.keys.emplace_back(kProbability.key);
        const std::string name = words.name;
        return StepEntry{words, {"step_" + name, with_article(name + " step"), list.keys}, decltype(step){}};
      },
      empty);
}

std::vector<StepEntry> make_entries() {
  std::vector<StepEntry> entries;
  each_step_type([&](auto step) { entries.push_back(entry_of(step)); });
  std::sort(entries.begin(), entries.end(),
            [](const StepEntry& a, const StepEntry& b) { return a.words.place < b.words.place; });
  return entries;
}

PartTables make_part_tables() {
  KeyList handler, branch, task, idle, queue;
  Handler().fields(handler);
  ChoiceBranch a_branch;
  fields_of(a_branch, branch);
  Task a_task;
  fields_of(a_task, task);
  Idle an_idle;
  fields_of(an_idle, idle);
  QueueLimit a_queue;
  fields_of(a_queue, queue);
  return {{"handler", "a handler", handler.keys},
          {"branch", "a branch", branch.keys},
          {"task", "a kind of task", task.keys},
          {"idle", "an idle time", idle.keys},
          {"queue", "a queue", queue.keys}};
}

std::set<std::string> make_keys_of_kinds() {
  std::set<std::string> found;
  KindKeys keys(found);
  Handler().fields(keys);
  Task task;
  fields_of(task, keys);
  each_step_type([&](auto step) { step.fields(keys); });
  return found;
}

}  // namespace

const std::vector<StepEntry>& step_entries() {
  static const std::vector<StepEntry> entries = make_entries();
  return entries;
}

const PartTables& part_tables() {
  static const PartTables tables = make_part_tables();
  return tables;
}

const std::set<std::string>& keys_of_kinds() {
  static const std::set<std::string> keys = make_keys_of_kinds();
  return keys;
}

void Handler::fields(StepFields& fields) {
  fields.awaited_kinds({"kind", "kind of message, a list of kinds, or any"}, kinds);
  fields.senders({"from", "process or group it must come from; any unless given"}, from);
  fields.optional_value(
      {"priority", "of its messages that wait, those with the highest are handled first; 0 unless given"}, priority);
  for (const KindName& kind : kinds) fields.takes(kind, from);
  fields.steps({"do", "what to do"}, steps);
}

void fields_of(ChoiceBranch& branch, StepFields& fields) {
  fields.weight({"weight", "how likely, relative to the others; 1 unless given"}, branch.weight);
  fields.steps({"do", "what to do"}, branch.steps);
}

void fields_of(Idle& idle, StepFields& fields) {
  fields.time_to_wait({"timeout_s", "how long no message has come"}, idle.after);
  fields.steps({"do", "what to do then; messages sent begin requests, as in start"}, idle.steps);
}

void fields_of(QueueLimit& queue, StepFields& fields) {
  fields.whole({"at_most", "how many messages wait for the handlers while the process is busy"}, queue.at_most, {});
  fields.flag({"drop_oldest", "true: the oldest message makes room for a new one; false unless given"},
              queue.drops_oldest);
  fields.optional_steps({"do", "what to do with a message that has no room; nothing unless given"}, queue.steps);
}

void fields_of(Task& task, StepFields& fields) {
  fields.kind({"kind", "of the message"}, task.kind);
  fields.bytes({"bytes", "its length"}, task.bytes);
  fields.weight({"weight", "how often it comes up, a whole number; 1 unless given"}, task.weight);
}

}  // namespace dpm
