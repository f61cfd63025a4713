// Workers that are processes of MPI.
#pragma once

#include <deque>
#include <memory>

#include "answers/parallel/ranks/ranks.hpp"

namespace dpm {

// Whether this process was started by mpirun, by Slurm, or by another starter that tells MPI its number.
bool started_as_rank();

class MpiRanks : public Ranks {
 public:
  // MPI's beginning and end are this object's. One at a time.
  MpiRanks(int& argc, char**& argv);
  ~MpiRanks() override;

  std::uint32_t own() const override { return own_; }
  std::uint32_t count() const override { return count_; }
  std::string name() const override;
  void send(std::uint32_t to, Bytes bytes) override;
  Bytes receive(std::uint32_t from) override;
  double waiting_cpu_s() const override { return waiting_cpu_s_; }
  [[noreturn]] void end_all(const std::string& why) override;

 private:
  struct Sending;  // a message on its way
  void forget_sent();

  std::uint32_t own_ = 0, count_ = 1;
  std::deque<std::unique_ptr<Sending>> sending_;
  double waiting_cpu_s_ = 0;
};

}  // namespace dpm
