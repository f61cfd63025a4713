#include "scenarios/behaviour/step_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "scenarios/behaviour/quantity_reader.hpp"
#include "scenarios/behaviour/step_tables.hpp"

namespace dpm {
namespace {

constexpr Range kChance{0, 1};
constexpr Range kKey{0, kLargestExactNumber};

std::string in_quotes(const Field& field) { return fmt::format("'{}'", field.key); }

std::vector<std::string> verbs() {
  std::vector<std::string> verbs;
  for (const auto& entry : step_entries()) verbs.emplace_back(entry.words.verb);
  return verbs;
}

bool is_letter_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::optional<std::size_t> position_of(const std::string& name, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

// "a, b and c"
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

}  // namespace

// Reads the fields of one object.
class FieldReader : public StepFields {
 public:
  FieldReader(StepReader& steps, ObjectReader& object)
      : steps_(steps), reading_(steps.reading_), program_(steps.program_), object_(object) {}

  void time(const Field& field, Quantity& quantity) override {
    if (const auto* node = object_.need(field.key)) read(*node, field, kTime, quantity);
  }

  void time_to_wait(const Field& field, Quantity& quantity) override {
    if (const auto* node = object_.need(field.key)) read(*node, field, kTimeGreaterThanZero, quantity);
  }

  void optional_time(const Field& field, std::optional<Quantity>& quantity, Range range) override {
    const auto* node = object_.find(field.key);
    if (node == nullptr) return;
    read(*node, field, range, quantity.emplace());
    gives_up();
  }

  void bytes(const Field& field, Quantity& quantity) override {
    if (const auto* node = object_.need(field.key)) read_whole(*node, field, kBytes, quantity);
  }

  void bytes_or_same(const Field& field, Quantity& quantity, bool& same) override {
    const auto* node = object_.find(field.key);
    same = node == nullptr;
    if (node != nullptr) read_whole(*node, field, kBytes, quantity);
  }

  void kind(const Field& field, KindName& kind) override {
    const auto* node = object_.need(field.key);
    if (node == nullptr) return;
    read_kind(*node, field, kind);
    if (kind.any) reading_.problem(*node, "'any' cannot be sent: name one kind of message");
  }

  void awaited_kinds(const Field& field, KindNames& kinds) override {
    if (const auto* node = object_.need(field.key)) read_kinds(*node, field, kinds);
    if (kinds.empty()) kinds.emplace_back();  // reported; the steps behind it have a message all the same
  }

  void tested_kinds(const Field& field, KindNames& kinds) override {
    const auto* node = object_.need(field.key);
    if (node == nullptr) return;
    read_kinds(*node, field, kinds);
    auto names = steps_.kinds_.names();
    names.erase(std::remove(names.begin(), names.end(), "any"), names.end());
    for (const KindName& kind : kinds) {
      if (kind.any)
        reading_.problem(*node, in_quotes(field) + ": every message is of 'any' kind");
      else if (std::find(names.begin(), names.end(), kind.name) == names.end())
        reading_.problem(
            *node, fmt::format("{}: no message is a '{}'{}", in_quotes(field), kind.name, hint(kind.name, names)));
    }
  }

  void answer_kind(const Field& field, KindName& kind) override {
    const auto* node = object_.need(field.key);
    if (node == nullptr) return;
    read_kind(*node, field, kind);
    if (kind.any) reading_.problem(*node, in_quotes(field) + " must be one kind of message");
  }

  void receiver(const Field& field, Whom& to) override {
    const auto* node = object_.need(field.key);
    if (node == nullptr) return;
    to.name = reading_.name(*node, in_quotes(field));
    if (to.name == "sender") {
      require_message(*node, in_quotes(field) + ": 'sender'");
      program_.writes_to_sender = true;
      return;
    }
    if (const auto list = position_of(to.name, steps_.subscriptions_)) {
      to.subscribers = list;
      program_.writes_to_sender = true;  // any process that has a link to this one may have subscribed
      return;
    }
    resolve(*node, field, to);
    to.by_name = to.processes != nullptr && to.processes->size() == 1 && to.processes->front() == to.name;
    if (to.processes != nullptr && to.processes->empty())
      reading_.problem(*node, in_quotes(field) + " names a group without members");
  }

  void members(const Field& field, Whom& group) override {
    const auto* node = object_.need(field.key);
    if (node == nullptr) return;
    group.name = reading_.name(*node, in_quotes(field));
    resolve(*node, field, group);
  }

  void machine(const Field& field, std::string& machine) override {
    const auto* node = object_.need(field.key);
    if (node == nullptr) return;
    machine = reading_.name(*node, in_quotes(field));
    program_.machines.push_back({machine, node->line});
  }

