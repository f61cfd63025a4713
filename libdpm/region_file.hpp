// The file that this process shares with its monitor, and how each knows that the other lives. For the library itself.
#pragma once

#include <dpm/monitor/layout.hpp>

namespace dpm::monitor {

class RegionFile {
 public:
  // Makes and maps the file of this process. Returns why it could not be made, or "". An empty name is that of the program's file.
  const char* create(bool is_forked, const char* program);
  // In the child of a fork: `file`, the child's, takes the address of this one, the parent's, and becomes this one. Without
  // a file, memory of which nothing is wanted takes the place. The parent's lock is given back.
  void give_place_to(RegionFile* file);
  // Removes the name unless a monitor looks: then that removes it, when it has read the rest.
  void end();

  Region* region() const { return region_; }
  // Makes sure that writing there cannot fail later.
  bool allocate(const void* from, std::size_t bytes) const;
  bool is_watched() const;
  // The monitor sees that something is new: the file's time changes. A pipe would kill us where its reader has just died.
  void ring_bell() const;

 private:
  void remove_what_ended() const;

  Region* region_ = nullptr;
  int folder_ = -1, file_ = -1;
  char name_[48] = {};
};

}  // namespace dpm::monitor
