// A tracepoint of LTTng-UST with one number. LTTng's header reads this file several times.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER dpm_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bench/inside/lttng_provider.h"
#if !defined(DPM_BENCH_LTTNG_PROVIDER) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define DPM_BENCH_LTTNG_PROVIDER
#include <lttng/tracepoint.h>
LTTNG_UST_TRACEPOINT_EVENT(dpm_bench, assigned, LTTNG_UST_TP_ARGS(long, value),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(long, value, value)))
#endif
#include <lttng/tracepoint-event.h>