  void semaphore(const Field& field, std::string& semaphore) override {
    const auto* node = object_.need(field.key);
    if (node == nullptr) return;
    semaphore = reading_.name(*node, in_quotes(field));
    program_.semaphores.push_back({semaphore, node->line});
  }

  void creates(const Whom& processes) override {
    if (processes.processes != nullptr) program_.created.push_back({processes.processes, object_.node().line});
  }

  void senders(const Field& field, Whom& from) override {
    const auto* node = object_.find(field.key);
    if (node == nullptr) return;
    from.name = reading_.name(*node, in_quotes(field));
    if (from.name != "any") resolve(*node, field, from);
  }

  void pick(const Field& field, Pick& pick) override {
    const auto& picks = pick_names();
    const auto word = std::find(picks.begin(), picks.end(), object_.word(field.key, "random", picks));
    if (word != picks.end()) pick = static_cast<Pick>(word - picks.begin());
    if (pick == Pick::least_outstanding) program_.behaviour->counts_outstanding = true;
    if (pick != Pick::requester) return;
    program_.behaviour->follows_requests = true;
    require_message(object_.node(), in_quotes(field) + ": 'requester'");
  }

  void key(const Field& field, std::optional<Quantity>& key) override {
    if (const auto* node = object_.find(field.key)) read_whole(*node, field, kKey, key.emplace());
  }

  void whole(const Field& field, Value& whole, const WholeForm& form) override {
    whole = form.otherwise.value_or(1);
    const auto* node = form.otherwise ? object_.find(field.key) : object_.need(field.key);
    if (node == nullptr) return;
    whole = read_value(*node, in_quotes(field), form.range, reading_, steps_.later_);
    if (whole.expression == nullptr) whole = reading_.whole(*node, in_quotes(field), form.range);
    whole.whole = true;
  }

  void number(const Field& field, Quantity& quantity, double otherwise) override {
    quantity = Quantity::constant(otherwise);
    if (const auto* node = object_.find(field.key)) read(*node, field, kAnyNumber, quantity);
  }

  void optional_value(const Field& field, std::optional<Value>& value) override {
    if (const auto* node = object_.find(field.key))
      value = read_value(*node, in_quotes(field), kAnyNumber, reading_, steps_.later_);
  }

  void name_or_value(const Field& field, Value& value) override {
    const auto* node = object_.need(field.key);
    if (node == nullptr) return;
    const std::string text = reading_.text(*node, in_quotes(field));
    if (text.starts_with('$')) {
      value = read_value(*node, in_quotes(field), kAnyNumber, reading_, steps_.later_);
      if (value.expression == nullptr) value.written = text;
      return;
    }
    value.written = text;
    const auto variable = steps_.later_(text);
    if (!variable) return no_variable(*node, field, text);
    if (!*variable) return reading_.problem(*node, fmt::format("{}: {}", in_quotes(field), variable->error().what));
    value.expression = std::make_shared<const Expression>(
        *Expression::parse(text, [&](const std::string&) -> Result<Expression::Meaning> { return {**variable}; }));
  }

  void carried(const Field& field, std::vector<Carried>& carried) override {
    const auto* node = object_.find(field.key);
    if (node == nullptr || !reading_.expect(*node, JsonKind::object, in_quotes(field))) return;
    for (const auto& member : node->members) {
      Carried& each = carried.emplace_back();
      each.name = member.key;
      each.number = *position_of(member.key, steps_.kinds_.carried());
      const std::string what = fmt::format("'{}'", member.key);
      each.value = read_quantity(member.value, what, kAnyNumber, reading_, steps_.later_);
      if (each.value.kind == Quantity::Kind::measured) remembers(each.value.slot);
      if (!std::all_of(member.key.begin(), member.key.end(), is_letter_of_name))
        reading_.problem(member.value, fmt::format("{}: the name '{}' must have letters, digits and _ only",
                                                   in_quotes(field), member.key));
    }
  }

  void weight(const Field& field, double& weight) override { weight = object_.number(field.key, 1, {}); }
  void flag(const Field& field, bool& flag) override { flag = object_.flag(field.key, false); }

  void always_true(const Field& field) override {
    if (!object_.flag(field.key, true)) reading_.problem(object_.node(), in_quotes(field) + " can only be true");
  }

  void wholes(const Field& field, std::vector<std::uint64_t>& list, Range range) override {
    const auto* node = object_.find(field.key);
    if (node == nullptr) return;
    for (const double number : reading_.numbers(*node, in_quotes(field), range))
      list.push_back(static_cast<std::uint64_t>(number));
  }

