# `cmake --install`: each library with its headers, its CMake targets and its pkg-config file, as a
# component of its own (`--component waybill-testing`); and find_package(waybill) over them all.
include(CMakePackageConfigHelpers)
get_property(waybill_libraries GLOBAL PROPERTY waybill_libraries)
set(waybill_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/waybill)
# The prefix is known only at `cmake --install`, so the files find it from where they lie.
file(RELATIVE_PATH waybill_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" waybill_pc_prefix ${waybill_pc_prefix})

# Writes <module>.pc: what it says stands in waybill_pc_*.
function(waybill_install_pc module component)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/waybill.pc.in ${module}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${module}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
            COMPONENT ${component})
endfunction()

# Sets <variable> to what waybill::<name> is linked with of Waybill's own.
function(waybill_needs name variable)
    get_target_property(linked waybill_${name} INTERFACE_LINK_LIBRARIES)
    list(FILTER linked INCLUDE REGEX "^waybill::")
    list(TRANSFORM linked REPLACE "^waybill::" "")
    set(${variable} ${linked} PARENT_SCOPE)
endfunction()

function(waybill_install name)
    set(target waybill_${name})
    set(component waybill-${name})
    install(TARGETS ${target} EXPORT ${component}-targets
        RUNTIME COMPONENT ${component}
        LIBRARY COMPONENT ${component}
        ARCHIVE COMPONENT ${component})
    install(EXPORT ${component}-targets NAMESPACE waybill:: DESTINATION ${waybill_cmake_dir}
            COMPONENT ${component})
    get_target_property(headers ${target} WAYBILL_HEADERS)
    foreach(header IN LISTS headers)
        install(FILES ${PROJECT_SOURCE_DIR}/include/waybill/${header}
                DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/waybill COMPONENT ${component})
    endforeach()

    get_target_property(waybill_pc_description ${target} WAYBILL_DESCRIPTION)
    waybill_needs(${name} waybill_pc_requires)
    list(TRANSFORM waybill_pc_requires PREPEND waybill-)
    get_target_property(below ${target} WAYBILL_PKG_CONFIG)
    set(waybill_pc_libs "-L\${libdir} -l${target} -pthread")
    if(NOT BUILD_SHARED_LIBS)  # whoever links these must name what they stand on as well
        list(APPEND waybill_pc_requires ${below})
        string(PREPEND waybill_pc_libs "-Wl,--as-needed ")
    endif()
    list(JOIN waybill_pc_requires ", " waybill_pc_requires)
    waybill_install_pc(${component} ${component})
endfunction()

set(waybill_transports ${waybill_libraries})
list(FILTER waybill_transports EXCLUDE REGEX "^core$|testing$")
set(waybill_own_headers)
set(waybill_needs)
foreach(name IN LISTS waybill_libraries)
    waybill_install(${name})
    waybill_needs(${name} needs)
    string(APPEND waybill_needs "set(waybill_needs_${name} ${needs})\n")
    get_target_property(headers waybill_${name} WAYBILL_HEADERS)
    foreach(header IN LISTS headers)
        list(APPEND waybill_own_headers PATTERN waybill/${header} EXCLUDE)
    endforeach()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/waybill DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT waybill-core FILES_MATCHING PATTERN *.hpp PATTERN *.h ${waybill_own_headers})

# `pkg-config waybill`: the core and every transport, without the test kit.
set(waybill_pc_description "the core and every transport")
list(TRANSFORM waybill_transports PREPEND waybill- OUTPUT_VARIABLE waybill_pc_requires)
list(JOIN waybill_pc_requires ", " waybill_pc_requires)
set(waybill_pc_libs)
waybill_install_pc(waybill waybill-core)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/waybill-config.cmake.in waybill-config.cmake
    INSTALL_DESTINATION ${waybill_cmake_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(waybill-config-version.cmake COMPATIBILITY SameMinorVersion)
set(waybill_config_files
    ${PROJECT_BINARY_DIR}/waybill-config.cmake
    ${PROJECT_BINARY_DIR}/waybill-config-version.cmake)
if(NOT BUILD_SHARED_LIBS)
    list(APPEND waybill_config_files ${PROJECT_SOURCE_DIR}/cmake/Findcbor.cmake
         ${PROJECT_SOURCE_DIR}/cmake/Findrabbitmq.cmake)
endif()
install(FILES ${waybill_config_files} DESTINATION ${waybill_cmake_dir} COMPONENT waybill-core)
