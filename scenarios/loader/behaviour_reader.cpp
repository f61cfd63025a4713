#include "scenarios/loader/behaviour_reader.hpp"

#include <algorithm>

#include "model/check.hpp"
#include "scenarios/loader/key_tables.hpp"
#include "scenarios/loader/quantity_reader.hpp"

namespace dpm {
namespace {

constexpr double kLargestCode = 4294967294.0;
constexpr Range kAnyNumber{-1e15, 1e15};
constexpr Range kRepeats{0, 1e9};
constexpr Range kProbability{0, 1};

// A step is told by its verb. "count" is also a key of wait, so it comes last.
const std::vector<std::string> kVerbs = {"compute_s", "send", "call",     "forward", "reply", "wait", "choose",
                                         "repeat",    "stop", "dispatch", "set",     "if",    "count"};

class ProgramReader {
 public:
  ProgramReader(const Reading& reading, const Kinds& kinds, const NameGroups& processes)
      : reading_(reading), kinds_(kinds), processes_(processes) {
    program_.behaviour = std::make_shared<Behaviour>();
  }

  InFileProgram read(const JsonNode& node) {
    ObjectReader object(node, key_tables().program, reading_);
    object.text("summary", "");
    object.find("parameters");  // the loader has made an environment of them
    if (const auto* variables = object.find("variables")) read_variables(*variables);
    program_.behaviour->per_request = object.flag("per_request", false);
    if (const auto* admits = object.find("admits")) read_admission(*admits);
    const JsonNode* start = object.find("start");
    const JsonNode* on = object.find("on");
    if (start == nullptr && on == nullptr && node.is(JsonKind::object))
      reading_.problem(node, "a program needs 'start', 'on' or both");
    has_message_ = false;
    if (start != nullptr) program_.behaviour->start = read_steps(*start, "'start'");
    if (on != nullptr && reading_.expect(*on, JsonKind::list, "'on'"))
      for (const auto& handler : on->items) program_.behaviour->handlers.push_back(read_handler(handler));
    return std::move(program_);
  }

 private:
  void read_variables(const JsonNode& node) {
    if (!reading_.expect(node, JsonKind::object, "'variables'")) return;
    for (const auto& member : node.members) {
      variables_.push_back(member.key);
      program_.behaviour->variables.push_back(reading_.number(member.value, "'" + member.key + "'", kAnyNumber));
    }
  }

  void read_admission(const JsonNode& node) {
    ObjectReader object(node, key_tables().admission, reading_);
    Admission& admission = program_.behaviour->admission;
    admission.at_most = object.whole("at_most", 1, Range{1, 1e9});
    object.need("at_most");
    if (const auto* from = object.need("from")) {
      const std::string name = reading_.name(*from, "'from'");
      admission.from = processes_.find(reading_, *from, name, "'from'");
    }
  }

  Handler read_handler(const JsonNode& node) {
    Handler handler;
    ObjectReader object(node, key_tables().handler, reading_);
    HandledKind handled;
    if (const auto* kind = object.need("kind")) {
      handled.kind = reading_.text(*kind, "'kind'");
      handled.line = kind->line;
    }
    handled.any_kind = handled.kind == "any";
    if (!handled.any_kind) handled.code = kinds_.code_of(handled.kind);
    handled.from = read_senders(object.find("from"));
    handler.any_kind = handled.any_kind;
    handler.code = handled.code;
    handler.from = handled.from;
    program_.handled.push_back(std::move(handled));
    has_message_ = true;
    if (const auto* steps = object.need("do")) handler.steps = read_steps(*steps, "'do'");
    return handler;
  }

  std::vector<Step> read_steps(const JsonNode& node, const std::string& what) {
    std::vector<Step> steps;
    if (!reading_.expect(node, JsonKind::list, what)) return steps;
    for (const auto& item : node.items) steps.push_back(read_step(item));
    return steps;
  }

  Step read_step(const JsonNode& node) {
    Step step;
    step.number = program_.behaviour->step_count++;
    if (!reading_.expect(node, JsonKind::object, "a step")) return step;
    const auto verb =
        std::find_if(kVerbs.begin(), kVerbs.end(), [&](const auto& v) { return node.find(v) != nullptr; });
    if (verb == kVerbs.end()) {
      const std::string typed = node.members.empty() ? "" : node.members.front().key;
      const std::string meant = hint(typed, kVerbs);
      reading_.problem(
          node,
          "a step needs one of compute_s, send, call, forward, reply, wait, choose, repeat, dispatch, stop, "
          "set, count and if" +
              meant);
      return step;
    }
    const KeyTables& tables = key_tables();
    if (*verb == "compute_s") return read_compute(node, step);
    if (*verb == "send") return read_message(node, tables.send, Verb::send, step);
    if (*verb == "call") return read_message(node, tables.call, Verb::call, step);
    if (*verb == "forward") return read_message(node, tables.forward, Verb::forward, step);
    if (*verb == "reply") return read_reply(node, step);
    if (*verb == "wait") return read_wait(node, step);
    if (*verb == "choose") return read_choose(node, step);
    if (*verb == "repeat") return read_repeat(node, step);
    if (*verb == "dispatch") return read_dispatch(node, step);
    if (*verb == "stop") return read_stop(node, step);
    if (*verb == "if") return read_if(node, step);
    return read_counter(node, *verb, step);
  }

