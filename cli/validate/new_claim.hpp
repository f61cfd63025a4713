// `dpm validate --new`: a claim about a system of the user's, as files to be changed and kept beside it.
//
// FOLDER/NAME gets claim.json (statement and goals), run.py (measures it), system.json (what run.py measures) and README.md. The baseline
// comes from the first `dpm validate --accept`.
#pragma once

#include <string>
#include <vector>

#include "model/result.hpp"

namespace dpm::cli {

// One of scenario, trace and command is given.
struct NewClaim {
  std::string claims,
      name;  // the folder of all claims, which is made if needed; the claim's own in it, which is not there yet
  std::string scenario;  // a file with two placements or more
  std::string trace;
  std::vector<std::string> command;
  std::vector<std::string> cpus;  // of the command: two sets, as taskset names them
};

// Refuses a folder that exists, and what no claim can be made of. Returns the claim's folder.
Result<std::string> write_new_claim(const NewClaim& claim);

}  // namespace dpm::cli
