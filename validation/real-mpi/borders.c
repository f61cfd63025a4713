// A strip of a grid for each rank: in every step it is computed, and its borders go to the neighbours. Ranks have
// strips of different sizes, so that where they run matters.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kWidth = 2000, kSteps = 60, kRowsOfFirst = 100 };

static void compute(double* grid, int rows) {
  for (int y = 1; y <= rows; ++y)
    for (int x = 1; x < kWidth - 1; ++x) {
      double* at = grid + (size_t)y * kWidth + x;
      *at = 0.2 * (*at + at[-1] + at[1] + at[-kWidth] + at[kWidth]);
    }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rows = kRowsOfFirst * (rank + 1), above = rank - 1, below = rank + 1;
  double* grid = calloc((size_t)(rows + 2) * kWidth, sizeof *grid);
  if (grid == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  grid[kWidth + kWidth / 2] = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < kSteps; ++step) {
    compute(grid, rows);
    MPI_Request requests[4];
    int count = 0;
    if (above >= 0) {
      MPI_Irecv(grid, kWidth, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &requests[count++]);
      MPI_Isend(grid + kWidth, kWidth, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &requests[count++]);
    }
    if (below < ranks) {
      MPI_Irecv(grid + (size_t)(rows + 1) * kWidth, kWidth, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[count++]);
      MPI_Isend(grid + (size_t)rows * kWidth, kWidth, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("elapsed_s %.9f\n", MPI_Wtime() - begin);
  free(grid);
  MPI_Finalize();
  return 0;
}
