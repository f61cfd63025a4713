#include "scenarios/file-system/block_cache.hpp"

namespace dpm::scenarios::file_system {

std::vector<DiskOperation> BlockCache::access(const BlockId& block, bool is_write, bool is_new) {
  std::vector<DiskOperation> operations;
  if (touch(block, is_write)) return operations;
  const BlockId pointers{block.file, static_cast<std::uint16_t>(block.block / pointers_per_block_), true};
  if (!touch(pointers, is_new)) bring_in(pointers, is_new, is_new, operations);
  bring_in(block, is_write, is_new, operations);
  return operations;
}

bool BlockCache::touch(const BlockId& block, bool change) {
  const auto found = where_.find(block);
  if (found == where_.end()) return false;
  by_use_.splice(by_use_.begin(), by_use_, found->second);
  found->second->changed |= change;
  return true;
}

void BlockCache::bring_in(const BlockId& block, bool change, bool is_new, std::vector<DiskOperation>& operations) {
  if (by_use_.size() >= buffers_) {
    const Buffer& victim = by_use_.back();
    if (victim.changed) operations.push_back({kDiskWrite, victim.block});
    where_.erase(victim.block);
    by_use_.pop_back();
  }
  by_use_.push_front({block, change});
  where_[block] = by_use_.begin();
  if (!is_new) operations.push_back({kDiskRead, block});
}

}  // namespace dpm::scenarios::file_system
