// The columns of the table of processes: on a screen, in plain text, and to sort by.
#pragma once

#include <string>
#include <vector>

#include "cli/top/rates.hpp"

namespace dpm::cli {

struct TopColumn {
  const char* heading;
  std::size_t width;
  double (*number)(const ProcessRates&);     // to sort by
  std::string (*text)(const ProcessRates&);  // a cell
};

// In the order of their importance: a narrow screen leaves out the last ones. The name of the process is not one of them.
const std::vector<TopColumn>& top_columns();

// "0", "12.5", "1234", "12.3k", "4.5M": at most six characters.
std::string short_number(double value);
// Of a process: "message", "ended", or "-" where it is not known.
std::string doing_text(Doing doing);
// What it waits for now: a process that is to send it a message, or one of the words above and of waits_now.hpp.
std::string waits_text(const ProcessRates& row);
std::string padded_right(const std::string& text, std::size_t width);
std::string padded_left(const std::string& text, std::size_t width);

}  // namespace dpm::cli
