# What is installed where, and the Debian packages: `dpm`, small enough for every machine, and `dpm-sim`, which adds the
# simulator and with it SimGrid; `dpm-mpi`, for analyses by several processes; and `libdpm-dev`, for programs that are to be looked into. `dpm` starts /usr/libexec/dpm/dpm-sim for the commands that simulate.

include(GNUInstallDirs)
set(data_dir ${CMAKE_INSTALL_DATADIR}/dpm)

# The programs and their manual pages are not there when only a part of the tree is built.
if(TARGET dpm AND TARGET dpm_sim_program)
  install(TARGETS dpm RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT dpm)
  install(TARGETS dpm_sim_program RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/dpm COMPONENT sim)
  add_subdirectory(docs/man)
  dpm_registered(DPM_SIMULATOR_COMMANDS simulator_commands)
  set(simulator_pages ${simulator_commands})
  list(TRANSFORM simulator_pages REPLACE "^(.+)$" "${CMAKE_BINARY_DIR}/man/dpm-\\1.1")
  list(TRANSFORM simulator_commands REPLACE "^(.+)$" "PATTERN;dpm-\\1.1;EXCLUDE")
  install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT dpm
          FILES_MATCHING PATTERN "*.1" ${simulator_commands})
  install(FILES ${simulator_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT sim)
endif()

if(TARGET dpm_mpi)
  install(TARGETS dpm_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi)
  install(FILES ${CMAKE_SOURCE_DIR}/docs/man/dpm-mpi.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT mpi)
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/dpm-mpi RENAME copyright COMPONENT mpi)
endif()

install(FILES ${CMAKE_SOURCE_DIR}/completion/dpm.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME dpm COMPONENT dpm)

# Units of the filter service. Nothing enables them.
install(FILES ${CMAKE_SOURCE_DIR}/systemd/dpm-filter.socket ${CMAKE_SOURCE_DIR}/systemd/dpm-filter@.service
        DESTINATION lib/systemd/system COMPONENT dpm)

# README.md links to LICENSE, so that is there by its own name too; Debian wants it as "copyright".
install(FILES ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/CHANGELOG.md ${CMAKE_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dpm)
# In a folder of their own, as in the tree, so that the links of README.md lead to them.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT dpm
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "man" EXCLUDE)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT dpm USE_SOURCE_PERMISSIONS)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT dpm)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/dpm-sim RENAME copyright COMPONENT sim)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libdpm-dev RENAME copyright COMPONENT dev)

# Scenario files and what they refer to; the programs written in C++ are inside dpm-sim.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/scenarios/ DESTINATION ${data_dir}/scenarios COMPONENT sim
        FILES_MATCHING PATTERN "*.json" PATTERN "README.md")
install(DIRECTORY ${CMAKE_SOURCE_DIR}/filter/ DESTINATION ${data_dir}/filter COMPONENT dpm
        FILES_MATCHING PATTERN "*.desc" PATTERN "*.rules")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dpm)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "the DPM authors")
set(CPACK_PACKAGE_CONTACT "the DPM authors <dpm@localhost>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/dpm_package_rights.cmake)
set(CPACK_COMPONENTS_ALL dpm sim dev)
if(TARGET dpm_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DPM_PACKAGE_NAME dpm)
set(CPACK_DEBIAN_SIM_PACKAGE_NAME dpm-sim)
set(CPACK_DEBIAN_SIM_PACKAGE_DEPENDS "dpm (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DPM_PACKAGE_SUGGESTS dpm-sim)
set(CPACK_DEBIAN_MPI_PACKAGE_NAME dpm-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "openmpi-bin")
set(CPACK_DEBIAN_MPI_PACKAGE_SUGGESTS dpm)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libdpm-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS dpm)
set(CPACK_COMPONENT_DEV_DESCRIPTION "monitor for distributed programs - library for programs
 Objects of C++ programs whose events 'dpm script' reports while the programs
 run: integers, points, sockets and more. It needs no monitor, and costs nothing without one.")
set(CPACK_COMPONENT_DPM_DESCRIPTION "monitor for distributed programs
 Analyses traces of the messages that the processes of a distributed program
 exchange: who talks to whom, where requests queue, which paths they take, how
 parallel the program is, and how parallel it would be on other machines.")
set(CPACK_COMPONENT_MPI_DESCRIPTION "monitor for distributed programs - parallel analysis
 Analyses of dpm by several processes on one machine or many, started by
 mpirun: statistics, queues, parallelism, causality, predict and clocks.")
set(CPACK_COMPONENT_SIM_DESCRIPTION "monitor for distributed programs - simulator
 Simulates a message system described in a scenario file, with DPM metering
 its processes. Adds the commands 'dpm run' and 'dpm twin'.")
include(CPack)
