# What is installed where, and the Debian packages:
#   dpm                  the program, small enough for every machine; it starts /usr/libexec/dpm/dpm-sim for the commands that simulate
#   dpm-sim              the simulator, and with it SimGrid
#   dpm-mpi              analyses by several processes
#   libdpm0, libdpm-dev  the library of programs that are to be looked into, and what they are built with
#   python3-dpm-monitor  the same for Python
# Changelog, licences, dpkg's scripts and lintian's overrides are in packaging/.

include(GNUInstallDirs)
set(data_dir ${CMAKE_INSTALL_DATADIR}/dpm)
set(packaging ${CMAKE_SOURCE_DIR}/packaging)

# The programs and their manual pages are not there when only a part of the tree is built.
add_custom_target(packaged DEPENDS dpm_monitor_static dpm_monitor_shared COMMENT "All that the packages hold is built")
if(TARGET dpm AND TARGET dpm_sim_program)
  install(TARGETS dpm RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT dpm)
  install(TARGETS dpm_sim_program RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/dpm COMPONENT sim)
  add_subdirectory(docs/man)
  dpm_registered(DPM_SIMULATOR_COMMANDS simulator_commands)
  set(simulator_pages ${simulator_commands})
  list(TRANSFORM simulator_pages REPLACE "^(.+)$" "${CMAKE_BINARY_DIR}/man/dpm-\\1.1.gz")
  list(TRANSFORM simulator_commands REPLACE "^(.+)$" "PATTERN;dpm-\\1.1.gz;EXCLUDE")
  install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT dpm
          FILES_MATCHING PATTERN "*.1.gz" ${simulator_commands} PATTERN "dpm-mpi.1.gz" EXCLUDE)
  install(FILES ${simulator_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT sim)
  add_dependencies(packaged dpm dpm_sim_program manual_pages)
endif()

if(TARGET dpm_mpi)
  install(TARGETS dpm_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi)
  install(FILES ${CMAKE_BINARY_DIR}/man/dpm-mpi.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT mpi)
  add_dependencies(packaged dpm_mpi)
endif()

# Addresses of functions are bound when a program starts, in memory that is then read-only, as Debian builds its programs.
foreach(target dpm dpm_sim_program dpm_mpi dpm_monitor_shared)
  if(TARGET ${target})
    target_link_options(${target} PRIVATE -Wl,-z,relro -Wl,-z,now)
  endif()
endforeach()

install(FILES ${CMAKE_SOURCE_DIR}/packaging/completion/dpm.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME dpm COMPONENT dpm)

# Units of the filter service. Nothing enables them.
install(FILES ${CMAKE_SOURCE_DIR}/packaging/systemd/dpm-filter.socket ${CMAKE_SOURCE_DIR}/packaging/systemd/dpm-filter@.service
        DESTINATION lib/systemd/system COMPONENT dpm)

# README.md links to LICENSE, which is among Debian's licences.
file(CREATE_LINK ../../common-licenses/Apache-2.0 ${CMAKE_BINARY_DIR}/LICENSE SYMBOLIC)
install(FILES ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/CHANGELOG.md ${CMAKE_BINARY_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dpm)

# install_tree(FOLDER DESTINATION COMPONENT PATTERN...): files of FOLDER and below, in the same folders there. Of each, what begins with "#!"
# can be started, whatever rights the files of this clone have; folders without such files are left out, as install(DIRECTORY) would not.
function(install_tree folder destination component)
  list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/${folder}/ OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/${folder} ${patterns})
  list(FILTER files EXCLUDE REGEX "\\.pyc$")
  foreach(file ${files})
    file(READ ${CMAKE_SOURCE_DIR}/${folder}/${file} beginning LIMIT 2 HEX)
    set(kind FILES)
    if(beginning STREQUAL "2321")
      set(kind PROGRAMS)
    endif()
    get_filename_component(below ${file} DIRECTORY)
    install(${kind} ${CMAKE_SOURCE_DIR}/${folder}/${file} DESTINATION ${destination}/${below} COMPONENT ${component})
  endforeach()
endfunction()
# In folders of their own, as in the tree, so that the links of README.md lead to them.
install_tree(docs ${CMAKE_INSTALL_DOCDIR}/docs dpm *.md *.svg *.png)
# The same as HTML, where ./dev site has made it, with one licence for both.
set(site ${CMAKE_SOURCE_DIR}/build/site)
install(DIRECTORY ${site}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html COMPONENT dpm OPTIONAL PATTERN LICENSE EXCLUDE)
install(CODE "
  if(EXISTS \"${site}/LICENSE\")
    file(CREATE_LINK ../LICENSE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/html/LICENSE\" SYMBOLIC)
  endif()" COMPONENT dpm)
install_tree(examples ${CMAKE_INSTALL_DOCDIR}/examples dpm *)
# What scenario files refer to is among them; the programs written in C++ are inside dpm-sim.
install_tree(scenarios ${data_dir}/scenarios sim *.json README.md)
install_tree(filter ${data_dir}/filter dpm *.desc *.rules)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dpm)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_VENDOR "the DPM authors")
set(CPACK_PACKAGE_CONTACT "the DPM authors <dpm@localhost>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/dpm_package_rights.cmake)
set(CPACK_COMPONENTS_ALL)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# Debian's changelog needs a date, and the packages must not differ from one configuration to the next.
file(TIMESTAMP ${CMAKE_SOURCE_DIR}/CHANGELOG.md changed "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${packaging}/changelog.in ${CMAKE_BINARY_DIR}/changelog @ONLY)
execute_process(COMMAND gzip -9nc ${CMAKE_BINARY_DIR}/changelog OUTPUT_FILE ${CMAKE_BINARY_DIR}/changelog.gz COMMAND_ERROR_IS_FATAL ANY)

# dpm_package(COMPONENT PACKAGE SECTION DESCRIPTION [VARIABLE value...]): the files of COMPONENT are a Debian package with changelog and
# licence, the scripts in packaging/PACKAGE, and the overrides for all packages and for PACKAGE in
# packaging/overrides. VARIABLE is CPack's CPACK_DEBIAN_PACKAGE_VARIABLE.
macro(dpm_package component package section description)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} prefix)
  set(CPACK_DEBIAN_${prefix}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${prefix}_PACKAGE_SECTION ${section})
  set(CPACK_COMPONENT_${prefix}_DESCRIPTION "${description}")
  set(words ${ARGN})
  while(words)
    list(POP_FRONT words variable value)
    set(CPACK_DEBIAN_${prefix}_PACKAGE_${variable} "${value}")
  endwhile()
  file(GLOB scripts ${packaging}/${package}/*)
  set(CPACK_DEBIAN_${prefix}_PACKAGE_CONTROL_EXTRA ${scripts})
  install(FILES ${CMAKE_BINARY_DIR}/changelog.gz ${packaging}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  file(READ ${packaging}/overrides/all overrides)
  if(EXISTS ${packaging}/overrides/${package})
    file(READ ${packaging}/overrides/${package} own_overrides)
    string(APPEND overrides "${own_overrides}")
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/overrides/${package} CONTENT "${overrides}" @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/overrides/${package} DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT ${component})
endmacro()

dpm_package(dpm dpm utils "monitor for distributed programs
Analyses traces of the messages that the processes of a distributed program
exchange: who talks to whom, where requests queue, which paths they take, how
parallel the program is, and how parallel it would be on other machines."
 SUGGESTS dpm-sim)
dpm_package(sim dpm-sim utils "monitor for distributed programs - simulator
Simulates a message system described in a scenario file, with DPM metering
its processes. Adds the commands 'dpm run' and 'dpm twin'."
 DEPENDS "dpm (= ${PROJECT_VERSION})")
if(TARGET dpm_mpi)
  dpm_package(mpi dpm-mpi utils "monitor for distributed programs - parallel analysis
Analyses of dpm by several processes on one machine or many, started by
mpirun: statistics, queues, parallelism, causality, predict and clocks."
   DEPENDS openmpi-bin SUGGESTS dpm)
endif()
dpm_package(lib libdpm0 libs "monitor for distributed programs - shared library
Objects of C and C++ programs whose events 'dpm script' reports while the
programs run: integers, points, sockets and more. It needs no monitor, and
costs nothing without one.")
dpm_package(dev libdpm-dev libdevel "monitor for distributed programs - library for programs
Headers and libraries of C and C++ programs whose events 'dpm script' reports
while the programs run."
 DEPENDS "libdpm0 (= ${PROJECT_VERSION})" SUGGESTS dpm)
dpm_package(python python3-dpm-monitor python "monitor for distributed programs - library for Python
Objects of Python programs whose events 'dpm script' reports while the
programs run."
 ARCHITECTURE all DEPENDS "python3:any, libdpm0 (= ${PROJECT_VERSION})" SUGGESTS dpm)
include(CPack)
