# What every folder builds with: language, warnings, sanitizers, and the two functions that make a component and its tests.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

set(DPM_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")
option(DPM_FUZZ "Build the libFuzzer targets (needs clang)" OFF)
option(DPM_COVERAGE "Instrument for gcov" OFF)

# Structs have defaults, so designated initializers may leave members out.
# GCC 12 reports -Wrestrict for ordinary string concatenation (GCC bug 105651).
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-restrict)
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
  # Paths are told apart from the source folder on, so that a second clone finds what the first has compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${CCACHE})
endif()

find_package(fmt 9 REQUIRED)

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

# dpm_tests(NAME [USES target...] [LABELS label...]): the folder's *.cpp become the Catch2 program test_NAME, run as one test.
function(dpm_tests name)
  cmake_parse_arguments(ARG "" "" "USES;LABELS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_executable(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE dpm_test_support ${ARG_USES})
  add_test(NAME ${name} COMMAND test_${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "unit;${ARG_LABELS}" ENVIRONMENT "DPM_SOURCE_DIR=${CMAKE_SOURCE_DIR}")
endfunction()
