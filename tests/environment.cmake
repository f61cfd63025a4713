# Read by ctest itself before it runs tests: programs are metered by the source that every account may use, whichever account runs the
# tests. `DPM_SOURCE=kernel ctest ...` runs them with another. Tests that compare sources ask for each.
if(NOT DEFINED ENV{DPM_SOURCE})
  set(ENV{DPM_SOURCE} notify)
endif()
# The PATH of ordinary accounts lacks Debian's servers and tools of networks.
set(ENV{PATH} "$ENV{PATH}:/usr/sbin:/sbin")