  Step read_compute(const JsonNode& node, Step step) {
    ObjectReader object(node, key_tables().compute, reading_);
    read_probability(object, step);
    step.amount = read_quantity(*object.find("compute_s"), "'compute_s'", kTime, reading_);
    return step;
  }

  Step read_message(const JsonNode& node, const KeyTable& table, Verb verb, Step step) {
    ObjectReader object(node, table, reading_);
    read_probability(object, step);
    step.verb = verb;
    const std::string key = table.keys.front();
    const JsonNode& kind = *object.find(key);
    read_kind(kind, key, step);
    read_bytes(object, step);
    read_pick(node, object, step);
    if (const auto* to = object.need("to")) read_receiver(*to, step);
    if (verb == Verb::forward) need_message(node, "'forward'");
    program_.sent.push_back({kind.line, kind.text, step.code, step.processes});
    return step;
  }

  void read_pick(const JsonNode& node, ObjectReader& object, Step& step) {
    static const std::vector<std::string> kPicks = {"random", "in_turn", "all", "requester"};
    const std::string pick = object.word("pick", "random", kPicks);
    step.pick = pick == "all"         ? Pick::all
                : pick == "in_turn"   ? Pick::in_turn
                : pick == "requester" ? Pick::requester
                                      : Pick::random;
    if (step.pick != Pick::requester) return;
    program_.behaviour->follows_requests = true;
    need_message(node, "'pick': 'requester'");
  }

  void read_receiver(const JsonNode& to, Step& step) {
    const std::string name = reading_.name(to, "'to'");
    if (name == "sender") {
      need_message(to, "'to': 'sender'");
      program_.writes_to_sender = true;
      return;
    }
    step.processes = processes_.find(reading_, to, name, "'to'");
    step.by_name = step.processes != nullptr && step.processes->size() == 1 && step.processes->front() == name;
    if (step.processes != nullptr && step.processes->empty())
      reading_.problem(to, "'to' names a group without members");
  }

  Step read_reply(const JsonNode& node, Step step) {
    ObjectReader object(node, key_tables().reply, reading_);
    read_probability(object, step);
    step.verb = Verb::reply;
    read_kind(*object.find("reply"), "reply", step);
    read_bytes(object, step);
    need_message(node, "'reply'");
    return step;
  }

  Step read_wait(const JsonNode& node, Step step) {
    ObjectReader object(node, key_tables().wait, reading_);
    read_probability(object, step);
    step.verb = Verb::wait;
    const JsonNode& kind = *object.find("wait");
    HandledKind handled;
    handled.line = kind.line;
    handled.kind = reading_.text(kind, "'wait'");
    handled.any_kind = handled.kind == "any";
    step.any_kind = handled.any_kind;
    if (!step.any_kind) step.code = handled.code = kinds_.code_of(handled.kind);
    step.processes = handled.from = read_senders(object.find("from"));
    step.times = object.whole("count", 1, kRepeats);
    program_.handled.push_back(std::move(handled));
    has_message_ = true;
    return step;
  }

  Step read_choose(const JsonNode& node, Step step) {
    ObjectReader object(node, key_tables().choose, reading_);
    read_probability(object, step);
    step.verb = Verb::choose;
    const JsonNode& branches = *object.find("choose");
    if (!reading_.expect(branches, JsonKind::list, "'choose'")) return step;
    for (const auto& item : branches.items) {
      ObjectReader branch(item, key_tables().branch, reading_);
      step.weights.push_back(branch.number("weight", 1, {}));
      const JsonNode* steps = branch.need("do");
      step.branches.push_back(steps == nullptr ? std::vector<Step>{} : read_steps(*steps, "'do'"));
    }
    check_weights(step.weights, branches, reading_);
    step.dealt = object.flag("dealt", false);
    if (step.dealt) check_counts(step.weights, branches, reading_);
    read_order(branches, object, step);
    return step;
  }

