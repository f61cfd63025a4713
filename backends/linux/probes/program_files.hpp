// Where the files of a program are: its own, and those of its libraries, before it runs and while it does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/symbols/module_functions.hpp"

namespace dpm {

// The executable file with this name: of a command's words, or of PATH. Without symbolic links; "" if there is none.
std::string find_program_file(const std::string& name, const std::vector<std::string>& command);

// The library as the dynamic linker finds it for a program in this folder; "" if it is in none of the usual places.
std::string find_library_file(const std::string& name, const std::string& program_folder,
                              const std::string& library_path);

// The files from which a process executes code, its program first.
std::vector<std::string> mapped_files(std::uint32_t pid);

std::string file_part(const std::string& path);

}  // namespace dpm
