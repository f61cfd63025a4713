// The links of programs written in the file follow from their steps, so a scenario need not list them. What one program
// sends, its receivers must be ready for.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/scenario.hpp"
#include "scenarios/behaviour/program_reader.hpp"
#include "scenarios/document/reading.hpp"

namespace dpm {

// One entry of "processes": a process, or a group of them.
struct ProcessEntry {
  const JsonNode* node = nullptr;
  std::vector<std::size_t> members;   // indices into Scenario::processes
  const JsonNode* in_file = nullptr;  // its program, if written in the file
  bool counted = false;
  bool service_given = false;
  std::vector<std::string> machines;
  std::vector<std::shared_ptr<InFileProgram>> programs;  // one for all members, or one each
};

struct ProcessEntries {
  std::vector<ProcessEntry> entries;
  std::map<std::string, std::size_t> index;     // of each process by its name
  std::map<std::string, std::size_t> entry_of;  // likewise
};

class Wiring {
 public:
  // Fills in the links and the in-file programs of `scenario`.
  Wiring(Scenario& scenario, const ProcessEntries& processes, const JsonNode& system, const Reading& reading)
      : scenario_(scenario), processes_(processes), system_(system), reading_(reading) {}

  // Links that the file lists.
  void add_links(std::size_t process, const std::vector<std::string>& to);
  // When everything has been read: links of steps, programs, and whether the run can end. Nothing if there are problems.
  void finish();

 private:
  void add_links_of_steps();
  void check_kinds(const ProcessEntry& sender, const InFileProgram& program);
  void check_what_is_managed();
  void make_programs();
  void check_that_it_ends();

  Scenario& scenario_;
  const ProcessEntries& processes_;
  const JsonNode& system_;
  const Reading& reading_;
  std::vector<std::set<std::string>> link_sets_;  // by process
  std::size_t link_count_ = 0;
};

}  // namespace dpm
