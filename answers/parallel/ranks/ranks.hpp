// Several workers that do one piece of work together: processes of MPI, on any machines, or threads of one process.
//
// They have numbers from 0 on, and send each other bytes. Between two of them, what is sent first is received first. Sending
// does not wait for the receiver. A worker that cannot go on reports why and ends all workers, because the result needs every part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/bytes.hpp"

namespace dpm {

class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual std::uint32_t own() const = 0;
  virtual std::uint32_t count() const = 0;
  bool is_first() const { return own() == 0; }
  // Of this worker, for messages: "rank 1 on red".
  virtual std::string name() const = 0;

  virtual void send(std::uint32_t to, Bytes bytes) = 0;
  virtual Bytes receive(std::uint32_t from) = 0;

  // CPU time that this worker has spent in waiting for others.
  virtual double waiting_cpu_s() const { return 0; }

  [[noreturn]] virtual void end_all(const std::string& why) = 0;

  // ---- what all call together
  // What each has for each; returns what each had for this one.
  std::vector<Bytes> exchange(std::vector<Bytes> for_each);
  // What each has, at all of them.
  std::vector<Bytes> all(const Bytes& own_bytes);
  // What the first one has.
  Bytes from_first(Bytes bytes);
};

}  // namespace dpm
