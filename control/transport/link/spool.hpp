// Meter messages that wait on disk: a ring in a file without a name, which vanishes with the process, however that ends.
// Messages are found by their numbers. The file grows up to its limit; when no message waits it is truncated.
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
  // The folder is made at its first use.
  Spool(std::string folder, std::uint64_t bytes_max)
      : folder_(std::move(folder)), capacity_(bytes_max / kMeterMessageBytes) {}

  // Stores messages from number `first` on; the `waiting` messages before them are still needed. Returns how many found
  // room; problem() tells why not all did.
  std::size_t write(std::uint64_t first, std::uint64_t waiting, std::span<const MeterMessage> messages);
  // False if the disk does not return them.
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
