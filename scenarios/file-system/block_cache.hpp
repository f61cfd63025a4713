// The buffers of the buffer manager: which blocks are in memory, and which disk operations a request costs.
//
// Blocks of data and of pointers share the buffers; the least recently used one gives way, and is written to the disk
// first if it has changed. To reach a block of data its file's block of pointers must be there too.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "scenarios/file-system/protocol.hpp"

namespace dpm::scenarios::file_system {

struct DiskOperation {
  MessageCode code = kDiskRead;  // or kDiskWrite
  BlockId block;

  friend bool operator==(const DiskOperation&, const DiskOperation&) = default;
};

class BlockCache {
 public:
  BlockCache(std::size_t buffers, std::uint32_t pointers_per_block)
      : buffers_(buffers), pointers_per_block_(pointers_per_block) {}

  // What must be done on the disk, in this order, before the request's block is in memory; nothing if it is. A block
  // that is new is not read first.
  std::vector<DiskOperation> access(const BlockId& block, bool is_write, bool is_new);

 private:
  struct Buffer {
    BlockId block;
    bool changed = false;
  };

  bool touch(const BlockId& block, bool change);
  void bring_in(const BlockId& block, bool change, bool is_new, std::vector<DiskOperation>& operations);

  const std::size_t buffers_;
  const std::uint32_t pointers_per_block_;
  std::list<Buffer> by_use_;  // the most recently used first
  std::map<BlockId, std::list<Buffer>::iterator> where_;
};

}  // namespace dpm::scenarios::file_system
