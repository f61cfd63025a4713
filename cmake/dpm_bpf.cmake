# What eBPF programs are built with. Without clang, bpftool or libbpf, DPM is built without the parts that need them; its `dpm doctor`
# and `dpm sample` report so.
find_program(DPM_CLANG NAMES clang clang-14 clang-15 clang-16 clang-17 clang-18)
find_program(DPM_BPFTOOL bpftool PATHS /usr/sbin /sbin)
find_library(DPM_LIBBPF bpf)
find_path(DPM_LIBBPF_HEADERS bpf/libbpf.h)
set(DPM_BPF_MISSING)
foreach(part DPM_CLANG DPM_BPFTOOL DPM_LIBBPF DPM_LIBBPF_HEADERS)
  if(NOT ${part})
    list(APPEND DPM_BPF_MISSING ${part})
  endif()
endforeach()

# dpm_bpf_programs(COMPONENT NAME SOURCE [DEPENDS file...]): SOURCE is compiled for the kernel's machine, and embedded with bpftool's
# skeleton as NAME.skel.h in the generated twin of the current folder. COMPONENT is linked with libbpf. Comes after dpm_component().
function(dpm_bpf_programs component name source)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE folder)
  set(skeleton ${CMAKE_BINARY_DIR}/generated/${folder}/${name}.skel.h)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.bpf.o)
  add_custom_command(
    OUTPUT ${skeleton}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/generated/${folder}
    # The headers of the C library for this machine's type, which the target bpf does not know.
    COMMAND ${DPM_CLANG} -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 -Wall -Werror
      -I/usr/include/${CMAKE_LIBRARY_ARCHITECTURE} -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
    COMMAND ${DPM_BPFTOOL} gen skeleton ${object} name ${name} > ${skeleton}
    DEPENDS ${source} ${ARG_DEPENDS}
    COMMENT "Compiling the eBPF programs ${name}" VERBATIM)
  add_custom_target(dpm_bpf_${name} DEPENDS ${skeleton})
  add_dependencies(dpm_${component} dpm_bpf_${name})
  add_dependencies(generated dpm_bpf_${name})
  target_include_directories(dpm_${component} PRIVATE ${DPM_LIBBPF_HEADERS})
  target_link_libraries(dpm_${component} PRIVATE ${DPM_LIBBPF})
endfunction()
