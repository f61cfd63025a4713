// A backup: copies its standard input to a file. Its Point says that it runs.
#include <unistd.h>

#include <cstdio>
#include <dpm/monitor/point.hpp>

dpm::monitor::Monitor monitor;

int main(int argc, char* argv[]) {
  const dpm::monitor::Point here(&monitor, "main", "running");
  std::FILE* const copy = argc > 1 ? std::fopen(argv[1], "w") : nullptr;
  if (copy == nullptr) return std::perror("backup"), 1;
  char buffer[4096];
  for (ssize_t bytes = 0; (bytes = read(STDIN_FILENO, buffer, sizeof buffer)) > 0;)
    std::fwrite(buffer, 1, static_cast<std::size_t>(bytes), copy);
  return std::fclose(copy) == 0 ? 0 : 1;
}
