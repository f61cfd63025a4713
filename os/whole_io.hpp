// Reads and writes all bytes, although the kernel may transfer fewer at a time and signals may interrupt it. Both wait.
#pragma once

#include <string>
#include <string_view>

namespace dpm {

bool write_all(int fd, std::string_view bytes);  // false: errno says why
std::string read_to_end(int fd);                 // or until an error

}  // namespace dpm
