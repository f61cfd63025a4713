// How processes are called, from what the kernel keeps of their names.
#pragma once

#include <set>
#include <string>

namespace dpm {

// "redis-server" of "/usr/bin/redis-server".
std::string file_name(const std::string& path);
std::string first_word(const std::string& command);

// The kernel keeps 15 characters of a name; the path of the program may have all of it.
std::string name_or_file(const std::string& name, const std::string& path);
// A process that had ended before its name could be read.
bool is_unnamed(const std::string& name, const std::string& path);

// For a sentence: the first five, and how many more there are.
std::string listed(const std::set<std::string>& names);

}  // namespace dpm
