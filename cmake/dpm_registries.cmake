# What registers itself: a folder names what it adds, and the lists of all of them are generated.

# dpm_register(REGISTRY NAME PLACE): PLACE orders the list; "" is the end.
function(dpm_register registry name place)
  if(place STREQUAL "")
    set(place 9999)
  endif()
  set_property(GLOBAL APPEND PROPERTY ${registry} "${place} ${name}")
endfunction()

# dpm_registered(REGISTRY VARIABLE): the names that are registered, in order.
function(dpm_registered registry variable)
  get_property(entries GLOBAL PROPERTY ${registry})
  list(SORT entries COMPARE NATURAL)
  list(TRANSFORM entries REPLACE "^[0-9]+ " "")
  set(${variable} ${entries} PARENT_SCOPE)
endfunction()

# dpm_command(NAME [PLACE place] [OF_SIMULATOR summary]): the folder's command is NAME. PLACE orders the help; without it the
# command stands at the end. A command that simulates is part of dpm-sim. dpm lists it too, and does not link it, so its
# summary stands here, and reaches its code as DPM_COMMAND_SUMMARY.
function(dpm_command name)
  cmake_parse_arguments(ARG "" "PLACE;OF_SIMULATOR" "" ${ARGN})
  dpm_register(DPM_COMMANDS ${name} "${ARG_PLACE}")
  if(ARG_OF_SIMULATOR)
    dpm_register(DPM_SIMULATOR_COMMANDS ${name} "${ARG_PLACE}")
    set_property(GLOBAL PROPERTY DPM_SIMULATOR_SUMMARY_${name} "${ARG_OF_SIMULATOR}")
    target_compile_definitions(dpm_command_${name} PRIVATE DPM_COMMAND_SUMMARY="${ARG_OF_SIMULATOR}")
  endif()
endfunction()

# dpm_answer(NAME [PLACE place]): the folder's component dpm_answer_NAME is what scenarios get that ask for the analysis NAME. It
# exports dpm::cli::make_NAME_answer() (answers/scenario/answer.hpp).
function(dpm_answer name)
  cmake_parse_arguments(ARG "" "PLACE" "" ${ARGN})
  dpm_register(DPM_ANSWERS ${name} "${ARG_PLACE}")
endfunction()

# dpm_import_format(NAME [PLACE place]): the folder's component dpm_import_NAME reads a format. It exports dpm::make_NAME_import_format()
# (formats/import/import_format.hpp).
function(dpm_import_format name)
  cmake_parse_arguments(ARG "" "PLACE" "" ${ARGN})
  dpm_register(DPM_IMPORT_FORMATS ${name} "${ARG_PLACE}")
endfunction()

# dpm_format_registry(DIRECTION name...): the list of formats that are read (import) or written (export), generated from
# formats/DIRECTION/registry.cpp.in as part of dpm_DIRECTION. A format NAME exports dpm::make_NAME_DIRECTION_format().
function(dpm_format_registry direction)
  string(SUBSTRING ${direction} 0 1 first)
  string(TOUPPER ${first} first)
  string(SUBSTRING ${direction} 1 -1 rest)
  set(DPM_FORMAT_DECLARATIONS "")
  set(calls)
  set(libraries)
  foreach(name ${ARGN})
    string(APPEND DPM_FORMAT_DECLARATIONS "${first}${rest}Format make_${name}_${direction}_format();\n")
    list(APPEND calls "make_${name}_${direction}_format()")
    if(TARGET dpm_${direction}_${name})
      list(APPEND libraries dpm_${direction}_${name})
    endif()
  endforeach()
  list(JOIN calls ", " DPM_FORMAT_CALLS)
  set(file ${CMAKE_BINARY_DIR}/generated/formats/${direction}/registry.cpp)
  configure_file(${CMAKE_SOURCE_DIR}/formats/${direction}/registry.cpp.in ${file} @ONLY)
  add_library(dpm_${direction}_formats STATIC ${file})
  # A cycle of static libraries: a format is written with the interface that the list belongs to.
  target_link_libraries(dpm_${direction}_formats PUBLIC dpm_${direction} ${libraries})
  target_link_libraries(dpm_${direction} PUBLIC dpm_${direction}_formats)
endfunction()