  void variable(const Field& field, Variable& variable) override {
    const auto* node = object_.need(field.key);
    if (node == nullptr) return;
    variable.name = reading_.text(*node, in_quotes(field));
    if (const auto position = position_of(variable.name, steps_.variables_)) {
      variable.index = *position;
    } else if (const auto of_request = position_of(variable.name, steps_.request_variables_)) {
      require_message(*node, fmt::format("'{}', a variable of the request,", variable.name));
      variable.index = *of_request;
      variable.of_request = true;
    } else {
      no_variable(*node, field, variable.name);
    }
  }

  void subscription(const Field& field, Subscription& list) override {
    const auto* node = object_.need(field.key);
    if (node == nullptr) return;
    const auto& names = steps_.subscriptions_;
    list.name = reading_.text(*node, in_quotes(field));
    if (const auto position = position_of(list.name, names)) {
      list.index = *position;
      program_.writes_to_sender = true;
      return;
    }
    reading_.problem(*node, fmt::format("{}: no list '{}'{}{}", in_quotes(field), list.name, hint(list.name, names),
                                        names.empty() ? "; the program has no 'subscriptions'" : ""));
  }

  void steps(const Field& field, Steps& steps) override {
    if (const auto* node = object_.need(field.key)) steps = steps_.read_steps(*node, in_quotes(field));
  }

  void optional_steps(const Field& field, Steps& steps) override {
    if (const auto* node = object_.find(field.key)) steps = steps_.read_steps(*node, in_quotes(field));
  }

  void branches(const Field& field, std::vector<ChoiceBranch>& branches) override {
    const auto* node = object_.need(field.key);
    if (node == nullptr || !reading_.expect(*node, JsonKind::list, in_quotes(field))) return;
    for (const auto& item : node->items) {
      ObjectReader object(item, part_tables().branch, reading_);
      FieldReader fields(steps_, object);
      fields_of(branches.emplace_back(), fields);
    }
  }

  void tasks(const Field& field, std::vector<Task>& tasks) override {
    const auto* node = object_.need(field.key);
    if (node == nullptr) return;
    if (!node->is(JsonKind::list)) return kind(field, tasks.emplace_back().kind);
    for (const auto& item : node->items) {
      ObjectReader object(item, part_tables().task, reading_);
      FieldReader fields(steps_, object);
      fields_of(tasks.emplace_back(), fields);
    }
    if (tasks.empty()) reading_.problem(*node, in_quotes(field) + " must have at least one kind of task");
    listed_ = true;
  }

  void bytes_of_tasks(const Field& field, std::vector<Task>& tasks) override {
    if (!listed_ && !tasks.empty()) return bytes(field, tasks.front().bytes);
    if (const auto* node = object_.find(field.key))
      reading_.problem(*node, "each kind of task in the list has 'bytes' of its own");
  }

  void sends(const KindName& kind, const Whom& to) override {
    program_.sent.push_back({kind, to.processes, to.by_name});
  }
  void calls(const KindName& kind, const Whom& to) override {
    program_.called.push_back({kind, to.processes, to.by_name});
  }
  void replies(const KindName& kind) override { program_.replies.push_back(kind); }

  void takes(const KindName& kind, const Whom& from) override {
    program_.handled.push_back({kind, from.processes});
    steps_.has_message_ = true;
  }

  void needs_message(const char* what) override { require_message(object_.node(), what); }
  void ends_process() override { program_.stops = true; }
  void gives_up() override { program_.behaviour->gives_up = true; }
  void remembers(std::size_t& slot) override { slot = program_.behaviour->slots++; }
  void check(const Check& check) override { check(object_.node(), reading_); }

 private:
  void no_variable(const JsonNode& node, const Field& field, const std::string& name) {
    const auto names = steps_.names_of_variables();
    reading_.problem(node, fmt::format("{}: no variable '{}'{}{}", in_quotes(field), name, hint(name, names),
                                       (names.empty() ? "; the program has no 'variables'" : "")));
  }

  void read(const JsonNode& node, const Field& field, Range range, Quantity& quantity) {
    quantity = read_quantity(node, in_quotes(field), range, reading_, steps_.later_);
    if (quantity.kind == Quantity::Kind::measured) remembers(quantity.slot);
  }

  void read_whole(const JsonNode& node, const Field& field, Range range, Quantity& quantity) {
    read(node, field, range, quantity);
    check_whole(quantity, node, in_quotes(field), reading_);
  }

  void read_kind(const JsonNode& node, const Field& field, KindName& kind) {
    kind.line = node.line;
    kind.name = reading_.text(node, in_quotes(field));
    kind.any = kind.name == "any";
    if (!kind.any) kind.code = steps_.kinds_.code_of(kind.name);
  }

