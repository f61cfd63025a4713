// Where meter messages wait on disk: a ring in a file that has no name any more, so that it is gone with the process
// that made it, whatever ends that. Messages are found by their numbers. The file grows to its limit and not beyond;
// when nothing waits it is cut to nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/result.hpp"
#include "os/unique_fd.hpp"
#include "trace/meter_message.hpp"

namespace dpm {

class Spool {
 public:
  // The folder is made when it is first needed.
  Spool(std::string folder, std::uint64_t bytes_max)
      : folder_(std::move(folder)), capacity_(bytes_max / kMeterMessageBytes) {}

  // Stores messages from number `first` on, of which `waiting` before them are still needed. Returns how many found
  // room; why not all did is in problem().
  std::size_t write(std::uint64_t first, std::uint64_t waiting, std::span<const MeterMessage> messages);
  // False: the disk does not give them back.
  bool read(std::uint64_t first, std::span<MeterMessage> messages);
  void clear();

  const std::string& problem() const { return problem_; }

 private:
  bool open();

  std::string folder_;
  std::uint64_t capacity_;  // messages
  UniqueFd file_;
  bool written_ = false;
  std::string problem_;
};

}  // namespace dpm
