/* S3 figure 3.1 in C: an integer that can be seen from outside. */
#include <dpm/monitor/monitor.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char* argv[]) {
  dpm_monitor* monitor = dpm_monitor_open(1, NULL);
  const int64_t end = argc > 1 ? atoi(argv[1]) : 3;
  dpm_integer i;
  dpm_integer_declare(&i, monitor, "main", "i", 0);
  for (dpm_integer_set(&i, 0); dpm_integer_get(&i) < end; dpm_integer_add(&i, 1))
    printf("Loop value is %lld\n", (long long)i.value);
  dpm_monitor_close(monitor);
  return 0;
}
