// The links of programs written in the file follow from their steps, so a scenario need not list them; and what one
// program sends, the other must be ready for.
#include <algorithm>

#include "scenarios/loader/system_reader.hpp"

namespace dpm {
namespace {

constexpr std::size_t kMostLinks = 1000000;

// Whether two lists of names have one in common; null is everybody.
bool meet(const ProcessNames& wanted, const std::vector<std::string>& senders) {
  if (wanted == nullptr) return true;
  if (wanted->size() == senders.size() && *wanted == senders) return true;
  const std::set<std::string_view> set(wanted->begin(), wanted->end());
  return std::any_of(senders.begin(), senders.end(), [&](const auto& sender) { return set.count(sender) != 0; });
}

}  // namespace

void SystemReader::add_links(std::size_t process, const std::vector<std::string>& to) {
  auto& description = scenario_.processes[process];
  for (const auto& name : to) {
    const bool own_group = to.size() > 1 && name == description.name;  // "every member but me"
    if (link_count_ > kMostLinks) return;                              // wire() reports it
    if (own_group || !link_sets_[process].insert(name).second) continue;
    description.links.push_back(name);
    ++link_count_;
  }
}

void SystemReader::wire() {
  if (!reading_.problems.empty()) return;
  for (const auto& entry : entries_) {
    for (std::size_t i = 0; i < entry.members.size() && !entry.programs.empty(); ++i)
      for (const auto& sent : entry.programs[i % entry.programs.size()]->sent)
        if (sent.to != nullptr) add_links(entry.members[i], *sent.to);
  }
  // "to": "sender" may go to whoever has a link to the process.
  std::vector<std::pair<std::size_t, std::string>> back;
  for (std::size_t sender = 0; sender < scenario_.processes.size(); ++sender) {
    for (const auto& to : scenario_.processes[sender].links) {
      const Entry& entry = entries_[entry_of_process_.at(to)];
      const bool writes = !entry.programs.empty() && entry.programs.front()->writes_to_sender;
      if (writes) back.emplace_back(process_index_.at(to), scenario_.processes[sender].name);
    }
  }
  for (const auto& [process, to] : back) add_links(process, {to});
  if (link_count_ > kMostLinks) reading_.problem(root_.node(), "more than 1000000 links between processes");
  for (const auto& entry : entries_)
    if (!entry.programs.empty()) check_kinds(entry, *entry.programs.front());
}

// Every kind a program sends must be one its receivers handle or wait for; those written in C++ are not looked into. A
// group is judged by its first member. What goes "to": "sender" is held against every program that writes to this one.
void SystemReader::check_kinds(const Entry& sender, const InFileProgram& program) {
  if (sender.members.empty()) return;
  std::vector<std::string> sender_names;
  for (const std::size_t member : sender.members) sender_names.push_back(scenario_.processes[member].name);
  for (const auto& sent : program.sent) {
    if (sent.to == nullptr) continue;
    std::set<std::size_t> receivers;
    for (const auto& name : *sent.to) receivers.insert(entry_of_process_.at(name));
    for (const std::size_t index : receivers) {
      const Entry& receiver = entries_[index];
      if (receiver.programs.empty()) continue;
      const auto& handled = receiver.programs.front()->handled;
      const auto ready = [&](const HandledKind& h) {
        return (h.kind.any || h.kind.code == sent.kind.code) && meet(h.from, sender_names);
      };
      if (std::any_of(handled.begin(), handled.end(), ready)) continue;
      std::vector<std::string> kinds;
      for (const auto& h : handled)
        if (meet(h.from, sender_names) && std::find(kinds.begin(), kinds.end(), h.kind.name) == kinds.end())
          kinds.push_back(h.kind.name);
      reading_.problems.add(sent.kind.line, "process '" + sent.to->front() + "' neither handles nor waits for '" +
                                                sent.kind.name + "' from '" + sender_names.front() + "'" +
                                                hint(sent.kind.name, kinds));
    }
  }
}

void SystemReader::finish_programs() {
  if (!reading_.problems.empty()) return;
  std::vector<std::shared_ptr<std::vector<std::string>>> senders(scenario_.processes.size());
  for (auto& list : senders) list = std::make_shared<std::vector<std::string>>();
  for (const auto& process : scenario_.processes)
    for (const auto& to : process.links) senders[process_index_.at(to)]->push_back(process.name);
  for (const auto& entry : entries_) {
    for (std::size_t i = 0; i < entry.members.size() && !entry.programs.empty(); ++i) {
      const auto& program = *entry.programs[i % entry.programs.size()];
      auto& process = scenario_.processes[entry.members[i]];
      process.program = make_program(program.behaviour, senders[entry.members[i]]);
      // One that has handlers and no `stop` never ends by itself.
      if (!entry.service_given) process.service = !program.behaviour->handlers.empty() && !program.stops;
    }
  }
}

void SystemReader::check_that_it_ends() {
  const auto& processes = scenario_.processes;
  const bool endless = std::all_of(processes.begin(), processes.end(), [](const auto& p) { return p.service; });
  if (!endless || processes.empty() || scenario_.services_finish || scenario_.time_limit.ns != 0 ||
      scenario_.message_limit != 0)
    return;
  reading_.problem(root_.node(),
                   "every process is a service, so the run would end before it begins: give one of them a "
                   "'stop' step, or the scenario a 'time_limit_s'");
}

}  // namespace dpm
