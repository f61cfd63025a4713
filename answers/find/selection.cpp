#include "answers/find/selection.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/nearest_name.hpp"
#include "model/process_names.hpp"

namespace dpm::cli {
namespace {

// "*" stands for any characters, also none.
bool fits(std::string_view name, std::string_view pattern) {
  std::size_t n = 0, p = 0, star = std::string_view::npos, after_star = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++after_star;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool is_meant(const FindCondition& condition, std::string_view name) {
  return fits(name, condition.name) || (condition.with_numbered && fits(without_number(name), condition.name));
}

std::string machine_name(ProcessId process, const TraceInfo& info) {
  const MachineId machine = info[process].machine;
  return machine.value < info.machines.size() ? info[machine].name : "";
}

std::string name_of(ProcessId process, FieldType type, const TraceInfo& info) {
  if (process.value >= info.processes.size()) return "";
  if (type == FieldType::program) return info[process].program;
  return type == FieldType::machine ? machine_name(process, info) : info[process].name;
}

}  // namespace

Result<Selection> Selection::resolve(const FindExpression& expression, const TraceInfo& info) {
  Selection selection;
  for (const FindRule& rule : expression.rules) {
    auto& tests = selection.rules_.emplace_back();
    for (const FindCondition& condition : rule) {
      auto test = resolve(condition, info);
      if (!test) return test.error();
      tests.push_back(*std::move(test));
    }
  }
  return selection;
}

Result<Selection::Test> Selection::resolve(const FindCondition& condition, const TraceInfo& info) {
  Test test{condition, {}};
  const FieldType type = condition.field->type;
  if (!is_name(type)) return test;
  std::vector<std::string> names;
  if (type == FieldType::channel) {
    for (const ChannelInfo& channel : info.channels) {
      test.meant.push_back(is_meant(condition, channel.name));
      names.push_back(channel.name);
    }
  } else {
    for (std::uint32_t p = 0; p < info.processes.size(); ++p) {
      names.push_back(name_of(ProcessId{p}, type, info));
      const bool is_process = type == FieldType::process;
      test.meant.push_back(
          is_process ? is_called(info, ProcessId{p}, [&](const std::string& name) { return is_meant(condition, name); })
                     : is_meant(condition, names.back()));
    }
  }
  if (std::find(test.meant.begin(), test.meant.end(), true) == test.meant.end()) {
    constexpr const char* kWords[] = {"process", "program", "machine", "channel"};
    return Error{fmt::format("{}: no {} '{}' in the trace{}", condition.field->name,
                             kWords[static_cast<std::size_t>(type)], condition.name,
                             did_you_mean(condition.name, names))};
  }
  return test;
}

bool Selection::holds(const Test& test, const Item& item) {
  const ItemField& field = *test.condition.field;
  if (!is_name(field.type)) {
    const std::int64_t amount = item.*field.amount;
    return amount != Item::kUnknown && dpm::holds(test.condition.comparison, amount, test.condition.amount);
  }
  const auto is = [&](std::uint32_t number) { return number < test.meant.size() && test.meant[number]; };
  bool any = false;
  if (field.type == FieldType::channel)
    any = is(item.channel.value);
  else
    any = (field.end != ItemEnd::to && is(item.from.value)) || (field.end != ItemEnd::from && is(item.to.value));
  return any == (test.condition.comparison == Comparison::equal);
}

bool Selection::accepts(const Item& item) const {
  const auto all_hold = [&](const std::vector<Test>& tests) {
    return std::all_of(tests.begin(), tests.end(), [&](const Test& test) { return holds(test, item); });
  };
  return rules_.empty() || std::any_of(rules_.begin(), rules_.end(), all_hold);
}

std::string name_in(const Item& item, const ItemField& field, const TraceInfo& info) {
  if (field.type == FieldType::channel) return item.channel.value < info.channels.size() ? info[item.channel].name : "";
  return name_of(field.end == ItemEnd::to ? item.to : item.from, field.type, info);
}

void sort_items(std::vector<Item>& items, const ItemField& field, const TraceInfo& info) {
  const auto began_before = [](const Item& a, const Item& b) { return a.at_ns < b.at_ns; };
  std::stable_sort(items.begin(), items.end(), began_before);
  if (field.amount == &Item::at_ns) return;
  if (is_name(field.type))
    std::stable_sort(items.begin(), items.end(),
                     [&](const Item& a, const Item& b) { return name_in(a, field, info) < name_in(b, field, info); });
  else
    std::stable_sort(items.begin(), items.end(),
                     [&](const Item& a, const Item& b) { return a.*field.amount > b.*field.amount; });
}

}  // namespace dpm::cli
