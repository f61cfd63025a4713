#include "answers/parallel/mpi/mpi_ranks.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <iostream>

namespace dpm {
namespace {

// A message is its length, then its content.
constexpr int kLengthTag = 0, kContentTag = 1;

double process_cpu_s() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

constexpr std::size_t kPieceBytes = std::size_t{1} << 30;  // MPI counts with int

}  // namespace

bool started_as_rank() {
  constexpr std::array kSetByStarters = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK",       "PMI_RANK", "PMI_SIZE",
                                         "MPI_LOCALRANKID",      "SMPI_GLOBAL_SIZE"};
  return std::any_of(kSetByStarters.begin(), kSetByStarters.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

struct MpiRanks::Sending {
  std::uint64_t length = 0;
  Bytes bytes;
  std::vector<MPI_Request> requests;
};

MpiRanks::MpiRanks(int& argc, char**& argv) {
  MPI_Init(&argc, &argv);
  int own = 0, count = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  own_ = static_cast<std::uint32_t>(own);
  count_ = static_cast<std::uint32_t>(count);
}

MpiRanks::~MpiRanks() {
  for (const auto& message : sending_)
    MPI_Waitall(static_cast<int>(message->requests.size()), message->requests.data(), MPI_STATUSES_IGNORE);
  MPI_Finalize();
}

std::string MpiRanks::name() const {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  return "rank " + std::to_string(own_) + " on " + host;
}

void MpiRanks::forget_sent() {
  std::erase_if(sending_, [](const auto& message) {
    int is_done = 0;
    MPI_Testall(static_cast<int>(message->requests.size()), message->requests.data(), &is_done, MPI_STATUSES_IGNORE);
    return is_done != 0;
  });
}

void MpiRanks::send(std::uint32_t to, Bytes bytes) {
  forget_sent();
  auto message = std::make_unique<Sending>();
  message->length = bytes.size();
  message->bytes = std::move(bytes);
  const int rank = static_cast<int>(to);
  MPI_Isend(&message->length, 1, MPI_UINT64_T, rank, kLengthTag, MPI_COMM_WORLD, &message->requests.emplace_back());
  for (std::size_t at = 0; at < message->bytes.size(); at += kPieceBytes) {
    const auto piece = static_cast<int>(std::min(kPieceBytes, message->bytes.size() - at));
    MPI_Isend(message->bytes.data() + at, piece, MPI_BYTE, rank, kContentTag, MPI_COMM_WORLD,
              &message->requests.emplace_back());
  }
  sending_.push_back(std::move(message));
}

Bytes MpiRanks::receive(std::uint32_t rank) {
  const int from = static_cast<int>(rank);
  // MPI asks again and again whether something has come, which is CPU time without work.
  const double began_s = process_cpu_s();
  std::uint64_t length = 0;
  MPI_Recv(&length, 1, MPI_UINT64_T, from, kLengthTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  waiting_cpu_s_ += process_cpu_s() - began_s;
  Bytes bytes(length);
  for (std::size_t at = 0; at < bytes.size(); at += kPieceBytes) {
    const auto piece = static_cast<int>(std::min(kPieceBytes, bytes.size() - at));
    MPI_Recv(bytes.data() + at, piece, MPI_BYTE, from, kContentTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return bytes;
}

void MpiRanks::end_all(const std::string& why) {
  std::cerr << "dpm-mpi: " << name() << ": " << why << std::endl;
  MPI_Abort(MPI_COMM_WORLD, 2);
  std::_Exit(2);
}

}  // namespace dpm
