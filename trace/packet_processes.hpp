// How many records of one packet each process has, in the order in which the processes appear. A table of the packet's own: one of all
// processes would grow with every process of a long run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/ids.hpp"
#include "trace/packet_index.hpp"

namespace dpm {

class PacketProcesses {
 public:
  void note(ProcessId process) {
    std::size_t slot = process.value & (places_.size() - 1);
    while (places_[slot] != kFree && records_[places_[slot]].process != process)
      slot = (slot + 1) & (places_.size() - 1);
    if (places_[slot] == kFree) {
      places_[slot] = static_cast<std::uint32_t>(records_.size());
      records_.push_back({process, 0});
    }
    ++records_[places_[slot]].records;
    if (2 * records_.size() > places_.size()) grow();
  }
  void clear() {
    if (records_.empty()) return;
    records_.clear();
    places_.assign(places_.size(), kFree);
  }
  std::span<const ProcessRecords> records() const { return records_; }

 private:
  static constexpr std::uint32_t kFree = 0xffffffffu;

  void grow() {
    places_.assign(2 * places_.size(), kFree);
    for (std::uint32_t place = 0; place < records_.size(); ++place) {
      std::size_t slot = records_[place].process.value & (places_.size() - 1);
      while (places_[slot] != kFree) slot = (slot + 1) & (places_.size() - 1);
      places_[slot] = place;
    }
  }

  std::vector<ProcessRecords> records_;
  std::vector<std::uint32_t> places_ = std::vector<std::uint32_t>(64, kFree);  // in `records_`, a power of two of them
};

}  // namespace dpm
