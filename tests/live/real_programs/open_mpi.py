#!/usr/bin/python3
"""A ring of Open MPI processes that pass a token around over TCP, and once more over shared memory, which is not a message
that a meter could see."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import real_program

RING = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char** argv) {
  enum { kRounds = 100 };  // at the beginning, and again after the meter has been killed
  int rank, size, left = -1, rounds = 0, token[500] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  while (!token[1]) {
    if (rank == 0) {
      if (++rounds == kRounds) fclose(fopen("progress", "w"));
      if (left < 0 && access("struck", F_OK) == 0) left = kRounds;
      token[1] = left >= 0 && left-- == 0;  // the last round
    }
    if (rank == 0) token[0]++, MPI_Send(token, 500, MPI_INT, 1 % size, 0, MPI_COMM_WORLD);
    MPI_Recv(token, 500, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0) token[0]++, MPI_Send(token, 500, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
  }
  int sum = 0;
  MPI_Reduce(&token[0], &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("token %d sum %d\n", token[0] == size * rounds, sum == size * size * rounds - size * (size - 1) / 2);
  MPI_Finalize();
  return 0;
}
"""


def play(session: real_program.Session) -> None:
    (session.folder / "ring.c").write_text(RING)
    built = session.run(["mpicc", "-O1", "-o", "ring", "ring.c"])
    if built.returncode != 0:
        raise real_program.Failed(built.stderr)
    for transport in ("tcp", "vader"):
        with session.meter_killed():
            done = session.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "3", "--mca", "btl", f"{transport},self",
                                "--mca", "btl_tcp_if_include", "lo", "--mca", "oob_tcp_if_include", "lo", "--mca",
                                "mpi_yield_when_idle", "1", "--mca", "orte_tmpdir_base", str(session.folder), str(session.folder / "ring")],
                               metered=True)
        session.note(transport, (done.returncode, done.stdout))


real_program.main(play, needs=["mpirun", "mpicc"])
