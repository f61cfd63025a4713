// How this process's heap is shared by what is small and stays and what is large and goes.
//
// A meter makes buffers of tens of kilobytes (events and names on their way to the trace) between small objects that
// live longer (what is known of sockets). malloc puts both into one arena: the place of a freed buffer is soon held by a
// few small objects, so that the next buffer needs a new one. Measured over 100,000 connections, with 8.7 MB in use:
//
//     buffers from 128 kB on apart (malloc's own choice)   free 1.0 -> 5.2 MB, in an arena of 14.6 MB
//     from 16 kB on                                        free 0.8 -> 2.2 MB, in an arena of 11.0 MB
#pragma once

namespace dpm {

// Buffers get memory of their own from now on, which the kernel has back when they are freed: malloc's arenas are for
// small objects alone. It costs two calls of the kernel for each buffer.
void keep_buffers_apart();

// The kernel has back the pages that nothing uses, also those between objects: what a burst needed does not stay. It
// takes about a millisecond for ten megabytes, in which other threads may have to wait for memory.
void give_back_free_memory();

}  // namespace dpm
