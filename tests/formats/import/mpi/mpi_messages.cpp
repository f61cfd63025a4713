// mpi_messages: an MPI program that sends with each kind of call, messages of many sizes: around a ring, from a master to
// workers and back, and in pairs. What it sends depends on the number of ranks only.
#include <mpi.h>

#include <array>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kMost = 4000;  // bytes: small enough to be sent at once

// A size for the n-th message from one rank to another.
int size_of(int from, int to, int n) { return 1 + (from * 7919 + to * 104'729 + n * 1299) % kMost; }

struct Rank {
  int own = 0, count = 0;
  std::vector<char> buffer = std::vector<char>(kMost);

  int next() const { return (own + 1) % count; }
  int previous() const { return (own + count - 1) % count; }
};

void pass_around(Rank& rank, int rounds) {
  for (int n = 0; n < rounds; ++n) {
    if (rank.own == 0)
      MPI_Send(rank.buffer.data(), size_of(0, rank.next(), n), MPI_CHAR, rank.next(), 1, MPI_COMM_WORLD);
    MPI_Recv(rank.buffer.data(), kMost, MPI_CHAR, rank.previous(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank.own != 0)
      MPI_Send(rank.buffer.data(), size_of(rank.own, rank.next(), n), MPI_CHAR, rank.next(), 1, MPI_COMM_WORLD);
  }
}

// The master hands out work to all at once, and takes the answers as they come.
void hand_out(Rank& rank, int rounds) {
  for (int n = 0; n < rounds; ++n) {
    if (rank.own != 0) {
      MPI_Recv(rank.buffer.data(), kMost, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(rank.buffer.data(), size_of(rank.own, 0, n), MPI_CHAR, 0, 3, MPI_COMM_WORLD);
      continue;
    }
    std::vector<MPI_Request> requests;
    std::vector<std::vector<char>> answers;
    for (int worker = 1; worker < rank.count; ++worker) {
      MPI_Isend(rank.buffer.data(), size_of(0, worker, n), MPI_CHAR, worker, 2, MPI_COMM_WORLD,
                &requests.emplace_back());
      answers.emplace_back(kMost);
      MPI_Irecv(answers.back().data(), kMost, MPI_CHAR, worker, 3, MPI_COMM_WORLD, &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
}

void exchange(Rank& rank, int rounds) {
  std::array<char, kMost> got{};
  for (int n = 0; n < rounds; ++n)
    MPI_Sendrecv(rank.buffer.data(), size_of(rank.own, rank.next(), n), MPI_CHAR, rank.next(), 4, got.data(), kMost,
                 MPI_CHAR, rank.previous(), 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Rank rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank.own);
  MPI_Comm_size(MPI_COMM_WORLD, &rank.count);
  pass_around(rank, 40);
  hand_out(rank, 30);
  exchange(rank, 25);
  MPI_Finalize();
  return 0;
}
