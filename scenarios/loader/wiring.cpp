#include "scenarios/loader/wiring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "scenarios/loader/reply_check.hpp"
#include "scenarios/loader/wait_check.hpp"

namespace dpm {
namespace {

constexpr std::size_t kLinksMax = 1'000'000;

// Whether two lists of names have one in common; null is every process.
bool have_one_in_common(const ProcessNames& wanted, const std::vector<std::string>& senders) {
  if (wanted == nullptr) return true;
  if (wanted->size() == senders.size() && *wanted == senders) return true;
  const std::set<std::string_view> set(wanted->begin(), wanted->end());
  return std::any_of(senders.begin(), senders.end(), [&](const auto& sender) { return set.count(sender) != 0; });
}

}  // namespace

void Wiring::add_links(std::size_t process, const std::vector<std::string>& to) {
  auto& description = scenario_.processes[process];
  link_sets_.resize(scenario_.processes.size());
  for (const auto& name : to) {
    const bool own_group = to.size() > 1 && name == description.name;  // "every member but me"
    if (link_count_ > kLinksMax) return;                               // finish() reports it
    if (own_group || !link_sets_[process].insert(name).second) continue;
    description.links.push_back(name);
    ++link_count_;
  }
}

void Wiring::finish() {
  if (reading_.problems.empty()) add_links_of_steps();
  if (reading_.problems.empty()) check_what_is_managed();
  if (reading_.problems.empty()) make_programs();
  check_that_it_ends();
}

void Wiring::add_links_of_steps() {
  for (const auto& entry : processes_.entries) {
    for (std::size_t i = 0; i < entry.members.size() && !entry.programs.empty(); ++i)
      for (const auto& sent : entry.programs[i % entry.programs.size()]->sent)
        if (sent.to != nullptr) add_links(entry.members[i], *sent.to);
  }
  // "to": "sender" may go to any process that has a link to this one.
  std::vector<std::pair<std::size_t, std::string>> back;
  for (std::size_t sender = 0; sender < scenario_.processes.size(); ++sender) {
    for (const auto& to : scenario_.processes[sender].links) {
      const ProcessEntry& entry = processes_.entries[processes_.entry_of.at(to)];
      const bool writes = !entry.programs.empty() && entry.programs.front()->writes_to_sender;
      if (writes) back.emplace_back(processes_.index.at(to), scenario_.processes[sender].name);
    }
  }
  for (const auto& [process, to] : back) add_links(process, {to});
  if (link_count_ > kLinksMax)
    reading_.problem(system_, fmt::format("more than {} links between processes", kLinksMax));
  for (const auto& entry : processes_.entries)
    if (!entry.programs.empty()) check_kinds(entry, *entry.programs.front());
  if (reading_.problems.empty()) ReplyCheck(scenario_, processes_, reading_.problems).check();
  if (reading_.problems.empty()) WaitCheck(scenario_, processes_, reading_.problems).check();
}

// Every kind a program sends must be one its receivers handle or wait for; those written in C++ are not looked into. A
// group is judged by its first member. What goes "to": "sender" is compared with every program that writes to this one.
void Wiring::check_kinds(const ProcessEntry& sender, const InFileProgram& program) {
  if (sender.members.empty()) return;
  std::vector<std::string> sender_names;
  for (const std::size_t member : sender.members) sender_names.push_back(scenario_.processes[member].name);
  for (const auto& sent : program.sent) {
    if (sent.to == nullptr) continue;
    std::set<std::size_t> receivers;
    for (const auto& name : *sent.to) receivers.insert(processes_.entry_of.at(name));
    for (const std::size_t index : receivers) {
      const ProcessEntry& receiver = processes_.entries[index];
      if (receiver.programs.empty()) continue;
      const auto& handled = receiver.programs.front()->handled;
      const auto ready = [&](const HandledKind& h) {
        return (h.kind.any || h.kind.code == sent.kind.code) && have_one_in_common(h.from, sender_names);
      };
      if (std::any_of(handled.begin(), handled.end(), ready)) continue;
      std::vector<std::string> kinds;
      for (const auto& h : handled)
        if (have_one_in_common(h.from, sender_names) &&
            std::find(kinds.begin(), kinds.end(), h.kind.name) == kinds.end())
          kinds.push_back(h.kind.name);
      reading_.problems.add(sent.kind.line,
                            fmt::format("process '{}' neither handles nor waits for '{}' from '{}'{}", sent.to->front(),
                                        sent.kind.name, sender_names.front(), hint(sent.kind.name, kinds)));
    }
  }
}

// Machines and semaphores that programs name, and processes that they create.
void Wiring::check_what_is_managed() {
  std::vector<std::string> machines;
  for (const auto& machine : scenario_.machines) machines.push_back(machine.name);
  std::vector<std::string> semaphores;
  for (const auto& semaphore : scenario_.semaphores) semaphores.push_back(semaphore.name);
  std::set<std::string> created;
  for (const auto& entry : processes_.entries) {
    for (const auto& program : entry.programs) {
      for (const auto& [name, line] : program->machines)
        if (std::find(machines.begin(), machines.end(), name) == machines.end())
          reading_.problems.add(line, fmt::format("no machine '{}'{}", name, hint(name, machines)));
      for (const auto& [name, line] : program->semaphores)
        if (std::find(semaphores.begin(), semaphores.end(), name) == semaphores.end())
          reading_.problems.add(line, fmt::format("no semaphore '{}'{}{}", name, hint(name, semaphores),
                                                  semaphores.empty() ? "; the scenario has no 'semaphores'" : ""));
      for (const auto& [names, line] : program->created) {
        created.insert(names->begin(), names->end());
        for (const auto& name : *names)
          if (!scenario_.processes[processes_.index.at(name)].created_later)
            reading_.problems.add(
                line, fmt::format("process '{}' is there from the beginning; give it \"created_later\": true", name));
      }
    }
  }
  for (const auto& entry : processes_.entries) {
    const bool in_file_only = std::all_of(processes_.entries.begin(), processes_.entries.end(),
                                          [](const auto& other) { return !other.programs.empty(); });
    for (const std::size_t member : entry.members) {
      const ProcessDescription& process = scenario_.processes[member];
      if (!process.created_later || created.contains(process.name) || !in_file_only) continue;
      reading_.problem(*entry.node,
                       fmt::format("process '{}' has created_later, and no step creates it", process.name));
    }
  }
}

void Wiring::make_programs() {
  std::vector<std::shared_ptr<std::vector<std::string>>> senders(scenario_.processes.size());
  for (auto& list : senders) list = std::make_shared<std::vector<std::string>>();
  for (const auto& process : scenario_.processes)
    for (const auto& to : process.links) senders[processes_.index.at(to)]->push_back(process.name);
  for (const auto& entry : processes_.entries) {
    for (std::size_t i = 0; i < entry.members.size() && !entry.programs.empty(); ++i) {
      const auto& program = *entry.programs[i % entry.programs.size()];
      auto& process = scenario_.processes[entry.members[i]];
      process.program = make_program(program.behaviour, senders[entry.members[i]]);
      // One that has handlers and no `stop` never ends by itself.
      if (!entry.service_given) process.service = !program.behaviour->handlers.empty() && !program.stops;
    }
  }
}

void Wiring::check_that_it_ends() {
  const auto& processes = scenario_.processes;
  const bool endless = std::all_of(processes.begin(), processes.end(), [](const auto& p) { return p.service; });
  if (!endless || processes.empty() || scenario_.services_finish || scenario_.time_limit.ns != 0 ||
      scenario_.message_limit != 0)
    return;
  reading_.problem(system_,
                   "every process is a service, so the run would end before it begins: give one of them a "
                   "'stop' step, or the scenario a 'time_limit_s'");
}

}  // namespace dpm
