// A descriptor that is kept for later. Where a process may open few files (ulimit -n), its other threads may have taken
// all of them when a file is to be written: it is written with this one.
#pragma once

namespace dpm {

class SpareDescriptor {
 public:
  SpareDescriptor() { take(); }
  SpareDescriptor(const SpareDescriptor&) = delete;
  SpareDescriptor& operator=(const SpareDescriptor&) = delete;
  ~SpareDescriptor() { give(); }

  // Frees the descriptor while this object exists. If another thread takes it first, opening fails as it did before.
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
