// Designators of processes in causality strings (thesis 5.2.4): "DBMR" reads as four processes.
//
// A designator is a capital letter. Where there are more processes than letters, digits or small letters follow it. A
// string splits into designators before every capital, so "S1S12C" has only one reading.
//
//   names all starting differently   alpha, beta, gamma              A B G
//   a word's letter is taken         disk, buffer_manager,
//                                    directory_manager, request      D B M R
//   names that differ by number      controller, server1 .. server16 C S1 .. S16
//   nothing of the name is free      the next free of A .. Z, then Aa, Ab, ...
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/result.hpp"

namespace dpm {

// One designator for each name, all different. `wished` (name to designator) takes precedence; refused if it names no
// process, gives two processes the same, or is not of the form above.
Result<std::vector<std::string>> assign_letters(std::span<const std::string> names,
                                                const std::map<std::string, std::string>& wished = {});

// "AS1S12" -> "A", "S1", "S12".
std::vector<std::string> designators_of(const std::string& path);

}  // namespace dpm