  void read_order(const JsonNode& branches, ObjectReader& object, Step& step) {
    const JsonNode* order = object.find("in_order");
    const JsonNode* times = object.find("times");
    if (order == nullptr) {
      if (times != nullptr) reading_.problem(*times, "'times' belongs to 'in_order'");
      return;
    }
    for (const double branch : reading_.numbers(*order, "'in_order'", {}))
      step.order.push_back(static_cast<std::size_t>(branch) - 1);
    if (times != nullptr)
      for (const double number : reading_.numbers(*times, "'times'", kRepeats))
        step.order_times.push_back(static_cast<std::uint64_t>(number));
    const bool known = std::all_of(step.order.begin(), step.order.end(),
                                   [&](std::size_t branch) { return branch < step.branches.size(); });
    if (step.order.empty() || !known)
      reading_.problem(*order, "'in_order' lists branches of the choice: 1 is the first, " +
                                   std::to_string(branches.items.size()) + " the last");
    if (times == nullptr) step.order_times.assign(step.order.size(), 1);
    const bool positive = std::all_of(step.order_times.begin(), step.order_times.end(), [](auto n) { return n > 0; });
    if (step.order_times.size() != step.order.size() || !positive)
      reading_.problem(*times, "'times' says of each branch of 'in_order' how often it comes: at least once");
  }

  Step& add_task(Step& step, double weight) {
    Step task;
    task.verb = Verb::send;
    task.number = program_.behaviour->step_count++;
    step.tasks.push_back(std::move(task));
    step.weights.push_back(weight);
    return step.tasks.back();
  }

  void read_task(const JsonNode& node, Step& step) {
    ObjectReader object(node, key_tables().task, reading_);
    Step& task = add_task(step, object.number("weight", 1, {}));
    if (const auto* kind = object.need("kind")) read_kind(*kind, "kind", task);
    read_bytes(object, task);
  }

  Step read_dispatch(const JsonNode& node, Step step) {
    ObjectReader object(node, key_tables().dispatch, reading_);
    read_probability(object, step);
    step.verb = Verb::dispatch;
    const JsonNode& kinds = *object.find("dispatch");
    if (kinds.is(JsonKind::list)) {
      for (const auto& item : kinds.items) read_task(item, step);
      if (step.tasks.empty()) {
        reading_.problem(kinds, "'dispatch' must have at least one kind of task");
      } else {
        check_weights(step.weights, kinds, reading_);
        check_counts(step.weights, kinds, reading_);
      }
      if (const auto* bytes = object.find("bytes"))
        reading_.problem(*bytes, "each kind of task in the list has 'bytes' of its own");
    } else {
      Step& task = add_task(step, 1);
      read_kind(kinds, "dispatch", task);
      read_bytes(object, task);
    }
    step.times = object.whole("tasks", 1, kRepeats);
    object.need("tasks");
    step.in_flight = object.whole("in_flight", 1, Range{1, 1e9});
    if (const auto* to = object.need("to")) {
      step.processes = processes_.find(reading_, *to, reading_.name(*to, "'to'"), "'to'");
    }
    HandledKind handled;
    if (const auto* answer = object.need("answer")) {
      handled.line = answer->line;
      handled.kind = reading_.text(*answer, "'answer'");
      if (handled.kind == "any") reading_.problem(*answer, "'answer' must be one kind of message");
      step.answer = handled.code = kinds_.code_of(handled.kind);
    }
    handled.from = step.processes;
    for (const Step& task : step.tasks)
      program_.sent.push_back({node.line, kinds_.name_of(task.code), task.code, step.processes});
    program_.handled.push_back(std::move(handled));
    if (const auto* steps = object.find("first")) step.steps = read_steps(*steps, "'first'");
    has_message_ = true;
    if (const auto* steps = object.find("next")) step.otherwise = read_steps(*steps, "'next'");
    if (const auto* steps = object.find("rest")) step.rest = read_steps(*steps, "'rest'");
    return step;
  }

  Step read_repeat(const JsonNode& node, Step step) {
    ObjectReader object(node, key_tables().repeat, reading_);
    read_probability(object, step);
    step.verb = Verb::repeat;
    step.times = object.whole("repeat", 0, kRepeats);
    if (const auto* steps = object.need("do")) step.steps = read_steps(*steps, "'do'");
    return step;
  }

  Step read_stop(const JsonNode& node, Step step) {
    ObjectReader object(node, key_tables().stop, reading_);
    read_probability(object, step);
    step.verb = Verb::stop;
    if (!object.flag("stop", true)) reading_.problem(node, "'stop' can only be true");
    program_.stops = true;
    return step;
  }

  Step read_if(const JsonNode& node, Step step) {
    ObjectReader object(node, key_tables().test, reading_);
    read_probability(object, step);
    step.verb = Verb::test;
    step.variable = read_variable(*object.find("if"), "'if'");
    if (const auto* value = object.need("at_least")) step.value = reading_.number(*value, "'at_least'", kAnyNumber);
    if (const auto* steps = object.need("do")) step.steps = read_steps(*steps, "'do'");
    if (const auto* steps = object.find("else")) step.otherwise = read_steps(*steps, "'else'");
    return step;
  }

