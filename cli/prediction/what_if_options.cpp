#include "cli/prediction/what_if_options.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace dpm::cli {
namespace {

// "NAME=NUMBER"; names may contain '='.
template <typename Number>
Result<std::pair<std::string, Number>> read_one(const std::string& option, const std::string& text,
                                                const std::string& expected) {
  const auto equals = text.rfind('=');
  const Error wrong{option + " " + text + ": expected " + expected};
  if (equals == std::string::npos || equals == 0) return wrong;
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [read_to, problem] = std::from_chars(text.data() + equals + 1, end, number);
  if (problem != std::errc() || read_to != end) return wrong;
  return std::pair{text.substr(0, equals), number};
}

}  // namespace

void WhatIfOptions::describe(Options& options) {
  options.list("--speed", speeds,
               "What if: PROCESS=2 needs half its CPU time (a better program on the same machines); repeat for "
               "several");
  options.list("--delay", delays,
               "What if: A-B=0.5 halves the delays of messages between machines A and B, or processes A and B, either "
               "way; all=0.5 those between all machines; repeat for several");
  // Its old name, which meant a delay here and a speed there.
  options.list("--link", former_links_, "")
      .check([](const std::string&) {
        return "--link is --delay now, and takes a factor of the delay: A-B=2 is twice as long";
      })
      .hide();
  options.list("--cores", cores, "What if: MACHINE=4 has four cores; repeat for several");
  options.list("--replicate", replicas,
               "What if: SERVER or SERVER=3 for two or three copies, each on its own machine like the server's, or "
               "SERVER=3@MACHINE; each client's requests go to the copies in round robin. Only right if the server "
               "keeps no state between requests; repeat for several");
}

Result<WhatIf> WhatIfOptions::read() const {
  WhatIf what_if;
  for (const auto& text : speeds) {
    const auto read = read_one<double>("--speed", text, "PROCESS=FACTOR; 2 is twice as fast");
    if (!read) return read.error();
    what_if.speeds.push_back({read->first, read->second});
  }
  for (const auto& text : delays) {
    const auto read = read_one<double>("--delay", text, "A-B=FACTOR or all=FACTOR; 0.5 is half the delay");
    if (!read) return read.error();
    what_if.delays.push_back({read->first, read->second});
  }
  for (const auto& text : cores) {
    const auto read = read_one<std::uint16_t>("--cores", text, "MACHINE=CORES, a whole number from 1 to 65535");
    if (!read) return read.error();
    what_if.cores.push_back({read->first, read->second});
  }
  for (const auto& text : replicas) {
    ReplicaChange change;
    const auto equals = text.rfind('=');
    const auto at = equals == std::string::npos ? equals : text.find('@', equals);
    change.process = text.substr(0, equals);
    const std::string expected = "SERVER, SERVER=COPIES or SERVER=COPIES@MACHINE";
    if (at != std::string::npos) change.machine = text.substr(at + 1);
    if (at != std::string::npos && change.machine.empty())
      return Error{"--replicate " + text + ": expected " + expected};
    if (equals != std::string::npos) {
      const auto read = read_one<std::uint32_t>("--replicate", text.substr(0, at), expected);
      if (!read) return read.error();
      change.copies = read->second;
    }
    what_if.replicas.push_back(std::move(change));
  }
  return what_if;
}

std::vector<std::string> WhatIfOptions::words() const {
  std::vector<std::string> words;
  for (const auto& [option, texts] :
       {std::pair{"speed ", &speeds}, {"delay ", &delays}, {"cores ", &cores}, {"replicate ", &replicas}})
    for (const auto& text : *texts) words.push_back(option + text);
  return words;
}

}  // namespace dpm::cli
