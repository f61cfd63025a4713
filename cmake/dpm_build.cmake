# What every folder builds with: language, warnings, sanitizers, and the two functions that make a component and its tests.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# A component that this machine cannot build is an error when CMake runs, not a library that the linker misses at the end of the build.
set(CMAKE_LINK_LIBRARIES_ONLY_TARGETS ON)

set(DPM_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")
option(DPM_FUZZ "Build the libFuzzer targets (needs clang)" OFF)
option(DPM_COVERAGE "Instrument for gcov" OFF)
option(DPM_UNITY "Compile a folder as a few files that include the others" ON)

# Structs have defaults, so designated initializers may leave members out.
# GCC 12 reports -Wrestrict for ordinary string concatenation (GCC bug 105651).
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-restrict)
endif()
if(DPM_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # To the compiler an included file is a header, whose types no other file can name.
  add_compile_options(-Wno-subobject-linkage)
endif()
if(DPM_SANITIZE)
  add_compile_options(-fsanitize=${DPM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${DPM_SANITIZE})
endif()
if(DPM_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # Paths count from the source folder on, so that a second clone compiles nothing again. ccache takes the included files from the
  # compiler's list (DEPEND), which saves it a run of the preprocessor for each file that it does not have. It keeps one object for each
  # language of the compiler's messages, so they are English.
  set(CMAKE_CXX_COMPILER_LAUNCHER env --unset=LC_ALL --unset=LC_CTYPE --unset=LC_MESSAGES LANG=C.UTF-8 CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_DEPEND=true ${CCACHE})
endif()

# Linking is a good part of a build: some 180 programs.
find_program(DPM_LLD ld.lld)
if(DPM_LLD)
  add_link_options(-fuse-ld=lld)
endif()

find_package(fmt 9 REQUIRED)

# Sources that are made while building: './dev lint' makes them and compiles nothing else.
add_custom_target(generated)

# dpm_joined(VARIABLE NAME source...): files that include the sources, some at a time; most of the time a compiler spends on one of our
# files goes to the headers that it includes. CMake's own unity builds do the same, but name the sources by whole paths, so that ccache
# knows none of them in a second clone. A source with options of its own has the property SKIP_UNITY_BUILD_INCLUSION, and stays alone.
set(DPM_JOINED_MAX 16)
function(dpm_joined variable name)
  set(together)
  set(result)
  foreach(source ${ARGN})
    get_source_file_property(stays_alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(DPM_UNITY AND NOT stays_alone)
      list(APPEND together ${source})
    else()
      list(APPEND result ${source})
    endif()
  endforeach()
  set(number 0)
  while(together)
    list(SUBLIST together 0 ${DPM_JOINED_MAX} batch)
    list(REMOVE_ITEM together ${batch})
    set(text "")
    foreach(source ${batch})
      file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${source})
      string(APPEND text "#include \"${path}\"\n")
    endforeach()
    set(file ${CMAKE_BINARY_DIR}/joined/${name}_${number}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
    list(APPEND result ${file})
    math(EXPR number "${number} + 1")
  endwhile()
  set(${variable} ${result} PARENT_SCOPE)
endfunction()

enable_testing()
# Every test may ask what it is built with. ctest reads this file; a property ENVIRONMENT would have to be given test by test.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/test_environment.cmake CONTENT "set(ENV{DPM_SANITIZER} \"${DPM_SANITIZE}\")\n")
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_BINARY_DIR}/test_environment.cmake)

# dpm_component(NAME [USES target...]): the folder's *.cpp become the static library dpm_NAME. Headers are included from the
# project's root ("model/event.hpp"), so that an include line names the folder and the arrows test can read it.
function(dpm_component name)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp)
  dpm_joined(sources ${name} ${sources})
  add_library(dpm_${name} STATIC ${sources})
  target_sources(dpm_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR} FILES ${headers})
  target_include_directories(dpm_${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(dpm_${name} PUBLIC ${ARG_USES} fmt::fmt)
endfunction()

# dpm_children(): every child folder with a CMakeLists.txt is part of the build; adding one edits no list.
function(dpm_children)
  file(GLOB children CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  foreach(child ${children})
    get_filename_component(folder ${child} DIRECTORY)
    add_subdirectory(${folder})
  endforeach()
endfunction()

# dpm_tests(NAME [USES target...] [LABELS label...] [SEPARATE]): the folder's *.cpp become the Catch2 program test_NAME, run as one test.
# SEPARATE: its files are compiled one by one, because several of them have helpers of the same name.
function(dpm_tests name)
  cmake_parse_arguments(ARG "SEPARATE" "" "USES;LABELS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT ARG_SEPARATE)
    dpm_joined(sources test_${name} ${sources})
  endif()
  add_executable(test_${name} ${sources})
  target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(test_${name} PRIVATE dpm_test_support ${ARG_USES})
  target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-O1>)  # it is compiled more often than it is run
  add_test(NAME ${name} COMMAND test_${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "unit;${ARG_LABELS}" ENVIRONMENT "DPM_SOURCE_DIR=${CMAKE_SOURCE_DIR}")
endfunction()