  void read_kinds(const JsonNode& node, const Field& field, KindNames& kinds) {
    if (!node.is(JsonKind::list)) return read_kind(node, field, kinds.emplace_back());
    for (const auto& item : node.items) read_kind(item, field, kinds.emplace_back());
    if (kinds.empty()) reading_.problem(node, in_quotes(field) + " must have at least one kind");
    if (kinds.size() > 1 && std::any_of(kinds.begin(), kinds.end(), [](const KindName& kind) { return kind.any; }))
      reading_.problem(node, in_quotes(field) + ": 'any' stands alone, not in a list");
  }

  void resolve(const JsonNode& node, const Field& field, Whom& whom) {
    whom.processes = steps_.processes_.find(reading_, node, whom.name, in_quotes(field));
  }

  void require_message(const JsonNode& node, const std::string& what) {
    if (!steps_.has_message_)
      reading_.problem(node, what + " needs a message: in 'start' it must stand behind a 'wait'");
  }

  StepReader& steps_;
  const Reading& reading_;
  InFileProgram& program_;
  ObjectReader& object_;
  bool listed_ = false;  // tasks are a list
};

Steps StepReader::read_steps(const JsonNode& node, const std::string& what) {
  Steps steps;
  if (!reading_.expect(node, JsonKind::list, what)) return steps;
  for (const auto& item : node.items) steps.push_back(read_step(item));
  return steps;
}

Idle StepReader::read_idle(const JsonNode& node) {
  Idle idle;
  const bool had_message = std::exchange(has_message_, false);
  ObjectReader object(node, part_tables().idle, reading_);
  FieldReader fields(*this, object);
  fields_of(idle, fields);
  has_message_ = had_message;
  return idle;
}

QueueLimit StepReader::read_queue(const JsonNode& node) {
  QueueLimit queue;
  const bool had_message = std::exchange(has_message_, true);
  ObjectReader object(node, part_tables().queue, reading_);
  FieldReader fields(*this, object);
  fields_of(queue, fields);
  has_message_ = had_message;
  return queue;
}

Handler StepReader::read_handler(const JsonNode& node) {
  Handler handler;
  ObjectReader object(node, part_tables().handler, reading_);
  FieldReader fields(*this, object);
  handler.fields(fields);
  return handler;
}

std::vector<std::string> StepReader::names_of_variables() const {
  std::vector<std::string> names = variables_;
  names.insert(names.end(), request_variables_.begin(), request_variables_.end());
  return names;
}

// A variable, or "message.NAME" and "answer.NAME": what the message being handled and the last answer to a call carry.
std::optional<Result<KnownLater>> StepReader::known_later(const std::string& name) {
  using Of = RunTimeName::Of;
  const auto use = [&](Of of, std::size_t index) -> Result<KnownLater> {
    if (!has_message_ && (of == Of::message || of == Of::request))
      return Error{fmt::format("'{}' needs a message: in 'start' it must stand behind a 'wait'", name)};
    program_.behaviour->later.push_back({of, index, name});
    return KnownLater{program_.behaviour->later.size() - 1};
  };
  if (const auto index = position_of(name, variables_)) return use(Of::process, *index);
  if (const auto index = position_of(name, request_variables_)) return use(Of::request, *index);
  const auto dot = name.find('.');
  const std::string front = name.substr(0, dot);
  if (dot == std::string::npos || (front != "message" && front != "answer")) return std::nullopt;
  const std::string carried = name.substr(dot + 1);
  if (const auto number = position_of(carried, kinds_.carried()))
    return use(front == "message" ? Of::message : Of::answer, *number);
  return Error{fmt::format("no message carries '{}'{}", carried, hint(carried, kinds_.carried()))};
}

// A step is told by its verb. "count" is also a key of wait, whose place comes first.
Step StepReader::read_step(const JsonNode& node) {
  Step step;
  step.line = node.line;
  if (!reading_.expect(node, JsonKind::object, "a step")) return step;
  const auto& entries = step_entries();
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [&](const StepEntry& e) { return node.find(e.words.verb) != nullptr; });
  if (entry == entries.end()) {
    const std::string typed = node.members.empty() ? "" : node.members.front().key;
    reading_.problem(node, fmt::format("a step needs one of {}{}", listed(verbs()), hint(typed, verbs())));
    return step;
  }
  step.what = entry->empty;
  ObjectReader object(node, entry->table, reading_);
  FieldReader fields(*this, object);
  step.probability = object.number(kProbability.key, 1, kChance);
  std::visit([&](auto& what) { what.fields(fields); }, step.what);
  return step;
}

}  // namespace dpm
