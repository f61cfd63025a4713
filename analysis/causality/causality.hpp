// Which paths requests take through a server (thesis 5.2.4, figures 5.18 and 5.19).
//
//   (1) find each RECEIVE from a requestor;
//   (2) the SENDs that follow it, up to the process's next RECEIVE, were caused by it;
//   (3) go to the RECEIVE of each of these, and repeat (2).
//
//   user   --S                   R--        A gets a request, asks B, B asks C, C answers, B answers:
//   A        \R-S          R-S---/          the causality string is ABCBA.
//   B            \R-S  R-S/
//   C                \R-S/
//
// Where several SENDs follow one RECEIVE, the string forks, and each branch is a separate string. Messages to and from
// system processes are skipped: a RECEIVE from one does not end step (2).
//
// Every RECEIVE has one SEND, so the strings form trees and the work is linear in events. Chains that never return (a
// token, a dispatcher) are cut at string_length_max, and the cuts are counted; the counts of at, from, to have no such
// limit.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/causality/roles.hpp"
#include "analysis/history/history.hpp"
#include "model/result.hpp"

namespace dpm {

struct CausalityOptions {
  CausalityRoles roles;
  std::map<std::string, std::string> letters;  // process name to designator; letters.hpp chooses the others
  std::size_t string_length_max = 64;          // in processes
  std::size_t strings_max = 100'000;           // different whole strings remembered
  std::size_t paths_max = 1'000'000;           // different substrings remembered
};

struct CausalPath {
  std::string path;
  std::uint64_t count = 0;
  std::uint32_t length = 0;  // in processes
};

// "`at`, having received from `from`, sent next to `to`" happened `count` times. No id means the requestors.
struct Branch {
  ProcessId at, from, to;
  std::uint64_t count = 0;
  double probability = 0;  // of `to`, given `at` and `from`
};

// The state of a request is the process that works on it (figure 5.19). No id means the requestors.
struct StateArc {
  ProcessId from, to;
  std::uint64_t count = 0;
  double probability = 0;  // of `to`, given `from`, whatever was received before
};

struct Causality {
  std::vector<CausalityRole> roles;  // by process number
  std::vector<std::string> letters;  // by process number; empty for those outside the server
  std::vector<CausalPath> strings;   // whole causality strings, lexicographically
  std::vector<CausalPath>
      paths;  // every substring of length 2 and more, lexicographically (thesis: "up to and including")
  std::vector<Branch> branching;  // by (at, from, to), the requestors last
  std::vector<StateArc> states;   // by (from, to), the requestors last

  std::uint64_t requests = 0;                   // RECEIVEs from requestors
  std::uint64_t strings_cut = 0;                // longer than string_length_max: their beginning is in `strings`
  std::uint64_t strings_not_stored = 0;         // beyond strings_max: not in `strings`, but in the counts
  std::uint64_t paths_not_stored = 0;           // occurrences of substrings beyond paths_max
  std::uint64_t messages_outside_requests = 0;  // RECEIVEs within the server that no request led to
  std::vector<std::string> warnings;

  // As in figure 5.18; 0 if it never happened.
  std::uint64_t count(ProcessId at, ProcessId from, ProcessId to) const;
};

// Refuses roles and letters that name no process, and a history without a requestor.
Result<Causality> find_causality(const History& history, const CausalityOptions& options = {});

}  // namespace dpm
