# waybill_library(<name> DESCRIPTION <text> FOLDERS <folder of src>... [EXCLUDE <folder of src>...]
#                 HEADERS <of include/waybill>... PUBLIC <target>... PRIVATE <target>...
#                 PKG_CONFIG <module>...)
#
# Makes waybill_<name> with the alias waybill::<name> from the .cpp files of those folders, but for
# those of EXCLUDE. HEADERS are those that belong to it alone; the core has all the others.
# PKG_CONFIG is what pkg-config calls the targets that are PRIVATE. waybill-install.cmake reads both.
function(waybill_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESCRIPTION" "FOLDERS;EXCLUDE;HEADERS;PUBLIC;PRIVATE;PKG_CONFIG")
    set(sources)
    foreach(folder IN LISTS arg_FOLDERS)
        file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp)
        list(APPEND sources ${found})
    endforeach()
    foreach(folder IN LISTS arg_EXCLUDE)
        list(FILTER sources EXCLUDE REGEX "^${PROJECT_SOURCE_DIR}/src/${folder}/")
    endforeach()

    set(target waybill_${name})
    add_library(${target} ${sources})
    add_library(waybill::${name} ALIAS ${target})
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
    target_compile_features(${target} PUBLIC cxx_std_23)
    # A program that is linked with --gc-sections leaves out the functions that it does not use.
    target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
    target_include_directories(${target}
        PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
        PRIVATE ${PROJECT_SOURCE_DIR}/src)
    if(BUILD_SHARED_LIBS)
        # What the standard library's and others' templates become here is exported else: their
        # namespaces are marked.
        set(exports ${PROJECT_SOURCE_DIR}/cmake/waybill-exports.map)
        target_link_options(${target} PRIVATE LINKER:--version-script=${exports})
        set_target_properties(${target} PROPERTIES LINK_DEPENDS ${exports})
    else()
        # The libraries below the core are then the program's own; it loads those that it uses.
        target_link_options(${target} INTERFACE LINKER:--as-needed)
    endif()
    set_target_properties(${target} PROPERTIES
        EXPORT_NAME ${name}
        VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
        WAYBILL_DESCRIPTION "${arg_DESCRIPTION}"
        WAYBILL_HEADERS "${arg_HEADERS}"
        WAYBILL_PKG_CONFIG "${arg_PKG_CONFIG}")
    set_property(GLOBAL APPEND PROPERTY waybill_libraries ${name})
endfunction()

# Stops with a sentence when a header of a library that is only headers is not there.
function(waybill_require_header header package)
    string(MAKE_C_IDENTIFIER "WAYBILL_HAVE_${header}" variable)
    find_path(${variable} ${header})
    mark_as_advanced(${variable})
    if(NOT ${variable})
        message(FATAL_ERROR "The header <${header}> is missing. Install the Debian package "
                            "${package}, or run scripts/setup.sh build.")
    endif()
endfunction()
