# `cmake --install`: libraries, headers, find_package(waybill) and a pkg-config file.
include(CMakePackageConfigHelpers)

get_property(waybill_libraries GLOBAL PROPERTY waybill_libraries)
set(waybill_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/waybill)

install(TARGETS ${waybill_libraries} EXPORT waybill-targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/waybill DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.hpp PATTERN *.h)
install(EXPORT waybill-targets NAMESPACE waybill:: DESTINATION ${waybill_cmake_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/waybill-config.cmake.in waybill-config.cmake
    INSTALL_DESTINATION ${waybill_cmake_dir})
write_basic_package_version_file(waybill-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/waybill-config.cmake
    ${PROJECT_BINARY_DIR}/waybill-config-version.cmake
    ${PROJECT_SOURCE_DIR}/cmake/Findcbor.cmake
    DESTINATION ${waybill_cmake_dir})

# Whoever links the static libraries must name what they stand on as well.
set(waybill_pc_requires "fmt, spdlog, simdjson, libcbor")
if(BUILD_SHARED_LIBS)
    set(waybill_pc_field Requires.private)
else()
    set(waybill_pc_field Requires)
endif()
set(waybill_pc_libs)
foreach(library memory core)
    get_target_property(type waybill_${library} TYPE)
    if(NOT type STREQUAL INTERFACE_LIBRARY)
        string(APPEND waybill_pc_libs " -lwaybill_${library}")
    endif()
endforeach()
# The prefix is known only at `cmake --install`, so the file finds it from where it lies.
file(RELATIVE_PATH waybill_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" waybill_pc_prefix ${waybill_pc_prefix})
configure_file(${PROJECT_SOURCE_DIR}/cmake/waybill.pc.in waybill.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/waybill.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
