// A descriptor that is kept for later. Where a process may open few files (ulimit -n), others of its threads have taken
// all of them by the time that a file is to be written: it is written with this one.
#pragma once

namespace dpm {

class SpareDescriptor {
 public:
  SpareDescriptor() { take(); }
  SpareDescriptor(const SpareDescriptor&) = delete;
  SpareDescriptor& operator=(const SpareDescriptor&) = delete;
  ~SpareDescriptor() { give(); }

  // Free for as long as this lives. Another thread may be quicker to use it; then opening fails as it did without.
  class Lent {
   public:
    explicit Lent(SpareDescriptor& spare) : spare_(spare) { spare_.give(); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    ~Lent() { spare_.take(); }

   private:
    SpareDescriptor& spare_;
  };

 private:
  void take();
  void give();

  int fd_ = -1;
};

}  // namespace dpm
