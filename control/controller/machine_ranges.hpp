// Many machines as one word, as clush, pdsh and Slurm write them:
//
//     red[1-16]          red1 red2 ... red16          red[01-16]    red01 red02 ... red16
//     red[1,3,8-9].lan   red1.lan red3.lan ...        r[1-2]n[1-4]  r1n1 r1n2 ... r2n4
//     red,green,b[1-2]   red green b1 b2              red[1-2]=3    red1 three times, red2 three times
//
// Brackets change nothing in a name that has none of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace dpm::control {

// More are taken for a mistake.
inline constexpr std::size_t kMachinesMax = 4096;

// In the order of the word. A name stands there as often as the word says; each is a possible name of a machine.
Result<std::vector<std::string>> expand_machines(std::string_view word);

}  // namespace dpm::control