  Step read_counter(const JsonNode& node, const std::string& verb, Step step) {
    const bool sets = verb == "set";
    ObjectReader object(node, sets ? key_tables().set : key_tables().count, reading_);
    read_probability(object, step);
    step.verb = sets ? Verb::set : Verb::count;
    step.variable = read_variable(*object.find(verb), "'" + verb + "'");
    step.value = object.number(sets ? "value" : "by", sets ? 0 : 1, kAnyNumber);
    return step;
  }

  void read_probability(ObjectReader& object, Step& step) {
    step.probability = object.number("probability", 1, kProbability);
  }

  void read_kind(const JsonNode& node, const std::string& key, Step& step) {
    const std::string kind = reading_.text(node, "'" + key + "'");
    if (kind == "any") reading_.problem(node, "'any' is no kind of message that can be sent");
    step.code = kinds_.code_of(kind);
  }

  void read_bytes(ObjectReader& object, Step& step) {
    const JsonNode* bytes = object.find("bytes");
    if (bytes != nullptr) {
      step.amount = read_quantity(*bytes, "'bytes'", kBytes, reading_);
    } else if (step.verb == Verb::forward) {
      step.same_bytes = true;
    } else {
      object.need("bytes");
    }
  }

  // Null for nothing and for "any".
  ProcessNames read_senders(const JsonNode* node) {
    if (node == nullptr) return nullptr;
    const std::string name = reading_.name(*node, "'from'");
    if (name == "any") return nullptr;
    return processes_.find(reading_, *node, name, "'from'");
  }

  std::size_t read_variable(const JsonNode& node, const std::string& what) {
    const std::string name = reading_.text(node, what);
    const auto found = std::find(variables_.begin(), variables_.end(), name);
    if (found != variables_.end()) return static_cast<std::size_t>(found - variables_.begin());
    reading_.problem(node, what + ": no variable '" + name + "'" + hint(name, variables_) +
                               (variables_.empty() ? "; the program has no 'variables'" : ""));
    return 0;
  }

  void need_message(const JsonNode& node, const std::string& what) {
    if (!has_message_) reading_.problem(node, what + " needs a message: in 'start' it must stand behind a 'wait'");
  }

  const Reading& reading_;
  const Kinds& kinds_;
  const NameGroups& processes_;
  InFileProgram program_;
  std::vector<std::string> variables_;
  bool has_message_ = false;  // the steps being read have a current message
};

}  // namespace

void Kinds::read(const JsonNode* kinds, const JsonNode* programs, const Reading& reading) {
  if (kinds != nullptr && reading.expect(*kinds, JsonKind::object, "'kinds'")) {
    for (const auto& member : kinds->members) {
      const auto code = static_cast<std::uint32_t>(
          reading.whole(member.value, "the code of '" + member.key + "'", Range{0, kLargestCode}));
      if (!used_.insert(code).second) reading.problem(member.value, "two kinds have the code " + std::to_string(code));
      codes_[member.key] = code;
    }
  }
  if (programs != nullptr) collect(*programs);
}

// Kinds stand behind these keys wherever they occur; what is not a kind there is refused later, by its own reader.
void Kinds::collect(const JsonNode& node) {
  for (const auto& item : node.items) collect(item);
  for (const auto& member : node.members) {
    const std::string& key = member.key;
    if (key == "send" || key == "call" || key == "forward" || key == "reply" || key == "wait" || key == "kind" ||
        key == "dispatch" || key == "answer")
      add(member.value);
    collect(member.value);
  }
}

void Kinds::add(const JsonNode& kind) {
  if (!kind.is(JsonKind::text) || codes_.count(kind.text) != 0) return;
  std::uint32_t code = static_cast<std::uint32_t>(codes_.size()) + 1;
  while (!used_.insert(code).second) ++code;
  codes_[kind.text] = code;
}

std::uint32_t Kinds::code_of(const std::string& kind) const {
  const auto found = codes_.find(kind);
  return found == codes_.end() ? 0 : found->second;
}

std::string Kinds::name_of(std::uint32_t code) const {
  for (const auto& [name, its_code] : codes_)
    if (its_code == code) return name;
  return "";
}

std::vector<std::string> Kinds::names() const {
  std::vector<std::string> names;
  for (const auto& [name, code] : codes_) names.push_back(name);
  return names;
}

InFileProgram read_program(const JsonNode& node, const Reading& reading, const Kinds& kinds,
                           const NameGroups& processes) {
  return ProgramReader(reading, kinds, processes).read(node);
}

}  // namespace dpm
