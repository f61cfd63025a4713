// What a result says of the machine that it was measured on. Machines of one label may differ as much as others.
#pragma once

#include <cstdint>
#include <string>

namespace dpm::cli {

// "Intel(R) Xeon(R) CPU @ 2.60GHz, 2 cores, Linux 6.1". `cpuinfo`: the text of /proc/cpuinfo; `release`: the kernel's.
std::string machine_label(const std::string& cpuinfo, std::uint16_t cores, const std::string& release);
std::string label_of_this_machine();

}  // namespace dpm::cli
